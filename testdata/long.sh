#!/usr/bin/env bash
# Runs the tests that `make test` leaves out because they take long or play with processes (testkit.Long), package by package.
# PLATEN_TEST_SHARE=1/4 names one of four shares of them, as in testkit.InShare.
set -euo pipefail
cd "$(dirname "$0")/.."

IFS=/ read -r share of <<<"${PLATEN_TEST_SHARE:-0/1}"
n=0
for package in $(grep -rl --include='*_test.go' 'testkit\.Long(t)' . | xargs -n1 dirname | sort -u); do
  all=$(grep -h -B1 'testkit\.Long(t)' "$package"/*_test.go | sed -nE 's/^func (Test\w+)\(t \*testing\.T\) \{$/\1/p' | sort)
  tests=$(awk -v n="$n" -v of="$of" -v share="$share" '(n + NR - 1) % of == share' <<<"$all" | paste -sd '|')
  n=$((n + $(wc -l <<<"$all")))
  [[ $tests ]] || continue
  printf 'long tests of %s: %s\n' "$package" "$(tr '|' '\n' <<<"$tests" | wc -l)"
  LONG=1 "${GO:-go}" test -vet=off -count=1 -timeout 25m -run "^($tests)\$" "$package"
done
