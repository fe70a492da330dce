#!/usr/bin/env bash
# Runs the tests that need a real Apache Kafka broker, each suite on a fresh one:
# the log's own, then three nodes of which one is killed again and again.
# Needs mvn and Java 17 or newer. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

say() { echo "integration: $*"; }

for tool in java mvn; do
  command -v "$tool" >/dev/null || {
    say "$tool is missing: install it (Debian: apt-get install default-jdk-headless maven)" >&2
    exit 1
  }
done

temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-integration.XXXXXX")
broker=$temp/none # the broker that runs

finish() {
  local status=$?
  "$here/run.sh" kill "$broker" 2>/dev/null || true
  rm -rf "$temp"
  ((status == 0)) && say "all passed" || say "FAILED" >&2
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# suite NAME PACKAGE TESTS runs the tests of a package on a broker of its own.
suite() {
  broker=$temp/$1
  say "$1: starting a broker"
  PLATEN_TEST_KAFKA=$("$here/run.sh" start "$broker")
  export PLATEN_TEST_KAFKA
  say "$1: testing"
  "${GO:-go}" test -tags integration -count=1 -v -timeout 15m -run "$3" "$2"
  "$here/run.sh" stop "$broker"
}

suite log ./events/eventlog/kafka '^TestBroker'
suite cluster ./cmd/platen '^TestBroker'
