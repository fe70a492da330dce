package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
)

// fillerRecords is how many records are sent before they are waited for: some MB of memory.
const fillerRecords = 50_000

// Begin implements eventlog.Log. Kafka begins every partition at 0, so records without content are
// appended up to the offset, and deleted.
func (l *Log) Begin(ctx context.Context, topic string, partition int32, at int64) error {
	if l.config.ReadOnly {
		return eventlog.ErrReadOnly
	}
	start, end, err := l.Bounds(ctx, topic, partition)
	if err != nil {
		return err
	}
	if end > at || end > start && !l.isFiller(ctx, topic, partition, end-1) {
		return fmt.Errorf("%s/%d: %w", topic, partition, eventlog.ErrNotEmpty)
	}
	for end < at {
		n := min(at-end, fillerRecords)
		if err := l.fill(ctx, topic, partition, int(n)); err != nil {
			return fmt.Errorf("begin %s/%d at %d: %w", topic, partition, at, err)
		}
		end += n
	}
	return l.Trim(ctx, topic, partition, at)
}

// isFiller reports whether a record is what an earlier Begin has left.
func (l *Log) isFiller(ctx context.Context, topic string, partition int32, offset int64) bool {
	r, err := eventlog.ReadOne(ctx, l, topic, partition, offset)
	return err == nil && len(r.Key)+len(r.Value)+len(r.Headers) == 0
}

func (l *Log) fill(ctx context.Context, topic string, partition int32, n int) error {
	filler := make([]*kgo.Record, n)
	for i := range filler {
		filler[i] = &kgo.Record{Topic: topic, Partition: partition}
	}
	return l.producer.ProduceSync(ctx, filler...).FirstErr()
}
