#!/bin/bash
# build.sh PRESET JOBS TARGET…: configures build/PRESET once and builds there. On a terminal one line
# shows how far it is, elsewhere compilers speak only when something is wrong. V=1 prints every
# command. The Makefile calls it.
set -euo pipefail
preset=$1 jobs=$2 folder=build/$1
shift 2

if [ ! -f "$folder/build.ninja" ]; then
  echo "configure: $folder"
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || { cat "build/configure-$preset.log"; exit 1; }
  echo "build: $folder, which takes minutes the first time"
fi
build() { cmake --build "$folder" -j"$jobs" --target "$@"; }
if [ -n "${V:-}" ]; then
  build "$@" -- -v
elif [ -t 1 ]; then
  NINJA_STATUS='build: %f of %t, ' build "$@"
else
  build "$@" -- --quiet | sed '/^ninja: no work to do\.$/d'
fi
