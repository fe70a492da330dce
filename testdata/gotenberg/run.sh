#!/usr/bin/env bash
# Has a client that was written for Gotenberg, from PyPI, convert by the routes of a real node (--gotenberg), and looks at the files.
#
#   run.sh PLATEN    PLATEN is the binary; it is started on a data directory of its own
#
# Needs python3 with venv (Debian: python3-venv), PyPI and poppler-utils. What is installed stays in GOTENBERG_CACHE, by default
# .cache/gotenberg in the repository.
set -euo pipefail

name=gotenberg
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${GOTENBERG_CACHE:-$here/../../.cache/gotenberg}
platen=${1:-}
source "$here/../node.sh"

install
mkdir "$temp/out"
serve --gotenberg 127.0.0.1:0
at=$(printed "Gotenberg's routes: ")
printed "API keys of the demo accounts: " >/dev/null
"$cache/venv/bin/python" "$here/client.py" "$at" "$(key pro)" "$temp/out"
has html.pdf SCRIPTED
has markdown.pdf Notes
has markdown.pdf '^LOGONotes'
pdfinfo "$temp/out/html.pdf" | grep -q '^Page size: *841.* x 595' || die "html.pdf is not A4 in landscape: $(pdfinfo "$temp/out/html.pdf" | grep size)"
pdfinfo -meta "$temp/out/archive.pdf" | grep -q '<pdfaid:part>2</pdfaid:part>' || die "archive.pdf does not say that it is PDF/A-2"
printf '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="45" cy="45" r="40" fill="teal"/></svg>' >"$temp/seal.svg"
echo '<h1>Contract</h1>' >"$temp/index.html"
curl -sS --fail-with-body --user "me:$(key pro)" -o "$temp/out/marked.pdf" -F "files=@$temp/index.html" -F "files=@$temp/seal.svg" -F watermarkSource=text -F watermarkExpression=DRAFT \
  -F 'watermarkOptions={"font":"Helvetica","points":90,"color":"#808080","rotation":45,"opacity":0.3}' \
  -F stampSource=image -F stampExpression=seal.svg -F 'stampOptions={"pos":"br","rotation":0}' "$at/forms/chromium/convert/html" || die "a watermark and a stamp are refused"
has marked.pdf DRAFT
post() { curl -sS --user "me:$(key pro)" "${@:2}" "$at/forms/chromium/$1"; }
post convert/html -o "$temp/out/stamped.pdf" -F "files=@$temp/index.html" -F "stamp=@$temp/seal.svg" -F stampSource=image
has stamped.pdf Contract
post screenshot/html -o "$temp/out/heading.png" -F "files=@$temp/index.html" -F selector=h1 -F width=400 -F deviceScaleFactor=2
python3 -c 'import struct, sys; width = struct.unpack(">I", open(sys.argv[1], "rb").read()[16:20])[0]; sys.exit(width != 2 * (400 - 2 * 8))' "$temp/out/heading.png" || die "heading.png is not the heading at twice its size"
for refused in embeds facturxXml; do
  post convert/html -F "files=@$temp/index.html" -F "$refused=@$temp/seal.svg" | grep -qx "$refused is not supported here" || die "a file of the field $refused is not refused"
done
post convert/html -F "files=@$temp/index.html" --form-string 'extraHttpHeaders={"X-A":"secret;scope=https://a.example"}' | grep -q 'cannot have a scope' || die "a header with a scope is not refused"
say "passed: $(ls "$temp/out" | wc -l) files"
