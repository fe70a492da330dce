#!/usr/bin/env bash
# Builds the package for this machine's architecture and tests it on a host of its own. Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."

began=$SECONDS
deb=$(deploy/package/build.sh "$(dpkg --print-architecture)" 2> /dev/null)
lintian --allow-root --fail-on error,warning "$deb"
echo "package: $deb built after $((SECONDS - began)) s"
if [ "$(id -u)" -ne 0 ]; then
  echo "package: skipped: only root can boot a host"
  exit 0
fi
deploy/package/apparmor.sh
PLATEN_TEST_ROOT=$(deploy/package/root.sh) && export PLATEN_TEST_ROOT
echo "package: a root made after $((SECONDS - began)) s"
if ! why=$(deploy/hosttest/can-boot.sh "$PLATEN_TEST_ROOT"); then
  echo "package: built and not tried: skipped: $why"
  exit 0
fi
tests=$(mktemp)
trap 'rm -f "$tests"' EXIT
${GO:-go} test -tags integration -c -o "$tests" ./deploy/package
cd deploy/package
PLATEN_TEST_DEB=$PWD/../../$deb unshare --net --pid --fork --kill-child --mount-proc "$tests" -test.v -test.timeout 10m
