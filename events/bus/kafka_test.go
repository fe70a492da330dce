package bus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// fakeKafka returns a broker that has the topic with a partition count.
func fakeKafka(t *testing.T, partitions int32) *kfake.Cluster {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func TestKafka(t *testing.T) { checkKafka(t, fakeKafka(t, 2).ListenAddrs(), access.Config{}, topic) }

// A subscriber tells the broker when it counts as lost.
func TestSessionTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]int32{0: 6000, 7 * time.Second: 7000} {
		broker, asked := fakeKafka(t, 1), make(chan int32, 1)
		broker.ControlKey(kmsg.JoinGroup.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) { //nolint:staticcheck // the order is the package's
			asked <- r.(*kmsg.JoinGroupRequest).SessionTimeoutMillis
			return nil, nil, false
		})
		s, err := NewKafkaSubscriber(KafkaConfig{Brokers: broker.ListenAddrs(), ClientID: "test", Logger: testkit.Silent(), SessionTimeout: timeout}, "group",
			func(context.Context, string, int32) (int64, error) { return 0, nil })
		if err != nil {
			t.Fatal(err)
		}
		subscribe(t, s, topic)
		if got := <-asked; got != want {
			t.Errorf("%s: the session ends after %d ms, want %d", timeout, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A subscriber can be closed while it waits for the other members of its group, and leaves the group.
func TestCloseWhileJoining(t *testing.T) {
	broker := fakeKafka(t, 1)
	joining, left := make(chan struct{}), make(chan struct{})
	var members atomic.Int64
	broker.ControlKey(kmsg.JoinGroup.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) { //nolint:staticcheck // the order is the package's
		broker.KeepControl()
		if r.(*kmsg.JoinGroupRequest).MemberID == "" || members.Add(1) > 1 {
			return nil, nil, false
		}
		close(joining)
		broker.SleepControl(func() { <-left })
		return nil, nil, false
	})
	broker.ControlKey(kmsg.LeaveGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) { //nolint:staticcheck // the order is the package's
		close(left)
		return nil, nil, false
	})
	s, err := NewKafkaSubscriber(KafkaConfig{Brokers: broker.ListenAddrs(), ClientID: "test", Logger: testkit.Silent()}, "group",
		func(context.Context, string, int32) (int64, error) { return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	subscribe(t, s, topic)
	soon, stop := context.WithTimeout(t.Context(), 20*time.Second) // sarama itself gives up after 30
	defer stop()
	closed := make(chan struct{})
	go func() {
		<-joining
		_ = s.Close()
		close(closed)
	}()
	for what, done := range map[string]<-chan struct{}{"left its group": left, "closed": closed} {
		select {
		case <-done:
		case <-soon.Done():
			t.Fatalf("it has not %s", what)
		}
	}
}

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
		asked, told := map[int32]int{}, []string{}
		config.Waiting = func(partition int32, err error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(partition, " ", err))
		}
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
		why := " where to begin with " + topic + "/1: not known yet" // of both partitions: none is read
		if want := []string{"0" + why, "1" + why, "0 <nil>", "1 <nil>"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	}
}
