package kafka_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/testkit"
)

// createTopic creates a topic of one partition as an operator may do it.
func createTopic(t *testing.T, admin *kadm.Client, name string, replicas int16, settings map[string]string) {
	t.Helper()
	all := map[string]*string{}
	for key, value := range settings {
		all[key] = &value
	}
	if _, err := admin.CreateTopic(within(t), 1, replicas, all, name); err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
}

func newAdmin(t *testing.T, brokers ...string) *kadm.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return kadm.NewClient(client)
}

// wrongSetting makes a topic break the contract.
type wrongSetting struct {
	settings map[string]string
	keep     time.Duration // how long records must be kept; 0 for forever
	want     string        // what is said about it
}

var wrongSettings = map[string]wrongSetting{
	"compacted": {map[string]string{"cleanup.policy": "compact"}, 0, "cleanup.policy is compact, must be delete"},
	"both":      {map[string]string{"cleanup.policy": "compact,delete"}, 0, "cleanup.policy is compact,delete, must be delete"},
	"small":     {map[string]string{"max.message.bytes": "1000000"}, 0, "max.message.bytes is 1000000"},
	"finite":    {map[string]string{"retention.ms": "3600000"}, 0, "retention.ms is 3600000, must be -1: kafka-configs.sh --bootstrap-server"},
	"default":   {nil, 0, "retention.ms is 604800000, must be -1"},
	"short":     {map[string]string{"retention.ms": "3600000"}, 2 * time.Hour, "retention.ms is 3600000, must be -1 or at least 7200000 (2h0m0s)"},
	"bounded":   {map[string]string{"retention.bytes": "1000000000"}, 2 * time.Hour, "retention.bytes is 1000000000, must be -1"},
	"stuck":     {map[string]string{"min.insync.replicas": "2"}, 0, "min.insync.replicas is 2, must be at most the replication factor, which is 1"},
}

// checkRefused opens a log of one topic and wants an error that names the topic, and says want.
func checkRefused(t *testing.T, c kafka.Config, name, want string) {
	t.Helper()
	l, err := kafka.Open(within(t), c)
	if err == nil {
		_ = l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

// TestOpenRefuses opens logs on clusters whose settings break the contract.
func TestOpenRefuses(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(3))
	admin := newAdmin(t, cluster.ListenAddrs()...)
	config := kafka.Config{Brokers: cluster.ListenAddrs(), Partitions: 1}
	for name, c := range wrongSettings {
		createTopic(t, admin, name, 1, c.settings)
		config.Topics = map[string]kafka.TopicConfig{name: {Retention: c.keep}}
		checkRefused(t, config, "topic "+name+": ", c.want)
	}
	createTopic(t, admin, "unsafe", 3, map[string]string{"retention.ms": "-1", "max.message.bytes": "2000000", "min.insync.replicas": "1"})
	config.Topics = map[string]kafka.TopicConfig{"unsafe": {}}
	checkRefused(t, config, "topic unsafe: ", "min.insync.replicas is 1, must be at least 2 with a replication factor of 3")
	config.Topics, config.SessionTimeout = map[string]kafka.TopicConfig{"fresh": {}}, 2*time.Second
	checkRefused(t, config, "", "set group.min.session.timeout.ms=2000 or lower")
}

// TestOpenAccepts opens a log of topics that an operator created as required, or with longer
// retention.
func TestOpenAccepts(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	admin := newAdmin(t, cluster.ListenAddrs()...)
	createTopic(t, admin, "forever", 1, map[string]string{"retention.ms": "-1", "max.message.bytes": "1114112"})
	createTopic(t, admin, "longer", 1, map[string]string{"retention.ms": "7200001", "max.message.bytes": "2000000"})
	l, err := kafka.Open(within(t), kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1,
		Topics: map[string]kafka.TopicConfig{"forever": {}, "longer": {Retention: 2 * time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

// TestHealth changes a setting while the log is open, and mends it.
func TestHealth(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	l, err := kafka.Open(within(t), kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}},
		CheckInterval: time.Millisecond, Logger: testkit.Silent(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	admin := newAdmin(t, cluster.ListenAddrs()...)
	for _, step := range []struct{ retention, want string }{
		{"1000", "topic platen.test: retention.ms is 1000, must be -1"}, {"-1", "<nil>"},
	} {
		change := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &step.retention}}
		if _, err := admin.AlterTopicConfigs(within(t), change, topic); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the health is "+step.want, func() bool { return strings.HasPrefix(fmt.Sprint(l.Health()), step.want) })
	}
	appendNumbers(t, l, 1, func(int) {})
	if _, err := admin.DeleteTopic(within(t), topic); err != nil {
		t.Fatal(err)
	}
	createTopic(t, admin, topic, 1, nil)
	testkit.Eventually(t, "a topic that was created again is noticed", func() bool {
		return strings.HasPrefix(fmt.Sprint(l.Health()), "topic platen.test was created again, without its records")
	})
}

// A failed call has the log notice a deleted topic, and a new one of its name, long before the next look.
func TestDeletedTopic(t *testing.T) {
	for name, use := range map[string]func(*kafka.Log){
		"an append": func(l *kafka.Log) { l.Append(topic, 0, eventlog.Record{}, func(int64, error) {}) },
		"a read":    func(l *kafka.Log) { go readAt(t, l, 0) },
		"the bounds": func(l *kafka.Log) {
			go func() { _, _, _ = l.Bounds(t.Context(), topic, 0) }()
		},
	} {
		t.Run(name, func(t *testing.T) { deletedTopic(t, use) })
	}
}

// readAt waits for a record.
func readAt(t *testing.T, l *kafka.Log, offset int64) {
	r := l.Read(topic, 0, offset)
	defer r.Close()
	_, _ = r.Next(t.Context())
}

func deletedTopic(t *testing.T, use func(*kafka.Log)) {
	t.Helper()
	cluster := startCluster(t, kfake.NumBrokers(2))
	l, err := kafka.Open(within(t), kafka.SoonConfirmed(kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {Deleted: "make it again"}, "other": {}},
		CheckInterval: time.Hour, Logger: testkit.Silent(),
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	admin := newAdmin(t, cluster.ListenAddrs()...)
	if _, err := admin.DeleteTopic(within(t), topic); err != nil {
		t.Fatal(err)
	}
	use(l)
	becomes := func(want string) {
		t.Helper()
		testkit.Eventually(t, want, func() bool { return strings.HasPrefix(fmt.Sprint(l.Health()), want) })
	}
	becomes("topic platen.test was deleted while this node was running: make it again")
	createTopic(t, admin, topic, 1, nil)
	becomes("topic platen.test was created again, without its records")
}

// A broker that has just started may not know a topic yet.
func TestTopicThatABrokerDoesNotKnow(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(2))
	l, err := kafka.Open(within(t), kafka.SoonConfirmed(kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}}, CheckInterval: time.Hour, Logger: testkit.Silent(),
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var lagging atomic.Int32 // the broker that knows no topics; -1 for all
	cluster.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		asked := request.(*kmsg.MetadataRequest)
		if lag := lagging.Load(); len(asked.Topics) == 0 || lag >= 0 && lag != cluster.CurrentNode() {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		for _, topic := range asked.Topics {
			t := kmsg.NewMetadataResponseTopic()
			t.Topic, t.ErrorCode = topic.Topic, kerr.UnknownTopicOrPartition.Code
			response.Topics = append(response.Topics, t)
		}
		return response, nil, true
	})
	for broker := range int32(2) {
		lagging.Store(broker)
		if deleted := kafka.FindDeleted(within(t), l, topic); len(deleted) > 0 {
			t.Errorf("deleted, if broker %d does not know it: %v", broker, deleted)
		}
	}
	lagging.Store(-1)
	if deleted := kafka.FindDeleted(within(t), l, topic, "other"); len(deleted) != 2 {
		t.Errorf("deleted, if no broker knows them: %v", deleted)
	}
}

// hideSettings answers requests for settings with an error while it hides them.
func hideSettings(cluster *kfake.Cluster, with *kerr.Error, hides func() bool) {
	cluster.ControlKey(int16(kmsg.DescribeConfigs), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if !hides() {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range request.(*kmsg.DescribeConfigsRequest).Resources {
			r := kmsg.NewDescribeConfigsResponseResource()
			r.ResourceType, r.ResourceName, r.ErrorCode = asked.ResourceType, asked.ResourceName, with.Code
			response.Resources = append(response.Resources, r)
		}
		return response, nil, true
	})
}

// A log opens although a broker does not know yet what was created a moment ago.
func TestOpensWhileABrokerLags(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	var asked atomic.Int32
	hideSettings(cluster, kerr.UnknownTopicOrPartition, func() bool { return asked.Add(1) <= 2 })
	l, err := kafka.Open(within(t), kafka.Config{Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}}, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil || asked.Load() < 3 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
}

// The number of partitions to configure is what all topics have. If they differ, no number is right, and one of them is wrong. Nothing is created then.
func TestPartitionCounts(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	admin := newAdmin(t, cluster.ListenAddrs()...)
	config := kafka.Config{Brokers: cluster.ListenAddrs(), Topics: map[string]kafka.TopicConfig{}}
	settings := map[string]*string{"retention.ms": kadm.StringPtr("-1"), "max.message.bytes": kadm.StringPtr("1114112")}
	for name, partitions := range map[string]int32{"a": 2, "b": 2, "c": 2, "odd": 3} {
		config.Topics[name] = kafka.TopicConfig{Deleted: "restart"}
		if _, err := admin.CreateTopic(within(t), partitions, 1, settings, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, config.Partitions = range []int32{2, 3} {
		checkRefused(t, config, "odd", "topic odd has 3 partitions, and the others have 2, as all must: somebody has created it or added partitions. If it is deleted: restart")
	}
	delete(config.Topics, "odd")
	config.Topics["new"] = kafka.TopicConfig{}
	checkRefused(t, config, "", "the log has 2 partitions, the configuration says 3: the count is fixed for the life of a log, so configure partitions = 2, unless somebody has added some")
	if found, err := admin.ListTopics(within(t)); err != nil || found.Has("new") {
		t.Errorf("a topic was created with the wrong number: %v, %v", found.Names(), err)
	}
}

// TestUndisclosedSettings opens a log of a topic whose settings are undisclosed. That is logged.
func TestUndisclosedSettings(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	createTopic(t, newAdmin(t, cluster.ListenAddrs()...), topic, 1, nil)
	hideSettings(cluster, kerr.TopicAuthorizationFailed, func() bool { return true })
	var said bytes.Buffer
	l, err := kafka.Open(within(t), kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}},
		Logger: slog.New(slog.NewTextHandler(&said, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Health(); err != nil {
		t.Errorf("health: %v", err)
	}
	testkit.Contains(t, said.String(), "level=ERROR", "cannot be checked", "topic=platen.test", "TOPIC_AUTHORIZATION_FAILED")
}
