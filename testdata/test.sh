#!/usr/bin/env bash
# Runs the tests of `make test`: the walk of the contract beside all others.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}

# free prints how many GiB of memory this process may still take, by its host and its container.
free() {
  local gib limit
  gib=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2> /dev/null || true)
  if [[ $limit =~ ^[0-9]+$ ]] && ((limit >> 30 < gib)); then gib=$((limit >> 30)); fi
  echo "$gib"
}

# fits DIR reports whether a directory in memory has room for the files of tests, and runs programs.
fits() {
  printf '#!/bin/sh\n' > "$1/run" && chmod +x "$1/run" && "$1/run" 2> /dev/null &&
    (($(df --output=avail -BG "$1" | tail -1 | tr -dc '0-9') >= 8 && $(free) >= 12))
}

# Tests make thousands of small files, which costs a tenth of the processor's time on a disk, and none in memory. The directory's name stays the same, as
# Go remembers results by it; a second run at the same time, and a host without room, take one on the disk.
temporary=/dev/shm/platen-test-$(id -u)-$(cksum <<< "$PWD" | cut -d ' ' -f 1)
if ! { exec 9> "$temporary.lock" && flock -n 9 && rm -rf "$temporary" && mkdir "$temporary" && fits "$temporary"; } 2> /dev/null; then
  temporary=$(mktemp -d)
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
