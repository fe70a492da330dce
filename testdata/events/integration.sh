#!/usr/bin/env bash
# Has other people's consumers read the public events from a real Kafka broker: the samples of
# docs/consumers, Kafka's console consumer, the CloudEvents SDKs for Go and Python, and confluent-kafka.
# Compares a quota window's fingerprint that docs/consumers/fingerprint.py computes with the node's.
# Checks the AsyncAPI document with the AsyncAPI initiative's parser. All versions are pinned in sdk, so
# that they stay out of Platen's own go.mod. Needs java (17 or newer), mvn, node, npm and python3 with
# venv, the Go module proxy, PyPI, Maven Central and the npm registry. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-events.XXXXXX")

for program in java mvn node npm python3; do
  command -v "$program" >/dev/null || {
    echo "integration: $program is missing: run deploy/install-deps.sh --integration" >&2
    exit 1
  }
done

finish() {
  local status=$?
  "$here/../kafka/run.sh" kill "$temp/broker" 2>/dev/null || true
  rm -rf "$temp"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

echo "integration: events: building the samples and the consumers of others"
"${GO:-go}" build -o "$temp/usage" "$root/docs/consumers/usage.go"
(cd "$here/sdk/go" && "${GO:-go}" build -o "$temp/sdk" .)
python3 -m venv "$temp/venv"
"$temp/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$here/sdk/python/requirements.txt"
cp -r "$here/sdk/npm" "$temp/npm"
(cd "$temp/npm" && npm ci --silent --ignore-scripts --no-audit --no-fund)

echo "integration: events: starting a broker"
PLATEN_TEST_KAFKA=$("$here/../kafka/run.sh" start "$temp/broker")
export PLATEN_TEST_KAFKA
jars=$("$here/../kafka/run.sh" jars)

echo "integration: events: do other people's consumers read what the node publishes?"
cd "$root"
# The test hands each command line to a shell.
PLATEN_TEST_CONSUMER_GO="'$temp/usage'" \
  PLATEN_TEST_CONSUMER_PYTHON="'$temp/venv/bin/python' '$root/docs/consumers/usage.py'" \
  PLATEN_TEST_SDK_GO="'$temp/sdk'" \
  PLATEN_TEST_SDK_PYTHON="'$temp/venv/bin/python' '$here/sdk/python/sdk.py'" \
  PLATEN_TEST_CONFLUENT="'$temp/venv/bin/python' '$here/sdk/python/confluent.py'" \
  PLATEN_TEST_CONSOLE="java -cp '$jars/*' org.apache.kafka.tools.consumer.ConsoleConsumer --topic platen.events --from-beginning --timeout-ms 30000 \
    --formatter-property print.headers=true --formatter-property print.key=true --bootstrap-server" \
  PLATEN_TEST_ASYNCAPI="node '$temp/npm/asyncapi.mjs'" \
  "${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^(TestEventsOnBroker|TestAsyncAPIDocument)$' ./cmd/platen
