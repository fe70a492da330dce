#!/usr/bin/env bash
# Collects in dist/cluster what the playbooks install and Debian does not have: the package of Platen, a platen for this machine, the
# jars of Kafka, and versitygw, the S3 server.
#
#   deploy/cluster/fetch.sh [ARCH]     ARCH of the hosts: amd64 or arm64; by itself this machine's
#
# Needs Go, mvn and Java 17 or newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

arch=${1:-$(dpkg --print-architecture)}
out=$PWD/dist/cluster
mkdir -p "$out"

deb=$(deploy/package/build.sh "$arch" | tail -n 1)
cp "$deb" "$out/platen.deb"
CGO_ENABLED=0 "${GO:-go}" build -trimpath -buildvcs=false -o "$out/platen" ./cmd/platen

jars=$(testdata/kafka/run.sh jars)
version=$(basename "$jars"/kafka-clients-*.jar .jar)
version=${version#kafka-clients-}
tar --create --file "$out/kafka.tar" --owner 0 --group 0 --mode u=rwX,go=rX --directory "$jars" --transform "s|^\.|kafka-$version|" .
printf '%s' "$version" > "$out/kafka-version"

(cd testdata/s3 && CGO_ENABLED=0 GOARCH=$arch "${GO:-go}" build -o "$out/versitygw" github.com/versity/versitygw/cmd/versitygw)
echo "$out"
