#!/usr/bin/env bash
# Runs one real Apache Kafka broker (combined with its controller) for tests.
#
#   run.sh start DIR     formats DIR when it is new, starts, prints host:port
#   run.sh stop DIR      ends it orderly
#   run.sh kill DIR      ends it with SIGKILL
#   run.sh restart DIR   starts again on the same ports with the same data; kills first if running
#   run.sh jars          prints the directory of the broker's jars, for those who start brokers themselves
#
# With KAFKA_CERTIFICATES=DIR, which has server.pem, server.key and ca.pem, a new broker has two more ports, whose
# addresses it writes there: one for TLS with SASL (secure; KAFKA_USER has KAFKA_PASSWORD), and one for TLS with client
# certificates (mutual). All may do everything but the user "guarded", who has that password too: he has to be granted rights.
#
# The jars come from Maven Central through mvn and are kept in KAFKA_CACHE, by
# default .cache/kafka in the repository. Needs mvn and Java 17 or newer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${KAFKA_CACHE:-$here/../../.cache/kafka}

say() { echo "kafka: $*" >&2; }
die() { say "$*"; exit 1; }

# jars fills the cache once per state of pom.xml.
jars() {
  mkdir -p "$cache"
  if ! cmp -s "$here/pom.xml" "$cache/pom.xml"; then
    say "fetching jars with mvn"
    rm -rf "$cache/jars"
    mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$cache/jars" >"$cache/mvn.log" 2>&1 ||
      die "mvn failed, see $cache/mvn.log"
    cp "$here/pom.xml" "$cache/pom.xml"
  fi
}

java_kafka() { java -cp "$cache/jars/*" -Dlog4j2.configurationFile="$here/log4j2.properties" "$@"; }

# free_port prints a loopback port on which nothing listens.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((20000 + RANDOM % 12000)) # below the range of outgoing connections
    if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "$port"; return; fi
  done
  die "found no free port"
}

configure() {
  local broker controller
  broker=$(free_port)
  controller=$(free_port)
  while [[ $controller == "$broker" ]]; do controller=$(free_port); done
  echo "127.0.0.1:$broker" >"$dir/address"
  cat >"$dir/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$broker,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$broker,CONTROLLER://127.0.0.1:$controller
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$dir/data
# an fsync per batch before it is acknowledged: there is no replica
log.flush.interval.messages=1
# 1 MiB of value, and what is around it
message.max.bytes=1179648
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
# a killed broker may register again soon
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
# members that die are noticed fast, groups start at once
group.min.session.timeout.ms=1000
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=4
PROPERTIES
  local users=()
  if [[ -n ${KAFKA_CERTIFICATES-} ]]; then secure; fi
  say "formatting $dir/data"
  java_kafka kafka.tools.StorageTool format --standalone -t "$(java_kafka kafka.tools.StorageTool random-uuid)" \
    -c "$dir/server.properties" "${users[@]}" >"$dir/format.log" 2>&1 || die "format failed, see $dir/format.log"
}

# secure adds the ports that let only some in.
secure() {
  local tls sasl module=org.apache.kafka.common.security
  tls=$(free_port)
  sasl=$(free_port)
  while [[ $sasl == "$tls" ]]; do sasl=$(free_port); done
  echo "127.0.0.1:$sasl" >"$KAFKA_CERTIFICATES/secure"
  echo "127.0.0.1:$tls" >"$KAFKA_CERTIFICATES/mutual"
  cat "$KAFKA_CERTIFICATES/server.key" "$KAFKA_CERTIFICATES/server.pem" >"$dir/keystore.pem"
  sed -i -E "s|^((advertised\.)?listeners=.*)|\1,SECURE://127.0.0.1:$sasl,MUTUAL://127.0.0.1:$tls|
    s|^listener.security.protocol.map=.*|&,SECURE:SASL_SSL,MUTUAL:SSL|" "$dir/server.properties"
  cat >>"$dir/server.properties" <<PROPERTIES
inter.broker.listener.name=PLAINTEXT
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:$KAFKA_USER;User:CN=client of the tests
ssl.keystore.type=PEM
ssl.keystore.location=$dir/keystore.pem
ssl.truststore.type=PEM
ssl.truststore.location=$KAFKA_CERTIFICATES/ca.pem
listener.name.mutual.ssl.client.auth=required
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secure.plain.sasl.jaas.config=$module.plain.PlainLoginModule required user_$KAFKA_USER="$KAFKA_PASSWORD";
listener.name.secure.scram-sha-256.sasl.jaas.config=$module.scram.ScramLoginModule required;
listener.name.secure.scram-sha-512.sasl.jaas.config=$module.scram.ScramLoginModule required;
PROPERTIES
  for mechanism in SCRAM-SHA-256 SCRAM-SHA-512; do
    users+=(--add-scram "$mechanism=[name=$KAFKA_USER,password=$KAFKA_PASSWORD]")
  done
  users+=(--add-scram "SCRAM-SHA-512=[name=guarded,password=$KAFKA_PASSWORD]")
}

pid() { cat "$dir/pid" 2>/dev/null || true; }

# running tells whether the broker of this DIR lives; a pid may have been given to another process since.
running() {
  local p
  p=$(pid)
  [[ -n $p ]] && tr '\0' ' ' 2>/dev/null <"/proc/$p/cmdline" | grep -qF "$dir/server.properties"
}

launch() {
  # exec, so that the pid is Java's own
  (exec java -Xmx512m -Xms128m -XX:+UseSerialGC -cp "$cache/jars/*" -Dlog4j2.configurationFile="$here/log4j2.properties" \
    kafka.Kafka "$dir/server.properties" </dev/null >>"$dir/broker.log" 2>&1) &
  echo $! >"$dir/pid"
  while cmp -s "/proc/$$/cmdline" "/proc/$!/cmdline"; do sleep 0.01; done # until Java has replaced the shell: see running
}

# answers sends an ApiVersions request, which any client does first, and waits for the beginning of the answer.
answers() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf '\x00\x00\x00\x0a\x00\x12\x00\x00\x00\x00\x00\x01\xff\xff' >&3
    [[ $(timeout 2 head -c 8 <&3 | wc -c) == 8 ]]
  ) 2>/dev/null
}

await() {
  local deadline=$((SECONDS + 60)) address
  address=$(cat "$dir/address")
  until answers "${address##*:}"; do
    running || die "the broker ended, see $dir/broker.log"
    ((SECONDS < deadline)) || die "no answer on $address within 60 s, see $dir/broker.log"
    sleep 0.1
  done
  say "running on $address, pid $(pid)"
  echo "$address"
}

start() {
  running && die "already running, pid $(pid)"
  mkdir -p "$dir"
  jars
  [[ -f $dir/server.properties ]] || configure
  say "starting"
  launch
  await
}

# finish sends a signal and waits until the process is gone.
finish() {
  local signal=$1 deadline=$((SECONDS + 30))
  running || { say "not running"; return 0; }
  kill "-$signal" "$(pid)"
  while running; do
    ((SECONDS < deadline)) || die "pid $(pid) does not end"
    sleep 0.05
  done
  rm -f "$dir/pid"
  say "ended"
}

if [[ $* == jars ]]; then
  jars
  cd "$cache/jars" && pwd
  exit
fi
[[ $# == 2 ]] || die "usage: run.sh start|stop|kill|restart DIR, or run.sh jars"
mkdir -p "$2"
dir=$(cd "$2" && pwd)
case $1 in
  start) start ;;
  stop) finish TERM ;;
  kill) finish KILL ;;
  restart) finish KILL && start ;;
  *) die "unknown command $1" ;;
esac
