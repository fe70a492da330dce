#!/usr/bin/env bash
# Prints the directory of the jars of a ZooKeeper server, which replicas of ClickHouse need. The tests start it.
#
# The jars come from Maven Central through mvn and are kept in ZOOKEEPER_CACHE, by default .cache/zookeeper in the
# repository. Needs mvn and Java 17 or newer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ZOOKEEPER_CACHE:-$here/../../.cache/zookeeper}

mkdir -p "$cache"
if ! cmp -s "$here/pom.xml" "$cache/pom.xml"; then # once per state of pom.xml
  echo "zookeeper: fetching jars with mvn" >&2
  rm -rf "$cache/jars"
  mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$cache/jars" >"$cache/mvn.log" 2>&1 || {
    echo "zookeeper: mvn failed, see $cache/mvn.log" >&2
    exit 1
  }
  cp "$here/pom.xml" "$cache/pom.xml"
fi
cd "$cache/jars" && pwd
