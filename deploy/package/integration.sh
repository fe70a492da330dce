#!/usr/bin/env bash
# Builds the package for this machine's architecture and tests it on a host of its own. Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "$(id -u)" -ne 0 ]; then
  echo "package: skipped: only root can boot a host"
  exit 0
fi
began=$SECONDS
deb=$(deploy/package/build.sh "$(dpkg --print-architecture)" 2> /dev/null)
lintian --allow-root --fail-on error,warning "$deb"
echo "package: $deb built after $((SECONDS - began)) s"
PLATEN_TEST_ROOT=$(deploy/package/root.sh) && export PLATEN_TEST_ROOT
echo "package: a root made after $((SECONDS - began)) s"
PLATEN_TEST_DEB=$PWD/$deb ${GO:-go} test -tags integration -count=1 -v -timeout 10m ./deploy/package
