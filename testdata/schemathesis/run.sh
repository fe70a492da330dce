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

name=schemathesis
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${SCHEMATHESIS_CACHE:-$here/../../.cache/schemathesis}
platen=${1:-}
source "$here/../node.sh"

install
serve
url=$(printed "listens on ")
say "testing $url"
cd "$temp" # what schemathesis leaves behind goes with the rest
PLATEN_KEY=$(key business) PLATEN_CHECKS=$here/checks.py timeout 600 "$cache/venv/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$url/openapi.json" \
  --seed "${SEED:-4711}" --max-examples "${EXAMPLES:-60}"
say "passed"
