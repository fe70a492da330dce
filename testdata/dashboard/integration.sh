#!/usr/bin/env bash
# Has axe-core judge every page of the dashboard, in both themes and two widths. Its version is pinned in package.json. Then runs
# the request of each operation as the playground shows it, in five languages. Needs node, npm and the npm registry, curl, php,
# python3 and go. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-dashboard.XXXXXX")
trap 'rm -rf "$temp"' EXIT

for program in npm node curl php python3 go; do
  command -v "$program" >/dev/null || {
    echo "integration: $program is missing: run deploy/install-deps.sh --integration" >&2
    exit 1
  }
done
cp "$here"/package*.json "$temp"
(cd "$temp" && npm ci --silent --ignore-scripts --no-audit --no-fund)

echo "integration: dashboard: does axe-core find fault with a page?"
cd "$here/../.."
PLATEN_TEST_AXE="$temp/node_modules/axe-core/axe.min.js" \
  "${GO:-go}" test -tags integration -count=1 -v -timeout 5m -run '^TestAccessibility$' ./edge/dashboard/page

echo "integration: dashboard: do the requests that the playground shows run, in five languages?"
"${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^TestPlaygroundPrograms$' ./cmd/platen
