package kafka_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog/kafka"
)

// Examining a cluster finds the same faults as opening the log on it, and creates no topic.
func TestExamine(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(3))
	admin := newAdmin(t, cluster.ListenAddrs()...)
	config := kafka.Config{Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{"one": {}, "two": {}}}
	for range 2 {
		found, err := kafka.Examine(within(t), config)
		if err != nil || found.Brokers != 3 || !slices.Equal(found.Missing, []string{"one", "two"}) {
			t.Errorf("a cluster without topics: %+v, %v", found, err)
		}
	}
	createTopic(t, admin, "one", 1, map[string]string{"retention.ms": "-1", "retention.bytes": "-1", "unclean.leader.election.enable": "false", "max.message.bytes": "4194304"})
	if found, err := kafka.Examine(within(t), config); err != nil || !slices.Equal(found.Missing, []string{"two"}) {
		t.Errorf("a cluster with a good topic: %+v, %v", found, err)
	}
	createTopic(t, admin, "two", 1, map[string]string{"retention.ms": "3600000"})
	if _, err := kafka.Examine(within(t), config); err == nil || !strings.Contains(err.Error(), "topic two: retention.ms is 3600000, must be -1: kafka-configs.sh") {
		t.Errorf("a topic that loses records: %v", err)
	}
	config.Partitions = 2
	if _, err := kafka.Examine(within(t), config); err == nil || !strings.Contains(err.Error(), "has 1 partitions") {
		t.Errorf("another number of partitions: %v", err)
	}
	config.Brokers = nil
	if _, err := kafka.Examine(within(t), config); err == nil {
		t.Error("no brokers: no error")
	}
}
