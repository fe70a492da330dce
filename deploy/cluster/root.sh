#!/usr/bin/env bash
# Makes, for the test of the playbooks, .cache/cluster/root, a bare Debian of this machine's release as an installer leaves it: systemd,
# an SSH server, Python; and .cache/cluster/packages, a repository with the packages that the playbooks install, from this
# machine's own sources of packages. Prints the path of both. They are made once for a list of packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. /etc/os-release
bare=systemd-sysv,dbus,iproute2,openssh-server,python3,python3-apt
depends=$(sed -n '/^depends:/,/^[a-z]*:$/s/^  - \([a-z0-9-]*\).*/\1/p' deploy/package/nfpm.yaml)
roles=$(sed -n 's/^[a-z]*_packages: \[\(.*\)\]/\1/p' deploy/cluster/roles/*/defaults/main.yml | tr ',' ' ')
install=$(echo $depends $roles | tr ' ' '\n' | sort -u | tr '\n' ' ')
made=.cache/cluster/$VERSION_CODENAME-$(echo "$bare $install" | sha256sum | cut -c1-12)

if [ ! -e "$made" ]; then
  mkdir -p .cache/cluster
  fresh=$(mktemp -d -p .cache/cluster)
  trap 'rm -rf "$fresh"' EXIT
  mkdir "$fresh/packages"
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2> /dev/null || true; } | # either may be missing
    mmdebstrap --quiet --mode=root --format=directory --variant=minbase --include="$bare" \
      --customize-hook="chroot \"\$1\" apt-get --quiet --yes --download-only --no-install-recommends install $install > /dev/null" \
      --customize-hook="mv \"\$1\"/var/cache/apt/archives/*.deb '$PWD/$fresh/packages/'" \
      --customize-hook='echo PermitRootLogin prohibit-password > "$1/etc/ssh/sshd_config.d/root.conf"; mkdir -p -m 700 "$1/root/.ssh"; touch "$1/root/.ssh/authorized_keys"' \
      "$VERSION_CODENAME" "$fresh/root" - >&2
  rm -f "$fresh"/root/etc/apt/sources.list.d/* "$fresh/root/etc/hostname"
  printf '127.0.0.1 localhost\n::1 localhost\n' > "$fresh/root/etc/hosts"
  echo "deb [trusted=yes] http://198.18.92.1 ./" > "$fresh/root/etc/apt/sources.list" # where the test serves them
  (cd "$fresh/packages" && dpkg-scanpackages --multiversion . 2> /dev/null > Packages && echo force-unsafe-io > ../root/etc/dpkg/dpkg.cfg.d/fast)
  mv "$fresh" "$made"
fi
echo "$PWD/$made"
