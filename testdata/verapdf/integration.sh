#!/usr/bin/env bash
# Converts sample invoices of every profile, and documents to PDF/A and PDF/UA, and has veraPDF and Mustang judge them.
# Compares our business rules with the official ones on mutants of the samples.
# PLATEN_VERAPDF_DIR names a folder with more PDFs to be judged, which must pass as well.
# Needs mvn and a JDK of 17 or newer. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

"$here/run.sh" fetch
"${GO:-go}" test -tags integration -count=1 -v -timeout 30m -run '^(TestVeraPDF|TestOfficial|TestExamples$)' ./document/pdfa ./einvoice/hybrid ./actors/render ./einvoice/rules
