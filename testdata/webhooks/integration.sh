#!/usr/bin/env bash
# Asks receivers of webhooks whether they accept what Platen signs, and nothing else: the samples of
# docs/WEBHOOKS.md, and the published libraries of Standard Webhooks. Their versions are pinned in
# published, so that they stay out of Platen's own go.mod. Needs php, node, npm, java (17 or newer)
# and python3 with venv, the Go module proxy, PyPI and the npm registry. `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-webhooks.XXXXXX")
trap 'rm -rf "$temp"' EXIT

for program in php node npm java python3; do
  command -v "$program" >/dev/null || {
    echo "integration: $program is missing: run deploy/install-deps.sh --integration" >&2
    exit 1
  }
done

echo "integration: webhooks: building the samples and the published libraries' receivers"
"${GO:-go}" build -o "$temp/sample" "$here/verify.go"
(cd "$here/published/go" && "${GO:-go}" build -o "$temp/published" .)
python3 -m venv "$temp/venv"
"$temp/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$here/published/python/requirements.txt"
cp -r "$here/published/npm" "$temp/npm"
(cd "$temp/npm" && npm ci --silent --ignore-scripts --no-audit --no-fund)

echo "integration: webhooks: do receivers in five languages accept the signatures?"
cd "$here/../.."
# The test hands each command line to a shell.
PLATEN_TEST_SAMPLE_GO="'$temp/sample'" \
  PLATEN_TEST_SAMPLE_PYTHON="python3 '$here/verify.py'" \
  PLATEN_TEST_SAMPLE_JAVASCRIPT="node '$here/verify.mjs'" \
  PLATEN_TEST_SAMPLE_PHP="php '$here/verify.php'" \
  PLATEN_TEST_SAMPLE_JAVA="java '$here/Verify.java'" \
  PLATEN_TEST_PUBLISHED_GO="'$temp/published'" \
  PLATEN_TEST_PUBLISHED_PYTHON="'$temp/venv/bin/python' '$here/published/python/verify.py'" \
  PLATEN_TEST_PUBLISHED_NPM="node '$temp/npm/verify.mjs'" \
  "${GO:-go}" test -tags integration -count=1 -v -timeout 5m -run '^TestReceivers$' ./actors/webhook
