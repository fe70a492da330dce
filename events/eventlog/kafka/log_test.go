package kafka_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { logtest.Main(m, at) }

// at returns the storage named "broker topic".
func at(where string) logtest.Storage {
	broker, topic, _ := strings.Cut(where, " ")
	return logtest.Storage{
		Topic: topic,
		Where: where,
		Open: func(partitions int32) (eventlog.Log, error) {
			return openAt(broker, kafka.Config{Partitions: partitions}, topic)
		},
		OpenReadOnly: func() (eventlog.Log, error) { return openAt(broker, kafka.Config{ReadOnly: true}, topic) },
	}
}

// openAt opens a log with the topics. The last of several is unbounded.
func openAt(broker string, c kafka.Config, topics ...string) (eventlog.Log, error) {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	c.Brokers, c.Topics, c.SessionTimeout = []string{broker}, map[string]kafka.TopicConfig{}, 2*time.Second
	for i, topic := range topics {
		c.Topics[topic] = kafka.TopicConfig{Unbounded: i > 0}
	}
	return kafka.Open(ctx, c)
}

// fakeBroker starts a broker in this process, with a topic per storage.
func fakeBroker(t *testing.T) logtest.Factory {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	broker := cluster.ListenAddrs()[0]
	storages := topicsOn(broker)
	return func(t *testing.T) logtest.Storage {
		s := storages(t)
		s.Unbounded = s.Topic + "-unbounded"
		s.OpenHeld = func(t *testing.T) (eventlog.Log, func()) {
			var network sync.RWMutex // held for writing while the network brings nothing
			c := kafka.Config{Partitions: logtest.Partitions, PendingBytes: logtest.HeldBytes, Opts: []kgo.Opt{kgo.Dialer(dialThrough(&network))}}
			l, err := openAt(broker, c, s.Topic, s.Unbounded)
			if err != nil {
				t.Fatal(err)
			}
			network.Lock()
			release := sync.OnceFunc(network.Unlock)
			t.Cleanup(func() { release(); _ = l.Close() })
			return l, release
		}
		return s
	}
}

// dialThrough returns a dialer of connections that bring what they read only while they can
// read-lock network.
func dialThrough(network *sync.RWMutex) func(ctx context.Context, kind, address string) (net.Conn, error) {
	return func(ctx context.Context, kind, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, kind, address)
		return heldConn{conn, network}, err
	}
}

type heldConn struct {
	net.Conn
	network *sync.RWMutex
}

func (c heldConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.network.RLock()
	defer c.network.RUnlock()
	return n, err
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
