#!/usr/bin/env bash
# Has a program that was written for wkhtmltopdf, pdfkit from PyPI, convert by `platen` under that name, and looks at the files.
#
#   run.sh PLATEN    PLATEN is the binary
#
# Needs python3 with venv (Debian: python3-venv), PyPI and poppler-utils. What is installed stays in WKHTMLTOPDF_CACHE, by default
# .cache/wkhtmltopdf in the repository.
set -euo pipefail

name=wkhtmltopdf
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${WKHTMLTOPDF_CACHE:-$here/../../.cache/wkhtmltopdf}
platen=${1:-}
source "$here/../node.sh"

install
mkdir "$temp/out"
ln -s "$(realpath "$platen")" "$temp/wkhtmltopdf"
"$cache/venv/bin/python" "$here/client.py" "$temp/wkhtmltopdf" "$temp/out"
has text.pdf 'HälloÖL1/1'
pdfinfo "$temp/out/text.pdf" | grep -q '^Page size: *612 x 792' || die "text.pdf is not Letter: $(pdfinfo "$temp/out/text.pdf" | grep size)"
has file.pdf 'ContentsChapter2'
has file.pdf 'Head1/2'
(($(pdfimages -list "$temp/out/file.pdf" | tail -n +3 | wc -l) == 1)) || die "file.pdf lacks its picture"
has all.pdf 'coveronendofcoveroneon1/2endofone2/2twoon1/2endoftwo2/2'
say "passed: text.pdf, file.pdf and all.pdf"
