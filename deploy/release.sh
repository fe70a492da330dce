#!/usr/bin/env bash
# Builds everything of a release into dist/release-VERSION: packages for amd64 and arm64, an SBOM for each (CycloneDX), the
# changelog's section as NOTES.md, and SHA256SUMS. VERSION is that of the newest section of CHANGELOG.md. The same commit
# makes the same bytes. It publishes nothing: it ends with the commands that tag.
set -euo pipefail
cd "$(dirname "$0")/.."

sbom=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

say() { printf 'release: %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }

export GOTOOLCHAIN=auto # the one that go.mod names

# section prints the text below the newest heading of the changelog.
section() {
  awk '/^## / { if (++headings > 1) exit; next } headings == 1' CHANGELOG.md | sed -e '/./,$!d'
}

# describe writes which modules the binary in a package has, with their licences, as the binary itself tells.
describe() {
  dpkg-deb --fsys-tarfile "$1" | tar -xO ./usr/bin/platen > "$work/platen"
  "$cyclonedx" bin -json -licenses -std -noserial -notimestamp -version "v$version" -output "$2" "$work/platen" 2> "$work/log" ||
    { cat "$work/log" >&2; die "no SBOM of $1"; }
}

heading=$(grep -m1 '^## ' CHANGELOG.md)
[[ $heading =~ ^##\ ([0-9]+\.[0-9]+\.[0-9]+)(,\ unreleased|\ \([0-9]{4}-[0-9]{2}-[0-9]{2}\))$ ]] ||
  die "the newest heading of CHANGELOG.md, \"$heading\", names no version: \"## 1.2.3, unreleased\" or \"## 1.2.3 (2026-01-31)\""
version=${BASH_REMATCH[1]}
[ -z "$(git status --porcelain)" ] || die "commit first: a release is built from a commit"
if git rev-parse -q --verify "refs/tags/v$version" > /dev/null && [ "$(git rev-list -n1 "v$version")" != "$(git rev-parse HEAD)" ]; then
  die "v$version is the tag of another commit: begin a section for the next version in CHANGELOG.md"
fi

out=dist/release-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"
section > "$out/NOTES.md"

say "building packages of $version"
VERSION=$version deploy/package/build.sh amd64 arm64 > /dev/null
mv "dist/platen_${version}_amd64.deb" "dist/platen_${version}_arm64.deb" "$out"

say "describing what they contain"
cyclonedx=$work/cyclonedx-gomod
GOBIN=$work ${GO:-go} install "$sbom"
for arch in amd64 arm64; do
  describe "$out/platen_${version}_$arch.deb" "$out/platen_${version}_$arch.cdx.json"
done

(cd "$out" && sha256sum -- *.deb *.cdx.json NOTES.md > SHA256SUMS)
say "$out has:"
(cd "$out" && wc -c -- * | head -n -1)
if [[ $heading == *unreleased ]]; then
  say "to publish, write the date into the heading (## $version ($(date -u +%F))), commit, and run make release again"
else
  say "to publish: git tag -s -F $out/NOTES.md v$version && git push origin v$version, and upload $out"
fi
