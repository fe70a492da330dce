package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog"
)

// clusterPartitions is the partition count of the clusters under test: a few
// shards for each of three nodes.
const clusterPartitions = 6

// fakeBroker starts a Kafka broker in this process, and gives its address.
func fakeBroker(t *testing.T) string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs()[0]
}

// openKafka opens the log that the nodes of a cluster share.
func openKafka(t *testing.T, broker string) eventlog.Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cfg := NewConfig()
	cfg.Partitions, cfg.Kafka.Brokers = clusterPartitions, []string{broker}
	l, err := openLog(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
