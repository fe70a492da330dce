#!/usr/bin/env bash
# Builds an OCI image of the package: a root that mmdebstrap makes from this machine's own sources of packages, without
# systemd, and nothing that is pulled from a registry. Needs no root's rights. It prints the image's name.
#
#   deploy/image/build.sh DEB       the package, as `make package` builds it
set -euo pipefail
deb=$(realpath "$1")
cd "$(dirname "$0")/../.."

. /etc/os-release
depends=$(dpkg-deb -f "$deb" Depends | tr -d ' ' | tr ',' '\n' | sed 's/^systemd|//' | paste -sd, -)
version=$(dpkg-deb -f "$deb" Version)
name=localhost/platen:${version//[^A-Za-z0-9_.-]/-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The browser's and the fonts' documentation, translations and lists of packages are of no use in an image.
{ cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null || true; } | # either may be missing
  mmdebstrap --quiet --variant=apt --include="$depends" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="copy-in $deb /tmp" \
    --customize-hook='chroot "$1" sh -c "dpkg -i /tmp/*.deb && rm /tmp/*.deb"' \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*' \
    "$VERSION_CODENAME" "$work/root.tar" - >&2

container=$(buildah from scratch)
buildah add --quiet "$container" "$work/root.tar" / >&2
buildah config \
  --user platen --volume /var/lib/platen --port 8080 --workingdir /var/lib/platen \
  --env XDG_CACHE_HOME=/var/cache/platen \
  --entrypoint '["/usr/bin/platen"]' --cmd 'serve --config /etc/platen/platen.toml --listen 0.0.0.0:8080' \
  --healthcheck 'CMD /usr/bin/platen ready' --healthcheck-interval 10s --healthcheck-timeout 6s --healthcheck-start-period 60s \
  --stop-signal SIGTERM --label org.opencontainers.image.version="$version" "$container"
buildah commit --quiet --format docker --rm "$container" "$name" >&2
echo "$name"
