#!/usr/bin/env bash
# Checks and tests the rules and the queries of the board with promtool, and has a Prometheus watch a node. Both
# come from Debian's package, which is unpacked and not installed: it would run a service.
# `make integration` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-prometheus.XXXXXX")
trap 'rm -rf "$temp"' EXIT

tools=$(dirname "$(command -v promtool || true)")
if [ "$tools" = . ]; then
  echo "integration: Prometheus: unpacking Debian's package"
  chmod 755 "$temp" # apt downloads as a user of its own
  (cd "$temp" && apt-get -qq -o APT::Sandbox::User=root download prometheus) ||
    (apt-get -qq update && cd "$temp" && apt-get -qq -o APT::Sandbox::User=root download prometheus)
  dpkg -x "$temp"/prometheus_*.deb "$temp/root"
  tools=$temp/root/usr/bin
fi
cd "$here/../.."
echo "integration: Prometheus: the rules, the board, and a node that is watched"
PLATEN_TEST_PROMETHEUS=$tools "${GO:-go}" test -tags integration -count=1 -v -timeout 10m -run '^TestPrometheus' ./cmd/platen
