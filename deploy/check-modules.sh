#!/usr/bin/env bash
# Checks the modules that are compiled in: that their licences allow it, and that the code calls nothing in them, or in the standard library,
# that a version of Go's vulnerability database knows as vulnerable. Usage: check-modules.sh VERSION, which may be "latest".
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
export GOTOOLCHAIN=auto # the one that go.mod names, as releases are built

licences() {
  # Not recognised, and read: MIT-0 and BSD-3-Clause.
  "$go" run github.com/google/go-licenses@v1.6.0 check ./cmd/platen --disallowed_types=forbidden,restricted,unknown \
    --ignore platen.dev --ignore github.com/segmentio/asm --ignore modernc.org/mathutil 2> "$log" || { grep -v '^[WI]' "$log" >&2; return 1; }
}

# database prints where the database is, which is a module, once it is indexed.
database() {
  local module source index
  module=golang.org/x/vulndb@$1
  source=$("$go" mod download -json "$module" | sed -nE 's/^\t"Dir": "(.*)",?$/\1/p')
  index=$PWD/.cache/vulndb-${source##*@}
  if [[ ! -d $index ]]; then
    rm -rf "$index.part"
    mkdir -p "$(dirname "$index")"
    "$go" run "golang.org/x/vulndb/cmd/indexdb@${source##*@}" -vulns "$source/data/osv" -out "$index.part" >&2
    mv "$index.part" "$index"
  fi
  echo "$index"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
licences
index=$(database "$1")
"$go" run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -db "file://$index" ./... > "$log" || { cat "$log" >&2; exit 1; }
