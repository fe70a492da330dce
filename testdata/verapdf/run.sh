#!/usr/bin/env bash
# Validates every PDF of the folders given with veraPDF (PDF/A-3b) and Mustang, all in
# one JVM: one line per file (see Validate.java), status 1 if any fails.
#
#   run.sh fetch         only fetches the jars and compiles
#   run.sh DIR...
#   run.sh rules         applies the business rules that Mustang has to invoices instead (see Rules.java)
#
# The jars come from Maven Central through mvn and are kept in VERAPDF_CACHE, by
# default .cache/verapdf in the repository. Needs mvn and a JDK of 17 or newer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${VERAPDF_CACHE:-$here/../../.cache/verapdf}

say() { echo "verapdf: $*" >&2; }
die() { say "$*"; exit 2; }

for tool in java javac mvn; do
  command -v "$tool" >/dev/null || die "$tool is missing: install it (Debian: apt-get install default-jdk-headless maven)"
done

# jars fills the cache once per state of pom.xml. What mvn has fetched it keeps, so that
# another attempt on a slow network continues where the last one ended.
jars() {
  mkdir -p "$cache"
  cmp -s "$here/pom.xml" "$cache/pom.xml" && return
  rm -rf "$cache/jars"
  for attempt in 1 2 3 4; do
    say "fetching jars with mvn (attempt $attempt)"
    if mvn -B -q -U -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$cache/jars" >"$cache/mvn.log" 2>&1; then
      cp "$here/pom.xml" "$cache/pom.xml"
      return
    fi
    sleep $((attempt * 3))
  done
  die "mvn failed, see $cache/mvn.log"
}

driver() {
  local name=$1
  cmp -s "$here/$name.java" "$cache/classes/$name.java" && return
  mkdir -p "$cache/classes"
  javac -cp "$cache/jars/*" -d "$cache/classes" "$here/$name.java" || die "javac failed"
  cp "$here/$name.java" "$cache/classes/$name.java"
}

(($# > 0)) || die "usage: run.sh fetch | rules | DIR..."
jars
driver Validate
driver Rules
[[ $1 == fetch ]] && exit 0
[[ $1 == rules ]] && exec java -Xmx1g -XX:+UseSerialGC -cp "$cache/classes:$cache/jars/*" Rules 2>"$cache/java.log"
exec java -Xmx1g -XX:+UseSerialGC -cp "$cache/classes:$cache/jars/*" Validate "$@" 2>"$cache/java.log"
