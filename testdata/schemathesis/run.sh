#!/usr/bin/env bash
# Holds a real node against its own API description with schemathesis: requests that
# the description allows and requests that it forbids, and whether every answer is
# one that it declares.
#
#   run.sh PLATEN    PLATEN is the binary; it is started on a data directory of its own
#
# Needs python3 with venv (Debian: python3-venv) and PyPI. What is installed stays in
# SCHEMATHESIS_CACHE, by default .cache/schemathesis in the repository. SEED picks
# other examples, EXAMPLES how many there are for each operation.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${SCHEMATHESIS_CACHE:-$here/../../.cache/schemathesis}

say() { echo "schemathesis: $*"; }
die() { say "$*" >&2; exit 1; }

[[ $# == 1 && -x $1 ]] || die "usage: run.sh PLATEN (the binary; make build makes it)"
platen=$(realpath "$1")
python3 -c 'import ensurepip, venv' 2>/dev/null || die "python3 with venv is missing: install it (Debian: apt-get install python3-venv)"

# install fills the cache once per state of requirements.txt.
install() {
  cmp -s "$here/requirements.txt" "$cache/requirements.txt" && return
  say "installing from PyPI"
  rm -rf "$cache"
  mkdir -p "$cache"
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$here/requirements.txt" >"$cache/pip.log" 2>&1 ||
    die "pip failed, see $cache/pip.log"
  cp "$here/requirements.txt" "$cache/requirements.txt"
}

node=     # pid of platen
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-schemathesis.XXXXXX")

finish() {
  local status=$?
  trap - EXIT
  if [[ -n $node ]]; then
    kill -TERM "$node" 2>/dev/null || true
    wait "$node" || { ((status)) || status=1; say "the node ended badly" >&2; }
  fi
  ((status == 0)) || { say "FAILED; the node's last words:" >&2; tail -n 20 "$temp/node.log" >&2 || true; }
  rm -rf "$temp"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# address waits until the node listens and prints where.
address() {
  local deadline=$((SECONDS + 60)) line
  until line=$(grep -om1 'listens on http://.*' "$temp/node.log"); do
    kill -0 "$node" 2>/dev/null || die "the node ended before it listened"
    ((SECONDS < deadline)) || die "the node does not listen after 60 s"
    sleep 0.1
  done
  echo "${line#listens on }"
}

key() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["business"])' "$temp/data/dev-keys.json"; }

install
# A temp directory of its own, so that nothing of the browser stays behind.
mkdir "$temp/tmp"
TMPDIR=$temp/tmp "$platen" serve --dev --listen 127.0.0.1:0 --data "$temp/data" >"$temp/node.log" 2>&1 &
node=$!
url=$(address)
say "testing $url"
cd "$temp" # what schemathesis leaves behind goes with the rest
PLATEN_KEY=$(key) PLATEN_CHECKS=$here/checks.py timeout 600 "$cache/venv/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$url/openapi.json" \
  --seed "${SEED:-4711}" --max-examples "${EXAMPLES:-60}"
say "passed"
