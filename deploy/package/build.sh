#!/usr/bin/env bash
# Builds dist/platen_VERSION_ARCH.deb for each architecture that it is given, amd64 and arm64 if none. The same commit
# makes the same bytes. VERSION may be set; by itself it is 0.COMMITS+gCOMMIT, which grows with every commit, or 0 outside a
# repository.
set -euo pipefail
cd "$(dirname "$0")/../.."

nfpm_version=v2.43.4 # later ones need a module that cannot be fetched everywhere
nfpm=$PWD/.cache/nfpm/$nfpm_version/nfpm
arches=("$@")
[ $# -gt 0 ] || arches=(amd64 arm64)

if commit=$(git rev-parse --short=12 HEAD 2> /dev/null); then
  : "${VERSION:=0.$(git rev-list --count HEAD)+g$commit}" "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
fi
export VERSION=${VERSION:-0} SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
MTIME=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
STAGE=$(mktemp -d)
export STAGE
trap 'rm -rf "$STAGE"' EXIT

# compile builds platen for an architecture into a file.
compile() {
  CGO_ENABLED=0 GOARCH=$1 ${GO:-go} build -trimpath -buildvcs=false -ldflags "-s -w -X main.release=$VERSION" -o "$2" ./cmd/platen
}

# stage writes what is generated and is the same for all architectures.
stage() {
  sed 's|^data = "data"$|data = "/var/lib/platen"|' deploy/platen.toml > "$STAGE/platen.toml"
  if [ "$(diff deploy/platen.toml "$STAGE/platen.toml" | grep -c '^>')" -ne 1 ]; then
    echo "package: deploy/platen.toml has no line data = \"data\"" >&2
    return 1
  fi
  compile "$(${GO:-go} env GOHOSTARCH)" "$STAGE/platen"
  "$STAGE/platen" manual "$STAGE"
  gzip -9n "$STAGE"/man/man?/*
  {
    printf 'platen (%s) stable; urgency=medium\n\n  * See https://platen.dev for what has changed.\n\n' "$VERSION"
    printf ' -- Platen <platen@platen.dev>  %s\n' "$(date -uR -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n > "$STAGE/changelog.gz"
}

if [ ! -x "$nfpm" ]; then
  GOBIN=${nfpm%/*} ${GO:-go} install "github.com/goreleaser/nfpm/v2/cmd/nfpm@$nfpm_version"
fi
mkdir -p dist
stage
for arch in "${arches[@]}"; do
  compile "$arch" "$STAGE/platen-$arch"
  find "$STAGE" -exec touch -d "$MTIME" {} +
  ARCH=$arch "$nfpm" package --config deploy/package/nfpm.yaml --packager deb --target "dist/platen_${VERSION}_$arch.deb" >&2
  echo "dist/platen_${VERSION}_$arch.deb"
done
