#!/usr/bin/env bash
# Runs the tests that `make test` leaves out because they take long or play with processes (testkit.Long), package by package.
set -euo pipefail
cd "$(dirname "$0")/.."

for package in $(grep -rl --include='*_test.go' 'testkit\.Long(t)' . | xargs -n1 dirname | sort -u); do
  tests=$(grep -h -B1 'testkit\.Long(t)' "$package"/*_test.go | sed -nE 's/^func (Test\w+)\(t \*testing\.T\) \{$/\1/p' | sort | paste -sd '|')
  printf 'long tests of %s: %s\n' "$package" "$(tr '|' '\n' <<<"$tests" | wc -l)"
  LONG=1 "${GO:-go}" test -vet=off -count=1 -timeout 25m -run "^($tests)\$" "$package"
done
