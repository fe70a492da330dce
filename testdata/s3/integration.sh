#!/usr/bin/env bash
# Runs the tests of the S3 back end on a real server: versitygw, which serves a directory. It is
# built from Go modules, of which go.mod here has the list, so that they stay out of Platen's own.
# `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-s3.XXXXXX")
trap 'rm -rf "$temp"' EXIT

echo "integration: S3: building versitygw"
(cd "$here" && CGO_ENABLED=0 "${GO:-go}" build -o "$temp/versitygw" github.com/versity/versitygw/cmd/versitygw)
echo "integration: S3: the store on versitygw, over TLS"
cd "$here/../.."
PLATEN_TEST_VERSITYGW=$temp/versitygw "${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^TestGateway' ./store
echo "integration: S3: files delivered to versitygw by presigned URLs"
PLATEN_TEST_VERSITYGW=$temp/versitygw "${GO:-go}" test -tags integration -count=1 -v -timeout 5m -run '^TestPresigned$' ./cmd/platen
