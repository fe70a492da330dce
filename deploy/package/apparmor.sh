#!/usr/bin/env bash
# Has an AppArmor parser that knows the profile's abi read the profile: that of the Debian release after 12, whose own does
# not. It is skipped where this machine's mirror of Debian has no such release.
set -euo pipefail
cd "$(dirname "$0")/../.."

release=trixie
root=.cache/package/apparmor-$release
if [ ! -e "$root/usr/sbin/apparmor_parser" ]; then
  fresh=$(mktemp -d -p "$(mkdir -p .cache/package && echo .cache/package)")
  trap 'rm -rf "$fresh"' EXIT
  . /etc/os-release
  if ! { cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2> /dev/null || true; } | sed "s/\b$VERSION_CODENAME\b/$release/g" |
    mmdebstrap --quiet --mode=root --format=directory --variant=extract --include=apparmor,libc6 \
      --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr "$release" "$fresh/root" - > "$fresh/log" 2>&1; then
    echo "package: the AppArmor profile is not read: skipped: no parser of $release: $(tail -n 1 "$fresh/log")"
    exit 0
  fi
  mv "$fresh/root" "$root"
fi

# read_profile has the parser read a profile from its input, and load nothing.
read_profile() { chroot "$root" apparmor_parser --skip-kernel-load --skip-cache --quiet; }

read_profile < deploy/package/apparmor.profile
if sed 's/userns,/no_such_rule,/' deploy/package/apparmor.profile | read_profile 2> /dev/null; then
  echo "package: the parser reads anything" >&2
  exit 1
fi
echo "package: the AppArmor profile is read by $(chroot "$root" apparmor_parser --version | head -n 1)"
