#!/usr/bin/env bash
# Sends JOBS jobs (100,000 without it) through three nodes on a broker of their own while they are upgraded, taken back and
# killed: TestManyJobs in cmd/platen. A million takes an hour and forty minutes on two cores. `make manyjobs` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-manyjobs.XXXXXX")
trap '"$here/run.sh" kill "$temp/broker" 2>/dev/null || true; rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM

PLATEN_TEST_KAFKA=$("$here/run.sh" start "$temp/broker")
export PLATEN_TEST_KAFKA PLATEN_TEST_JOBS=${JOBS:-100000}
"${GO:-go}" test -tags integration,nextversion -count=1 -v -timeout 4h -run '^TestManyJobs$' ./cmd/platen
