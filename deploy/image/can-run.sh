#!/usr/bin/env bash
# Says, by its status, whether this machine can run a rootless container, and prints why not.
#
#   deploy/image/can-run.sh PLATEN      a program that needs no library
set -euo pipefail

if [ "$(id -u)" -ne 0 ]; then
  echo "only root can make a user for it"
  exit 1
fi
work=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
install -D "$1" "$work/root/platen"
chmod 777 "$work/root" # podman makes files in it
if ! said=$("$(dirname "$0")/rootless.sh" "$work" podman --log-level=error run --rm --publish=127.0.0.1:8080:8080 --rootfs "$work/root" /platen help 2>&1); then
  echo "this machine cannot run a rootless container: ${said//$'\n'/; }"
  exit 1
fi
