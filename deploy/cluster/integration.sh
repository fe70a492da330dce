#!/usr/bin/env bash
# Tests the playbooks on three bare hosts, which it boots. `make hosts` calls it. Needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

began=$SECONDS
if [ "$(id -u)" -ne 0 ]; then
  echo "hosts: skipped: only root can boot hosts"
  exit 0
fi
collected=$(deploy/cluster/fetch.sh)
echo "hosts: what the playbooks install collected after $((SECONDS - began)) s"
PLATEN_TEST_HOSTS=$(deploy/cluster/root.sh) && export PLATEN_TEST_HOSTS
if ! why=$(deploy/hosttest/can-boot.sh "$PLATEN_TEST_HOSTS/root"); then
  echo "hosts: skipped: $why"
  exit 0
fi
echo "hosts: a root and a repository made after $((SECONDS - began)) s"
tests=$(mktemp)
trap 'rm -f "$tests"' EXIT
"${GO:-go}" test -tags integration -c -o "$tests" ./deploy/cluster
cd deploy/cluster
PLATEN_TEST_DEB=$collected/platen.deb unshare --net --pid --fork --kill-child --mount-proc "$tests" -test.v -test.timeout 30m "$@"
