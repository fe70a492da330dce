package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
)

var decompressor = kgo.DefaultDecompressor()

// fetch requests the records from offset on from the leader, without waiting for new ones. No records and no error mean that offset is the end. epoch
// is that of the leader that wrote the last of them.
func (l *Log) fetch(ctx context.Context, t *topic, partition int32, offset int64, maxBytes int32) (records []eventlog.Record, epoch int32, err error) {
	base := t.base(partition)
	if offset < base {
		return nil, 0, eventlog.ErrTrimmed
	}
	response, err := fetchRequest(t, partition, offset-base, maxBytes).RequestWith(ctx, l.client.Broker(int(t.leadership(partition).leader)))
	if err != nil {
		return nil, 0, err
	}
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return nil, 0, l.explain(err, kmsg.ACLOperationRead, t.name)
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return nil, 0, errNoPartition
	}
	records, epoch, err = decodeFetch(t, &response.Topics[0].Partitions[0], partition, offset-base)
	return records, epoch, l.explain(err, kmsg.ACLOperationRead, t.name)
}

func fetchRequest(t *topic, partition int32, offset int64, maxBytes int32) *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, offset, maxBytes
	p.CurrentLeaderEpoch = t.leadership(partition).epoch // a broker refuses if it leads another epoch
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID, topic.Partitions = t.name, t.id, append(topic.Partitions, p)
	request := kmsg.NewPtrFetchRequest()
	request.MaxBytes, request.SessionEpoch = maxBytes, -1 // without a fetch session
	request.Topics = append(request.Topics, topic)
	return request
}

// decodeFetch returns the records of a response from a broker's offset on, up to the first gap.
func decodeFetch(t *topic, response *kmsg.FetchResponseTopicPartition, partition int32, offset int64) (records []eventlog.Record, epoch int32, err error) {
	options := kgo.ProcessFetchPartitionOpts{Offset: offset, Topic: t.name, Partition: partition, KeepControlRecords: true}
	fetched, _ := kgo.ProcessFetchPartition(options, response, decompressor, nil)
	if fetched.Err != nil && len(fetched.Records) == 0 {
		return nil, 0, fetched.Err
	}
	records, epoch = make([]eventlog.Record, 0, len(fetched.Records)), -1
	for i, got := range fetched.Records {
		if want := offset + int64(i); got.Offset != want {
			return records, epoch, t.gapError(partition, want, got.Offset, fetched.LogStartOffset, i)
		}
		records, epoch = append(records, fromKafka(got, t.base(partition))), got.LeaderEpoch
	}
	return records, epoch, nil
}

// endOfEpoch asks the leader for the end of the records of an earlier leader, that is, of an epoch of the partition.
func (l *Log) endOfEpoch(ctx context.Context, t *topic, partition int32, led leadership, epoch int32) (int64, error) {
	p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch, p.LeaderEpoch = partition, led.epoch, epoch
	topic := kmsg.NewOffsetForLeaderEpochRequestTopic()
	topic.Topic, topic.Partitions = t.name, append(topic.Partitions, p)
	request := kmsg.NewPtrOffsetForLeaderEpochRequest()
	request.ReplicaID, request.Topics = -1, append(request.Topics, topic)
	response, err := request.RequestWith(ctx, l.client.Broker(int(led.leader)))
	if err != nil {
		return 0, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return 0, errNoPartition
	}
	found := response.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
		return 0, l.explain(err, kmsg.ACLOperationDescribe, t.name)
	}
	if found.LeaderEpoch != epoch && found.EndOffset < 0 { // the broker knows no such epoch, like one that has lost its log
		return t.base(partition), nil
	}
	return t.base(partition) + found.EndOffset, nil
}

// errGap means that offsets are missing for good: no retry helps.
var errGap = errors.New("the topic was compacted: set cleanup.policy=delete")

// gapError explains why a broker's offset want is missing. Good records before it are returned first.
func (t *topic) gapError(partition int32, want, got, start int64, good int) error {
	switch base := t.base(partition); {
	case good > 0:
		return nil
	case want < start:
		return eventlog.ErrTrimmed
	default:
		return fmt.Errorf("record %d of %s/%d is missing, %d follows: %w", base+want, t.name, partition, base+got, errGap)
	}
}

// outOfRange returns ErrTrimmed for an offset below the partition's start, ErrBeyondEnd
// for one above its end, and nil if the offset is in range by now.
func (l *Log) outOfRange(ctx context.Context, topic string, partition int32, offset int64) error {
	start, end, err := l.Bounds(ctx, topic, partition)
	switch {
	case err != nil:
		return err
	case offset < start:
		return eventlog.ErrTrimmed
	case offset > end:
		return eventlog.ErrBeyondEnd
	}
	return nil
}
