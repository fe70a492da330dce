#!/usr/bin/env bash
# Runs a command as a user who is there for it only, and who may run rootless containers: with subordinate ids, a home in
# DIRECTORY, and processes, mounts and a network of its own, in which this machine is 198.18.92.1. Needs root. Whatever the
# command leaves behind ends with it, except files in DIRECTORY.
#
#   deploy/image/rootless.sh DIRECTORY COMMAND...
set -euo pipefail

if [ "${PLATEN_ROOTLESS-}" != inside ]; then
  PLATEN_ROOTLESS=inside exec unshare --mount --net --pid --fork --kill-child --mount-proc "$0" "$@"
fi
home=$(realpath "$1")
shift
name=platen-test id=42000 subordinate=4200000:65536

# Files of the system are covered by copies that know the user.
cover() {
  cat "/etc/$1" - > "$home/etc/$1"
  mount --bind "$home/etc/$1" "/etc/$1"
}
mkdir -p "$home/etc" "$home/run"
touch /etc/subuid /etc/subgid
echo "$name:x:$id:$id::$home:/bin/sh" | cover passwd
echo "$name:x:$id:" | cover group
echo "$name:$subordinate" | cover subuid
echo "$name:$subordinate" | cover subgid

mount -t tmpfs -o mode=700,uid=$id,gid=$id tmpfs "$home/run"
mount -t cgroup2 cgroup2 /sys/fs/cgroup # whatever the machine's own version is
rm -f "$home/etc/tun"
mknod -m 666 "$home/etc/tun" c 10 200 # as udev makes it, for the network of containers
mount --bind "$home/etc/tun" /dev/net/tun
mount --make-rshared /
ip link set lo up
ip address add 198.18.92.1/32 dev lo

chown $id:$id "$home"
cd "$home"
exec setpriv --reuid=$id --regid=$id --clear-groups --inh-caps=-all \
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" TMPDIR="$home" XDG_RUNTIME_DIR="$home/run" STORAGE_DRIVER=overlay \
  PLATEN_TEST_FLAGS="${PLATEN_TEST_FLAGS-}" "$@"
