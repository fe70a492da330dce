#!/usr/bin/env bash
# Runs the tests of `make test`: the walk of the contract beside all others.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}

# room DIR reports whether a directory in memory can hold the files of tests, and run programs.
room() {
  [[ -x $1/run ]] && "$1/run" 2> /dev/null &&
    (($(df --output=avail -BG "$1" | tail -1 | tr -dc '0-9') >= 8 && $(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo) >= 12))
}

# Tests make thousands of small files, which costs a tenth of the processor's time on a disk, and none in memory.
temporary=$(mktemp -d)
if memory=$(mktemp -d /dev/shm/platen-test.XXXXXX 2> /dev/null); then
  printf '#!/bin/sh\n' > "$memory/run" && chmod +x "$memory/run"
  if room "$memory"; then
    rmdir "$temporary" && temporary=$memory
  else
    rm -rf "$memory"
  fi
fi
trap 'rm -rf "$temporary"' EXIT
chmod 755 "$temporary" # some browsers run as another user
export TMPDIR=$temporary

echo "walking the contract (docs/CONTRACT.md), and running every other test, among them 500 schedules of the simulator"
walk=$temporary/contract.log
"$go" test -vet=off -count=1 -v -timeout 15m -run '^TestContract$' ./cmd/platen/conformance > "$walk" 2>&1 &
walker=$!
status=0
# one package more at once than there are cores: many tests wait for nodes and browsers
"$go" test -vet=off -p $(($(nproc) + 1)) -timeout 20m -skip '^TestContract$' ./... || status=$?
if wait "$walker"; then
  grep '^contract: ' "$walk"
else
  grep -v '^ *--- PASS\|^=== ' "$walk"
  status=1
fi
exit "$status"
