#!/usr/bin/env bash
# Makes .cache/package/root, a Debian of this machine's release with systemd and what the package depends on, from this machine's own
# sources of packages, and prints its path. It is made once for a list of packages.
set -euo pipefail
cd "$(dirname "$0")/../.."

. /etc/os-release
depends=$(sed -n '/^depends:/,/^[a-z]*:$/s/^  - \([a-z0-9-]*\).*/\1/p' deploy/package/nfpm.yaml | sort -u)
include=$(echo systemd-sysv dbus $depends | tr ' ' ,)
root=.cache/package/root-$VERSION_CODENAME-$(echo "$include" | sha256sum | cut -c1-12)

if [ ! -e "$root/etc/os-release" ]; then
  fresh=$(mktemp -d -p "$(mkdir -p .cache/package && echo .cache/package)")
  trap 'rm -rf "$fresh"' EXIT
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null || true; } | # either may be missing
    mmdebstrap --quiet --mode=root --format=directory --variant=minbase --include="$include" "$VERSION_CODENAME" "$fresh/root" - >&2
  mv "$fresh/root" "$root"
fi
echo "$PWD/$root"
