package nemesis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Kafka is a cluster of Apache Kafka brokers, each also a controller, and on its own host.
type Kafka struct {
	brokers []*Broker
	admin   *kadm.Client
}

// Broker is one broker, which may be killed and started again.
type Broker struct {
	ID   int32
	Host *Host

	dir, jars, log string
	cmd            *exec.Cmd
	ended          chan struct{}
}

const (
	brokerPort, controllerPort = 9092, 9093
	// kafkaPatience is how long the brokers may take to start, on a busy machine.
	kafkaPatience = 2 * time.Minute
)

// StartKafka starts a broker on each host, with its data below dir and its output in logs, and
// waits until the cluster answers. jars is the directory of Kafka's jars.
func StartKafka(ctx context.Context, jars, dir, logs string, hosts ...*Host) (*Kafka, error) {
	ctx, cancel := context.WithTimeout(ctx, kafkaPatience)
	defer cancel()
	k := &Kafka{}
	for i, host := range hosts {
		k.brokers = append(k.brokers, &Broker{ID: int32(i + 1), Host: host, dir: filepath.Join(dir, host.Name), jars: jars, log: filepath.Join(logs, host.Name+".log")})
	}
	formatted := make(chan error)
	for _, b := range k.brokers {
		go func() { formatted <- b.format(ctx, k.voters()) }()
	}
	var errs []error
	for range k.brokers {
		errs = append(errs, <-formatted)
	}
	for _, b := range k.brokers {
		errs = append(errs, b.Start())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(k.Addresses()...), kgo.ClientID("nemesis"), kgo.MetadataMinAge(250*time.Millisecond))
	if err != nil {
		return nil, err
	}
	k.admin = kadm.NewClient(client)
	return k, k.awaitBrokers(ctx)
}

// Addresses lists the brokers, host:port.
func (k *Kafka) Addresses() (all []string) {
	for _, b := range k.brokers {
		all = append(all, fmt.Sprintf("%s:%d", b.Host.Addr, brokerPort))
	}
	return all
}

// Brokers returns the brokers in the order of their ids, which begin with 1.
func (k *Kafka) Brokers() []*Broker { return k.brokers }

func (k *Kafka) voters() string {
	var all []string
	for _, b := range k.brokers {
		all = append(all, fmt.Sprintf("%d@%s:%d", b.ID, b.Host.Addr, controllerPort))
	}
	return strings.Join(all, ",")
}

// awaitBrokers waits until every broker is part of the cluster.
func (k *Kafka) awaitBrokers(ctx context.Context) error {
	for {
		asking, cancel := context.WithTimeout(ctx, 2*time.Second)
		found, err := k.admin.ListBrokers(asking)
		cancel()
		if err == nil && len(found) == len(k.brokers) {
			return nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d Kafka brokers have come (%w): see the logs", len(found), len(k.brokers), err)
		}
	}
}

// MoveLeaders makes a broker the leader of every partition of the topics, by naming it first
// among the replicas and holding an election.
func (k *Kafka) MoveLeaders(ctx context.Context, to int32, topics ...string) error {
	details, err := k.admin.ListTopics(ctx, topics...)
	if err != nil {
		return err
	}
	var order kadm.AlterPartitionAssignmentsReq
	details.EachPartition(func(p kadm.PartitionDetail) {
		replicas := []int32{to}
		for _, id := range p.Replicas {
			if id != to {
				replicas = append(replicas, id)
			}
		}
		order.Assign(p.Topic, p.Partition, replicas)
	})
	if moved, err := k.admin.AlterPartitionAssignments(ctx, order); err != nil || moved.Error() != nil {
		return fmt.Errorf("name broker %d first: %w", to, errors.Join(err, moved.Error()))
	}
	var wanted kadm.TopicsSet
	for _, topic := range topics {
		wanted.Add(topic, details[topic].Partitions.Numbers()...)
	}
	_, err = k.admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, wanted)
	return err
}

// Start starts the broker, which must not be running.
func (b *Broker) Start() error {
	log, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	b.cmd = b.java(context.Background(), "-Xmx256m", "-Xms96m", "kafka.Kafka", b.config())
	b.cmd.Stdout, b.cmd.Stderr = log, log
	b.Host.Do(func() { err = b.cmd.Start() })
	if err != nil {
		return fmt.Errorf("start broker %d: %w", b.ID, err)
	}
	ended := make(chan struct{})
	b.ended = ended
	cmd := b.cmd
	go func() { _ = cmd.Wait(); close(ended) }()
	return nil
}

// Kill ends the broker with SIGKILL and waits for its end.
func (b *Broker) Kill() {
	_ = b.cmd.Process.Kill() // it may have ended
	<-b.ended
}

// Signal sends a signal to the broker's process.
func (b *Broker) Signal(s os.Signal) error { return b.cmd.Process.Signal(s) }

func (b *Broker) config() string { return filepath.Join(b.dir, "server.properties") }

// java returns a command that runs a class of Kafka's. Temporary files that it would leave when
// killed go into the broker's own directory.
func (b *Broker) java(ctx context.Context, args ...string) *exec.Cmd {
	always := []string{
		"-cp", b.jars + "/*", "-Dlog4j2.configurationFile=" + filepath.Join(b.dir, "log4j2.properties"),
		"-Djava.io.tmpdir=" + b.dir, "-XX:-UsePerfData", "-XX:+UseSerialGC",
		"-XX:TieredStopAtLevel=1", // the first compiler only: it does little, and must start fast
	}
	return exec.CommandContext(ctx, "java", append(always, args...)...)
}

// clusterID names the cluster in its brokers' data.
const clusterID = "bmVtZXNpcy1uZW1lc2lzLQ"

// format prepares the broker's directory.
func (b *Broker) format(ctx context.Context, voters string) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	for path, text := range map[string]string{b.config(): b.properties(voters), filepath.Join(b.dir, "log4j2.properties"): log4j} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	cmd := b.java(ctx, "kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.config())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("format the data of broker %d: %w\n%s", b.ID, err, out)
	}
	return nil
}

// log4j sends warnings to the broker's output.
const log4j = `appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c: %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
`

// properties returns the sample of deploy/kafka, with shorter times, so that the cluster recovers
// from a fault before the next one comes.
func (b *Broker) properties(voters string) string {
	return fmt.Sprintf(`process.roles=broker,controller
node.id=%d
controller.quorum.voters=%s
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://%[3]s:%[4]d,CONTROLLER://%[3]s:%[5]d
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=%[6]s
message.max.bytes=1179648
replica.fetch.max.bytes=4194304
auto.create.topics.enable=false
default.replication.factor=3
min.insync.replicas=2
unclean.leader.election.enable=false
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
share.coordinator.state.topic.replication.factor=3
share.coordinator.state.topic.min.isr=2
group.min.session.timeout.ms=2000
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controller.quorum.election.timeout.ms=1000
controller.quorum.fetch.timeout.ms=2000
controller.quorum.request.timeout.ms=1000
replica.lag.time.max.ms=4000
replica.socket.timeout.ms=3000
controller.socket.timeout.ms=3000
replica.fetch.wait.max.ms=500
num.network.threads=2
num.io.threads=2
num.recovery.threads.per.data.dir=1
background.threads=2
log.cleaner.enable=true
log.cleaner.dedupe.buffer.size=8388608
`, b.ID, voters, b.Host.Addr, brokerPort, controllerPort, filepath.Join(b.dir, "data"))
}
