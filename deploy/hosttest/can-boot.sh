#!/usr/bin/env bash
# Says, by its status, whether this machine can boot a host from a directory, and prints why not.
set -euo pipefail

if [ "$(id -u)" -ne 0 ]; then
  echo "only root can boot a host"
  exit 1
fi
if ! said=$(SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 unshare --net --pid --fork --kill-child --mount-proc \
  systemd-nspawn --quiet --directory="$1" --volatile=overlay --register=no --keep-unit --private-network /bin/true 2>&1); then
  echo "this machine cannot boot a host: ${said//$'\n'/; }"
  exit 1
fi
