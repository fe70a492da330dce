package bus

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// fakeKafka returns the address of a broker that has the topic with a partition count.
func fakeKafka(t *testing.T, partitions int32) []string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs()
}

func TestKafka(t *testing.T) { checkKafka(t, fakeKafka(t, 2), access.Config{}, topic) }

// checkKafka publishes to a topic of two partitions, and subscribes repeatedly in one group:
// whatever was acked before, a partition begins where start says.
func checkKafka(t *testing.T, brokers []string, entry access.Config, topic string) {
	t.Helper()
	config := KafkaConfig{Brokers: brokers, Access: entry, ClientID: "test", Logger: testkit.Silent(), Pause: time.Millisecond}
	p, err := NewKafkaPublisher(config)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for partition := range int32(2) {
		publish(t, p, topic, partition, 5)
	}
	group := "group-" + topic
	for _, begin := range []int64{0, 3, 1} {
		var mu sync.Mutex
		asked := map[int32]int{}
		s, err := NewKafkaSubscriber(config, group, func(_ context.Context, _ string, partition int32) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			if asked[partition]++; asked[partition] == 1 && partition == 1 {
				return 0, fmt.Errorf("not known yet")
			}
			return begin, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		messages := subscribe(t, s, topic)
		want := map[int32]int64{0: begin, 1: begin}
		for range 2 * (5 - begin) {
			m, r := next(t, messages)
			partition, _, _ := RecordOf(m)
			if r.Offset != want[partition] || string(r.Value) != fmt.Sprint(r.Offset) || string(r.Key) != "key" || fmt.Sprint(r.Headers) != "[{a 1} {b }]" {
				t.Fatalf("partition %d: %+v, want %d", partition, r, want[partition])
			}
			want[partition]++
			m.Ack()
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
