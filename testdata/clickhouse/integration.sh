#!/usr/bin/env bash
# Runs the tests of the ledger's ClickHouse back end twice: on Debian's server, the oldest that the
# ledger is made for, and on the current engine, which PyPI has as a library (engine.py serves it).
# Then, on Debian's server again, those of several replicas with a ZooKeeper, which are killed between
# the rows of a batch and its marker; the current engine has no replicas. The tests start all of them,
# on loopback with their files in a directory of their own, and kill them. Needs python3 with venv, and
# PyPI; mvn, and Java 17 or newer. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

if ! PATH=$PATH:/usr/sbin command -v clickhouse-server >/dev/null && ! command -v clickhouse >/dev/null; then
  echo "integration: ClickHouse is missing: run deploy/install-deps.sh --integration" >&2
  exit 1
fi
for tool in java mvn; do
  command -v "$tool" >/dev/null || { echo "integration: $tool is missing: run deploy/install-deps.sh --integration" >&2; exit 1; }
done

temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-clickhouse.XXXXXX")
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM

suite() {
  "${GO:-go}" test -tags integration -count=1 -v -timeout 15m -run '^TestServer' ./ledger/clickhouse
}

# tally prints how many statements the current engine has performed, by their first words, and the
# codes of those that it refused.
tally() {
  awk -F'\t' '
    { all++; statements[$2]++; rows[$2] += $3; engine = $1 }
    $4 { refused[$4]++ }
    END {
      if (!all) { print "integration: the current engine was asked nothing"; exit 1 }
      printf "integration: ClickHouse %s: %d statements:", engine, all
      for (word in statements) printf " %s %d (%d rows)", word, statements[word], rows[word]
      for (code in refused) printf ", refused with code %s: %d", code, refused[code]
      print ""
    }' "$1"
}

echo "integration: ClickHouse: the ledger's contract on a server, killed and started again"
suite

echo "integration: ClickHouse: replicas, killed between rows and marker and at any other moment"
PLATEN_TEST_ZOOKEEPER=$("$here/zookeeper.sh")
export PLATEN_TEST_ZOOKEEPER
"${GO:-go}" test -tags integration -count=1 -v -timeout 20m -p 1 -run '^TestReplicas' ./ledger/clickhouse ./ledger/reconcile | grep -v '^ *model.go'

echo "integration: ClickHouse: fetching the current engine"
python3 -m venv "$temp/venv"
# Without what chDB needs only for data frames.
"$temp/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$here/requirements.txt"

echo "integration: ClickHouse: the same on the current engine"
touch "$temp/tally"
PLATEN_TEST_CLICKHOUSE="$temp/venv/bin/python $here/engine.py" PLATEN_TEST_CLICKHOUSE_TALLY=$temp/tally suite
tally "$temp/tally"
