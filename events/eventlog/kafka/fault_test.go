package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
)

const topic = "platen.test"

func startCluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// open opens a log of one topic with one partition.
func open(t *testing.T, cluster *kfake.Cluster) *kafka.Log {
	t.Helper()
	l, err := kafka.Open(within(t), kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// checkNumbers reads n records from the start and checks that they are the numbers in order.
func checkNumbers(t *testing.T, l eventlog.Log, n int) {
	t.Helper()
	r := l.Read(topic, 0, 0)
	defer r.Close()
	for next := 0; next < n; {
		records, err := r.Next(within(t))
		if err != nil {
			t.Errorf("next at %d: %v", next, err)
			return
		}
		for _, record := range records {
			if record.Offset != int64(next) || string(record.Value) != fmt.Sprint(next) {
				t.Errorf("record %d holds %q, want %d", record.Offset, record.Value, next)
				return
			}
			next++
		}
	}
}

// appendNumbers appends the first n numbers without waiting, calling before ahead of
// each, and waits for all.
func appendNumbers(t *testing.T, l eventlog.Log, n int, before func(i int)) {
	t.Helper()
	var acks sync.WaitGroup
	acks.Add(n)
	for i := range n {
		before(i)
		l.Append(topic, 0, eventlog.Record{Value: fmt.Append(nil, i)}, func(offset int64, err error) {
			defer acks.Done()
			if err != nil || offset != int64(i) {
				t.Errorf("append %d: offset %d, %v", i, offset, err)
			}
		})
	}
	acks.Wait()
}

// TestLeaderMoves moves the partition from broker to broker during appends and with a reader at the end.
func TestLeaderMoves(t *testing.T) {
	const n = 300
	cluster := startCluster(t, kfake.NumBrokers(3))
	l := open(t, cluster)
	var reading sync.WaitGroup
	reading.Go(func() { checkNumbers(t, l, n) })
	appendNumbers(t, l, n, func(i int) {
		if i%100 == 50 {
			if err := cluster.MoveTopicPartition(topic, 0, int32(i/100)); err != nil {
				t.Error(err)
			}
		}
	})
	reading.Wait()
	checkNumbers(t, l, n)
}

// TestElection asks for the bounds while the partition has no leader. That is retried,
// because nodes may start together with brokers; a permanent error is not.
func TestElection(t *testing.T) {
	for _, c := range []struct {
		refusal *kerr.Error
		want    error
	}{{kerr.LeaderNotAvailable, nil}, {kerr.TopicAuthorizationFailed, kerr.TopicAuthorizationFailed}} {
		cluster := startCluster(t, kfake.NumBrokers(1))
		l := open(t, cluster)
		appendNumbers(t, l, 3, func(int) {})
		refuseOffsets(cluster, c.refusal, 2)
		if start, end, err := l.Bounds(within(t), topic, 0); !errors.Is(err, c.want) || err == nil && (start != 0 || end != 3) {
			t.Errorf("%v: got %d to %d, %v", c.refusal, start, end, err)
		}
	}
}

// refuseOffsets refuses that many requests for offsets.
func refuseOffsets(cluster *kfake.Cluster, refusal *kerr.Error, times int64) {
	var asked atomic.Int64
	cluster.ControlKey(int16(kmsg.ListOffsets), func(request kmsg.Request) (kmsg.Response, error, bool) {
		if asked.Add(1) > times {
			return nil, nil, false
		}
		cluster.KeepControl()
		p := kmsg.NewListOffsetsResponseTopicPartition()
		p.ErrorCode = refusal.Code
		response := request.ResponseKind().(*kmsg.ListOffsetsResponse)
		response.Topics = []kmsg.ListOffsetsResponseTopic{{Topic: topic, Partitions: []kmsg.ListOffsetsResponseTopicPartition{p}}}
		return response, nil, true
	})
}

// TestConnectionsBreak has the broker hang up on every fifth request.
func TestConnectionsBreak(t *testing.T) {
	const n = 200
	cluster := startCluster(t, kfake.NumBrokers(1))
	l := open(t, cluster)
	var requests atomic.Int64
	cluster.Control(func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if requests.Add(1)%5 == 0 {
			return nil, errors.New("hung up"), true
		}
		return nil, nil, false
	})
	appendNumbers(t, l, n, func(int) {})
	checkNumbers(t, l, n)
}

// TestForeignRecords reads what another client has written: records without a value, and the markers of its transactions, of which one was aborted. A
// reader gets an empty record at each offset, whether it is behind or waits at the end.
func TestForeignRecords(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(1))
	l := open(t, cluster)
	foreign, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.TransactionalID("foreign"), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	waiting := l.Read(topic, 0, 0)
	defer waiting.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		writeTransaction(t, foreign, end)
		emptyRecords(t, waiting, int64(2*i), int64(2*i+2))
	}
	behind := l.Read(topic, 0, 0)
	defer behind.Close()
	emptyRecords(t, behind, 0, 4)
}

// writeTransaction writes a transaction of one record.
func writeTransaction(t *testing.T, client *kgo.Client, end kgo.TransactionEndTry) {
	t.Helper()
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := client.ProduceSync(within(t), &kgo.Record{}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := client.EndTransaction(within(t), end); err != nil {
		t.Fatal(err)
	}
}

// emptyRecords reads empty records at the offsets from next up to end.
func emptyRecords(t *testing.T, r eventlog.Reader, next, end int64) {
	t.Helper()
	for next < end {
		records, err := r.Next(within(t))
		if err != nil {
			t.Fatalf("at %d: %v", next, err)
		}
		for _, got := range records {
			if got.Offset != next || got.Key != nil || got.Value != nil || got.Headers != nil {
				t.Fatalf("record %+v, want an empty one at %d", got, next)
			}
			next++
		}
	}
}

// TestDeposedLeader cuts a leader off from the other brokers. It keeps saying that it leads
// and where its log ended.
func TestDeposedLeader(t *testing.T) {
	cluster := startCluster(t, kfake.NumBrokers(3))
	config := kafka.Config{Brokers: cluster.ListenAddrs(), Partitions: 1, ReplicationFactor: 3, Topics: map[string]kafka.TopicConfig{topic: {}}}
	behind, err := kafka.Open(within(t), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = behind.Close() })
	if err := cluster.MoveTopicPartition(topic, 0, 0); err != nil {
		t.Fatal(err)
	}
	appendNumbers(t, behind, 2, func(int) {})
	wantEnd := func(want int64) {
		t.Helper()
		if _, end, err := behind.Bounds(within(t), topic, 0); err != nil || end != want {
			t.Errorf("the end is %d, %v, want %d", end, err, want)
		}
	}
	wantEnd(2) // and now it knows who leads
	depose(t, cluster)
	config.Brokers = cluster.ListenAddrs()[1:]
	ahead, err := kafka.Open(within(t), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ahead.Close() })
	if _, err := eventlog.AppendWait(within(t), ahead, topic, 0, eventlog.Record{}); err != nil {
		t.Fatal(err)
	}
	wantEnd(3)
}

// depose gives the lead of broker 0 to broker 1. Broker 0 does not hear of it.
func depose(t *testing.T, cluster *kfake.Cluster) {
	t.Helper()
	believed := map[kmsg.Request][]byte{}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	name := kmsg.NewMetadataRequestTopic()
	name.Topic = kmsg.StringPtr(topic)
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.Topics = append(metadata.Topics, name)
	asked := kmsg.NewListOffsetsRequestTopic()
	asked.Topic, asked.Partitions = topic, []kmsg.ListOffsetsRequestTopicPartition{{CurrentLeaderEpoch: -1, Timestamp: -1}}
	offsets := kmsg.NewPtrListOffsetsRequest()
	offsets.Topics = append(offsets.Topics, asked)
	for _, request := range []kmsg.Request{metadata, offsets} {
		response, err := client.Broker(0).Request(within(t), request)
		if err != nil {
			t.Fatal(err)
		}
		request.SetVersion(response.GetVersion())
		believed[request] = response.AppendTo(nil)
	}
	if err := cluster.MoveTopicPartition(topic, 0, 1); err != nil {
		t.Fatal(err)
	}
	for asked, answer := range believed {
		cluster.ControlKey(asked.Key(), func(request kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			response := asked.ResponseKind()
			if err := response.ReadFrom(answer); err != nil {
				t.Error(err)
			}
			response.SetVersion(request.GetVersion())
			return response, nil, cluster.CurrentNode() == 0
		})
	}
}
