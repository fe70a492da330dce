#!/usr/bin/env bash
# Makes .cache/NAME/…/root, a Debian of this machine's release with systemd for a test to boot, from this machine's own sources of
# packages, and prints the path of the directory that it is in. It is made once for a name, a list of packages and options.
#
#   deploy/hosttest/debian.sh NAME "PACKAGE…" [OPTION…]     options are those of mmdebstrap; its hooks may use "$1/.."
#   deploy/hosttest/debian.sh depends                       prints what the package of Platen depends on
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ "$1" = depends ]; then
  sed -n '/^depends:/,/^[a-z]*:$/s/^  - \([a-z0-9-]*\).*/\1/p' deploy/package/nfpm.yaml | sort -u | tr '\n' ' '
  exit 0
fi
. /etc/os-release
name=$1
include=$(echo systemd-sysv dbus $2 | tr ' ' ,)
shift 2
made=.cache/$name/$VERSION_CODENAME-$(echo "$include $*" | sha256sum | cut -c1-12)

if [ ! -e "$made" ]; then
  mkdir -p ".cache/$name"
  fresh=$(mktemp -d -p ".cache/$name")
  trap 'rm -rf "$fresh"' EXIT
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2> /dev/null || true; } | # either may be missing
    mmdebstrap --quiet --mode=root --format=directory --variant=minbase --include="$include" "$@" "$VERSION_CODENAME" "$fresh/root" - >&2
  mv "$fresh" "$made"
fi
echo "$PWD/$made"
