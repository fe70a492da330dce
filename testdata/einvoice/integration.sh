#!/usr/bin/env bash
# Runs the e-invoice tests that need other programs: the validator against xmllint on
# mutated invoices and its tables against the official schemas, hybrid invoices of all samples through a node, and veraPDF and
# Mustang on what came of them. Needs xmllint, mvn and a JDK of 17 or newer.
# DIFFERENTIAL_SEED chooses the mutants. `make integration` calls it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v xmllint >/dev/null || {
  echo "integration: xmllint is missing: install it (Debian: apt-get install libxml2-utils)" >&2
  exit 1
}
pdfs=$(mktemp -d "${TMPDIR:-/tmp}/platen-hybrid.XXXXXX")
trap 'rm -rf "$pdfs"' EXIT

echo "integration: e-invoices: the validator against xmllint"
SEED=${DIFFERENTIAL_SEED:-} "${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^(TestDifferential|TestUBLTable)' ./einvoice
echo "integration: e-invoices: samples through a node"
PLATEN_VERAPDF_DIR=$pdfs "${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^TestHybridSamples$' ./cmd/platen/conformance
echo "integration: e-invoices: veraPDF and Mustang"
PLATEN_VERAPDF_DIR=$pdfs testdata/verapdf/integration.sh
