#!/bin/sh
# fuzz.sh NAME SECONDS: runs one libFuzzer target on a copy of its corpus; a crash leaves its input in build/fuzz.
set -eu
name=$1 seconds=$2
work=build/fuzz/corpus-$name
mkdir -p "$work"
cp -n fuzz/corpus/"$name"/* "$work"/ 2>/dev/null || true
echo "fuzz $name for $seconds s"
if build/fuzz/fuzz/fuzz_"$name" "$work" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix=build/fuzz/"$name"- >build/fuzz/"$name".log 2>&1; then
  tail -1 build/fuzz/"$name".log
else
  tail -40 build/fuzz/"$name".log
  exit 1
fi
