#!/usr/bin/env bash
# Runs the tests of traces on a real OpenTelemetry collector. It is built from Go modules, of which
# go.mod here has the list, so that they stay out of Platen's own. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-otel.XXXXXX")
trap 'rm -rf "$temp"' EXIT

echo "integration: traces: building the OpenTelemetry collector"
(cd "$here" && "${GO:-go}" build -o "$temp/otel" .)
echo "integration: traces: a job's trace through the collector, over mutual TLS"
cd "$here/../.."
PLATEN_TEST_OTEL=$temp/otel "${GO:-go}" test -tags integration -count=1 -v -timeout 5m -run '^TestCollector$' ./cmd/platen
