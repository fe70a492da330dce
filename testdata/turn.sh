#!/usr/bin/env bash
# turn.sh N COMMAND... runs a command, unless PLATEN_TEST_SHARE names another share than N, as in testkit.InShare: then it is left to the
# commits whose turn it is, which is said.
set -euo pipefail
turn=$1 share=${PLATEN_TEST_SHARE:-$1/}
shift
if [[ ${share%%/*} != "$turn" ]]; then
  echo "integration: $* is left to commits whose share is $turn"
  exit 0
fi
exec "$@"
