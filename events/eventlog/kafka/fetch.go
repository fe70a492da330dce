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

// fetch asks the leader for the records at offset and after, without waiting for
// any. None and no error means that offset is the end.
func (l *Log) fetch(ctx context.Context, t *topic, partition int32, offset int64, maxBytes int32) ([]eventlog.Record, error) {
	response, err := fetchRequest(t, partition, offset, maxBytes).RequestWith(ctx, l.producer.Broker(int(t.leader(partition))))
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return nil, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return nil, errors.New("the broker did not answer for the partition")
	}
	return decodeFetch(t, &response.Topics[0].Partitions[0], partition, offset)
}

func fetchRequest(t *topic, partition int32, offset int64, maxBytes int32) *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, offset, maxBytes
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID, topic.Partitions = t.name, t.id, append(topic.Partitions, p)
	request := kmsg.NewPtrFetchRequest()
	request.MaxBytes, request.SessionEpoch = maxBytes, -1 // of no fetch session
	request.Topics = append(request.Topics, topic)
	return request
}

// decodeFetch checks that the records follow without a gap.
func decodeFetch(t *topic, answer *kmsg.FetchResponseTopicPartition, partition int32, offset int64) ([]eventlog.Record, error) {
	options := kgo.ProcessFetchPartitionOpts{Offset: offset, Topic: t.name, Partition: partition}
	fetched, _ := kgo.ProcessFetchPartition(options, answer, decompressor, nil)
	if fetched.Err != nil && len(fetched.Records) == 0 {
		return nil, fetched.Err
	}
	records := make([]eventlog.Record, 0, len(fetched.Records))
	for i, got := range fetched.Records {
		if want := offset + int64(i); got.Offset != want {
			return records, gapError(want, got.Offset, fetched.LogStartOffset, i)
		}
		records = append(records, fromKafka(got))
	}
	return records, nil
}

// errGap tells that offsets are not dense, which no retry mends.
var errGap = errors.New("the topic is compacted or written with transactions")

// gapError explains why offset want is missing; after some good records that can wait.
func gapError(want, got, start int64, good int) error {
	switch {
	case good > 0:
		return nil
	case want < start:
		return eventlog.ErrTrimmed
	}
	return fmt.Errorf("record %d is missing, %d follows: %w", want, got, errGap)
}

// outOfRange tells which side of the log offset is on. Nil means on neither by now.
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
