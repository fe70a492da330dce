#!/usr/bin/env bash
# Runs the tests that need a real Apache Kafka broker, each suite on a fresh one:
# the log's own and the bus's, then three nodes of which one is killed again and again, then a new node
# that begins with snapshots, then a backup on S3 and ClickHouse that is restored, then three nodes that are upgraded to a version to come, then three
# that share a ledger on ClickHouse, which is killed too.
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

# suite NAME TESTS PACKAGES... runs the tests of packages, one after another, on a broker of its own.
suite() {
  broker=$temp/$1
  say "$1: starting a broker"
  PLATEN_TEST_KAFKA=$("$here/run.sh" start "$broker")
  export PLATEN_TEST_KAFKA
  say "$1: testing"
  "${GO:-go}" test -tags "${TAGS:-integration}" -count=1 -v -timeout 15m -p 1 -run "$2" "${@:3}"
  "$here/run.sh" stop "$broker"
}

suite log '^TestBroker' ./events/eventlog/kafka ./events/bus
suite cluster '^TestBrokerFailover$' ./cmd/platen
suite history '^TestBrokerNewNode$' ./cmd/platen
suite restore '^TestBrokerPastOffsets$' ./cmd/platen/backup
say "backup: building versitygw"
(cd "$here/../s3" && "${GO:-go}" build -o "$temp/versitygw" github.com/versity/versitygw/cmd/versitygw)
export PLATEN_TEST_VERSITYGW=$temp/versitygw
suite backup '^TestBrokerBackup$' ./cmd/platen
TAGS=integration,nextversion suite upgrade '^TestBrokerUpgrade$' ./cmd/platen
suite ledger '^TestLedgerOnClickHouse$' ./cmd/platen
