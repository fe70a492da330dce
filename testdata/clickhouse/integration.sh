#!/usr/bin/env bash
# Runs the tests of the ledger's ClickHouse back end on a real server. The tests start it themselves,
# on loopback with its files in a directory of their own, and kill it. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

if ! PATH=$PATH:/usr/sbin command -v clickhouse-server >/dev/null && ! command -v clickhouse >/dev/null; then
  echo "integration: ClickHouse is missing: run deploy/install-deps.sh --integration" >&2
  exit 1
fi

echo "integration: ClickHouse: the ledger's contract on a server, killed and started again"
"${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^TestServer' ./ledger/clickhouse
