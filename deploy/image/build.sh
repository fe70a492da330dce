#!/usr/bin/env bash
# Builds dist/platen-image_VERSION_ARCH.tar, a container image for `podman load` and `docker load`, for this machine's architecture: the
# root is made of Debian packages and of Platen's, from this machine's own sources of packages; no other image is pulled. The
# same commit and the same packages make the same bytes. Needs either root or subordinate ids (uidmap), which must be able to read the checkout.
#
#   deploy/image/build.sh [FILE]      writes FILE instead
set -euo pipefail
cd "$(dirname "$0")/../.."

arch=$(dpkg --print-architecture)
deb=$(deploy/package/build.sh "$arch")
version=$(dpkg-deb --field "$deb" Version)
depends=$(dpkg-deb --field "$deb" Depends | tr -d ' ' | tr ',' '\n' | sed 's/^systemd|//' | paste -sd,)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
user=10001 # in every version, so that a volume stays the user's; a number, so that Kubernetes knows that it is not root
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_root makes the root file system, without what nobody reads in a container, and without the drivers of graphics cards.
make_root() {
  local nobody_reads=('/usr/share/'{doc,info,locale,man}'/*' '/usr/lib/*-linux-gnu/'{dri/,libLLVM,libz3}'*' '/usr/lib/chromium/libVkLayer_*')
  . /etc/os-release
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2> /dev/null || true; } | # either may be missing
    mmdebstrap --quiet --variant=essential --include="usr-is-merged,$depends" --skip=output/dev \
      "${nobody_reads[@]/#/--dpkgopt=path-exclude=}" --dpkgopt='path-include=/usr/share/doc/*/copyright' \
      --customize-hook="deploy/image/install.sh \"\$1\" '$deb' $user" \
      "$VERSION_CODENAME" "$work/layer.tar" - >&2
}

# describe writes the image's configuration and the list of what the archive holds.
describe() {
  local layer config
  layer=$(sha256sum < "$work/layer.tar" | cut -d' ' -f1)
  sed -e "s|@ARCH@|$arch|; s|@VERSION@|$version|; s|@USER@|$user|g; s|@LAYER@|$layer|" \
    -e "s|@CREATED@|$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)|" deploy/image/config.json > "$work/config.json"
  config=$(sha256sum < "$work/config.json" | cut -d' ' -f1).json
  mv "$work/config.json" "$work/$config"
  echo "[{\"Config\":\"$config\",\"RepoTags\":[\"localhost/platen:${version/+/-}\"],\"Layers\":[\"layer.tar\"]}]" > "$work/manifest.json"
}

make_root
describe
image=${1:-dist/platen-image_${version}_$arch.tar}
tar --create --file="$image" --directory="$work" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" \
  --owner=0 --group=0 --numeric-owner --mode=0644 --transform='s|^\./||' $(cd "$work" && ls)
echo "$image"
