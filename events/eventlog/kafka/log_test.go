package kafka_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { logtest.Main(m, at) }

// at returns the storage named "broker topic".
func at(where string) logtest.Storage {
	broker, topic, _ := strings.Cut(where, " ")
	open := func(c kafka.Config) (eventlog.Log, error) {
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		c.Brokers, c.Topics, c.SessionTimeout = []string{broker}, map[string]map[string]string{topic: nil}, 2*time.Second
		return kafka.Open(ctx, c)
	}
	return logtest.Storage{
		Topic: topic,
		Where: where,
		Open: func(partitions int32) (eventlog.Log, error) {
			return open(kafka.Config{Partitions: partitions})
		},
		OpenReadOnly: func() (eventlog.Log, error) { return open(kafka.Config{ReadOnly: true}) },
	}
}

// fakeBroker starts a broker in this process, with a topic per storage.
func fakeBroker(t *testing.T) logtest.Factory {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return topicsOn(cluster.ListenAddrs()[0])
}

var topicCount atomic.Int64

// topicsOn gives every storage a topic of its own on the broker.
func topicsOn(broker string) logtest.Factory {
	run := time.Now().UnixNano() // a real broker outlives the test
	return func(*testing.T) logtest.Storage {
		return at(fmt.Sprintf("%s platen.test-%d-%d", broker, run, topicCount.Add(1)))
	}
}

func TestConformance(t *testing.T) { logtest.Run(t, fakeBroker(t)) }

func TestCrash(t *testing.T) { logtest.Crash(t, fakeBroker(t), 5) }

func TestTakeover(t *testing.T) {
	took := logtest.Takeover(t, fakeBroker(t)(t))
	t.Logf("the partitions of a killed member were taken over after %s", took.Round(time.Millisecond))
}
