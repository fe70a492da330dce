#!/bin/sh
# Installs Platen's package in the root of an image; build.sh has mmdebstrap run it.
#
#   deploy/image/install.sh ROOT DEB USER
set -eu
root=$1 deb=$2 user=$3

cp "$deb" "$root/tmp/platen.deb"
echo "u platen $user \"Platen\" /var/lib/platen" | chroot "$root" systemd-sysusers -
chroot "$root" dpkg --install /tmp/platen.deb > /dev/null
rm "$root/tmp/platen.deb"
sed -i '0,/^listen = .*/s//listen = "0.0.0.0:8080"/' "$root/etc/platen/platen.toml"

# usr-is-merged is there in place of usrmerge, which needs Perl; what nothing depends on any more goes with it.
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
apt-mark auto '~i' > /dev/null
apt-mark manual platen usr-is-merged > /dev/null
apt-get --yes --quiet=2 purge --autoremove usrmerge -o DPkg::Chroot-Directory="$root" -o DPkg::Use-Pty=0 \
  -o APT::AutoRemove::SuggestsImportant=false -o APT::AutoRemove::RecommendsImportant=false > /dev/null
unset APT_CONFIG

# Fonts are listed once here rather than at each start: the lists are believed if the directories are as old as they say.
find "$root/usr/share/fonts" "$root/usr/local/share/fonts" -type d -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
chroot "$root" env -u SOURCE_DATE_EPOCH fc-cache --system-only --force

# What differs from one machine to another, and logs.
rm -rf "$root/etc/hostname" "$root/etc/resolv.conf" "$root/var/log"/* "$root/var/cache/debconf"/*-old
