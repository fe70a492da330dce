#!/usr/bin/env bash
# Has a client that was written for Gotenberg, from PyPI, convert by the routes of a real node (--gotenberg), and looks at the files.
#
#   run.sh PLATEN    PLATEN is the binary; it is started on a data directory of its own
#
# Needs python3 with venv (Debian: python3-venv), PyPI and poppler-utils. What is installed stays in GOTENBERG_CACHE, by default
# .cache/gotenberg in the repository.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${GOTENBERG_CACHE:-$here/../../.cache/gotenberg}

say() { echo "gotenberg: $*"; }
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
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-gotenberg.XXXXXX")

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

# printed waits until the node prints something, and returns what follows it.
printed() {
  local deadline=$((SECONDS + 60)) line
  until line=$(grep -om1 "$1.*" "$temp/node.log"); do
    kill -0 "$node" 2>/dev/null || die "the node ended before it listened"
    ((SECONDS < deadline)) || die "the node does not listen after 60 s"
    sleep 0.1
  done
  echo "${line#"$1"}"
}

key() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pro"])' "$temp/data/dev-keys.json"; }

# has looks for a text in a PDF.
has() { pdftotext -raw "$temp/out/$1" - | tr -d '[:space:]' | grep -q "$2" || die "$1 lacks $2"; }

install
mkdir "$temp/tmp" "$temp/out"
TMPDIR=$temp/tmp "$platen" serve --dev --listen 127.0.0.1:0 --gotenberg 127.0.0.1:0 --data "$temp/data" >"$temp/node.log" 2>&1 &
node=$!
at=$(printed "Gotenberg's routes: ")
printed "API keys of the demo accounts: " >/dev/null
"$cache/venv/bin/python" "$here/client.py" "$at" "$(key)" "$temp/out"
has html.pdf SCRIPTED
has markdown.pdf Notes
pdfinfo "$temp/out/html.pdf" | grep -q '^Page size: *841.* x 595' || die "html.pdf is not A4 in landscape: $(pdfinfo "$temp/out/html.pdf" | grep size)"
pdfinfo -meta "$temp/out/archive.pdf" | grep -q '<pdfaid:part>2</pdfaid:part>' || die "archive.pdf does not say that it is PDF/A-2"
printf '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="45" cy="45" r="40" fill="teal"/></svg>' >"$temp/seal.svg"
echo '<h1>Contract</h1>' >"$temp/index.html"
curl -sS --fail-with-body --user "me:$(key)" -o "$temp/out/marked.pdf" -F "files=@$temp/index.html" -F "files=@$temp/seal.svg" -F watermarkSource=text -F watermarkExpression=DRAFT \
  -F 'watermarkOptions={"font":"Helvetica","points":90,"color":"#808080","rotation":45,"opacity":0.3}' \
  -F stampSource=image -F stampExpression=seal.svg -F 'stampOptions={"pos":"br","rotation":0}' "$at/forms/chromium/convert/html" || die "a watermark and a stamp are refused"
has marked.pdf DRAFT
say "passed: $(ls "$temp/out" | wc -l) files"
