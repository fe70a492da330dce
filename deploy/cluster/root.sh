#!/usr/bin/env bash
# Makes, for the test of the playbooks, a directory with root, a bare Debian as an installer leaves it (systemd, an SSH server, Python),
# and with packages, a repository of the packages that the playbooks install. Prints its path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

depends=$(../hosttest/debian.sh depends)
roles=$(sed -n 's/^[a-z]*_packages: \[\(.*\)\]/\1/p' roles/*/defaults/main.yml | tr ',\n' '  ')

# Three hosts would spend most of their time on decompression.
repository='set -e
  mkdir "$1/../packages"
  cd "$1/../packages"
  for deb in "$1"/var/cache/apt/archives/*.deb; do
    dpkg-deb --ctrl-tarfile "$deb" > control.tar
    dpkg-deb --fsys-tarfile "$deb" > data.tar
    echo 2.0 > debian-binary
    ar rc "${deb##*/}" debian-binary control.tar data.tar
    rm "$deb"
  done
  rm debian-binary control.tar data.tar
  dpkg-scanpackages --multiversion . 2> /dev/null > Packages'

# 198.18.92.1 is where the test serves the repository.
../hosttest/debian.sh cluster 'iproute2 openssh-server python3 python3-apt' \
  --customize-hook='chroot "$1" apt-get --quiet --yes --download-only --no-install-recommends install '"$depends $roles"' > /dev/null' \
  --customize-hook="$repository" \
  --customize-hook='echo PermitRootLogin prohibit-password > "$1/etc/ssh/sshd_config.d/root.conf"; mkdir -p -m 700 "$1/root/.ssh"; touch "$1/root/.ssh/authorized_keys"' \
  --customize-hook='rm -f "$1"/etc/apt/sources.list.d/* "$1/etc/hostname"; echo "deb [trusted=yes] http://198.18.92.1 ./" > "$1/etc/apt/sources.list"' \
  --customize-hook='printf "127.0.0.1 localhost\n::1 localhost\n" > "$1/etc/hosts"; echo force-unsafe-io > "$1/etc/dpkg/dpkg.cfg.d/fast"'
