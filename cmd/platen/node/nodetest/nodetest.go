// Package nodetest runs nodes in tests.
package nodetest

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/cmd/platen/node"
)

// Config returns the configuration of a small node: its own data directory, a port that the system
// picks, four partitions and two slots.
func Config(t testing.TB) node.Config {
	cfg := node.NewConfig()
	cfg.Data, cfg.Listen, cfg.Partitions, cfg.Browser.Slots = t.TempDir(), "127.0.0.1:0", 4, 2
	return cfg
}

// Start runs a node until the test ends.
func Start(t testing.TB, cfg node.Config, o node.Options) *node.Node {
	t.Helper()
	n, err := node.Start(t.Context(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return n
}

// Broker runs a Kafka broker in this process until the test ends, and returns its address.
func Broker(t testing.TB) string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs()[0]
}
