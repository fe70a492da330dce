#!/usr/bin/env bash
# Builds the container image, and runs it as deploy/README.md says, by podman without root's rights. Needs root, to make
# such a user.
set -euo pipefail
cd "$(dirname "$0")/../.."

began=$SECONDS
work=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
CGO_ENABLED=0 ${GO:-go} build -o "$work/platen" ./cmd/platen
if ! why=$(deploy/image/can-run.sh "$work/platen"); then
  echo "image: neither built nor tried: skipped: $why"
  exit 0
fi
deploy/image/build.sh "$work/image.tar" > /dev/null
echo "image: built after $((SECONDS - began)) s, $(($(stat --format=%s "$work/image.tar") / 1000000)) MB"
${GO:-go} test -tags integration -c -o "$work/tests" ./deploy/image
PLATEN_TEST_FLAGS=$(sed -n 's/^ *\(--read-only .*\) localhost.*/\1/p' deploy/README.md) \
  deploy/image/rootless.sh "$work" "$work/tests" -test.v -test.timeout 5m < "$work/image.tar"
echo "image: tried after $((SECONDS - began)) s"
