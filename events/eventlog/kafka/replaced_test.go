package kafka

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// A reader whose partition has another leader compares its position with the end of the former leader's records, which is here the fake's own answer
// or a smaller offset. It finds exactly the lost records.
func TestReplacedRecords(t *testing.T) {
	for name, tc := range map[string]struct {
		end  int64 // of the former leader's records; -1 for the truth
		base int64
		want error
	}{
		"nothing is lost":                   {-1, 0, nil},
		"all that was read is there":        {10, 0, nil},
		"the last record is lost":           {9, 0, eventlog.ErrReplaced},
		"all is lost":                       {0, 0, eventlog.ErrReplaced},
		"with a base, all is there":         {10, 1000, nil},
		"with a base, the last one is lost": {9, 1000, eventlog.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, err := kfake.NewCluster(kfake.NumBrokers(2))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			ctx := testkit.Context(t)
			l, err := Open(ctx, Config{Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]TopicConfig{"journal": {}}, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			if err := l.Begin(ctx, "journal", 0, tc.base); err != nil {
				t.Fatal(err)
			}
			put := func(from, to int64) {
				for i := from; i < to; i++ {
					if offset, err := eventlog.AppendWait(ctx, l, "journal", 0, eventlog.Record{Value: fmt.Append(nil, i)}); err != nil || offset != tc.base+i {
						t.Fatalf("record %d has the offset %d (%v)", i, offset, err)
					}
				}
			}
			put(0, 10)
			r := l.Read("journal", 0, tc.base)
			defer r.Close()
			for read := 0; read < 10; {
				records, err := r.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				read += len(records)
			}
			if tc.end >= 0 {
				cluster.ControlKey(int16(kmsg.OffsetForLeaderEpoch), func(request kmsg.Request) (kmsg.Response, error, bool) {
					cluster.KeepControl()
					return endsAt(request.(*kmsg.OffsetForLeaderEpochRequest), tc.end), nil, true
				})
			}
			leader := cluster.LeaderFor("journal", 0)
			if err := cluster.MoveTopicPartition("journal", 0, 1-leader); err != nil {
				t.Fatal(err)
			}
			put(10, 11)
			records, err := r.Next(ctx)
			if !errors.Is(err, tc.want) || err == nil && (len(records) != 1 || records[0].Offset != tc.base+10) {
				t.Errorf("%d records, %v", len(records), err)
			}
		})
	}
}

// endsAt says that the records of the leader that a client asks for end at an offset.
func endsAt(request *kmsg.OffsetForLeaderEpochRequest, end int64) *kmsg.OffsetForLeaderEpochResponse {
	response := request.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
	for _, topic := range request.Topics {
		t := kmsg.NewOffsetForLeaderEpochResponseTopic()
		t.Topic = topic.Topic
		for _, asked := range topic.Partitions {
			p := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			p.Partition, p.LeaderEpoch, p.EndOffset = asked.Partition, asked.LeaderEpoch, end
			t.Partitions = append(t.Partitions, p)
		}
		response.Topics = append(response.Topics, t)
	}
	return response
}
