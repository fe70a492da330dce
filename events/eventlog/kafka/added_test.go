package kafka

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// Partitions that somebody adds to a topic while a node runs are left alone: the node follows its own to other leaders, owns none of the others, and says
// that it could not be started again.
func TestAddedPartitions(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	ctx := testkit.Context(t)
	var said bytes.Buffer
	l, err := Open(ctx, Config{
		Brokers: cluster.ListenAddrs(), Partitions: 2, Topics: map[string]TopicConfig{"commands": {}}, Logger: slog.New(slog.NewTextHandler(&said, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if _, err := l.admin.CreatePartitions(ctx, 2, "commands"); err != nil {
		t.Fatal(err)
	}
	for p := range int32(2) {
		if _, err := eventlog.AppendWait(ctx, l, "commands", p, eventlog.Record{}); err != nil {
			t.Fatal(err)
		}
		if err := cluster.MoveTopicPartition("commands", p, 1-cluster.LeaderFor("commands", p)); err != nil {
			t.Fatal(err)
		}
		if _, end, err := l.Bounds(ctx, "commands", p); err != nil || end != 1 {
			t.Errorf("partition %d ends at %d: %v", p, end, err)
		}
	}
	var assigned []int32
	(&member{log: l, topic: "commands"}).call(func(p []int32) { assigned = append(assigned, p...) })(ctx, l.client, map[string][]int32{"commands": {3, 0, 2, 1}})
	if !slices.Equal(assigned, []int32{0, 1}) {
		t.Errorf("it owns %v", assigned)
	}
	l.lookAtTopics()
	l.lookAtTopics()
	if l.Health() != nil || strings.Count(said.String(), "partitions were added") != 1 || !strings.Contains(said.String(), "has 4 partitions") {
		t.Errorf("health %v, said %q", l.Health(), said.String())
	}
}
