// Package eventlog is the contract of Platen's one durable medium: an ordered,
// partitioned, append-only log. Everything that changes anything passes through
// it, so the contract below is what the rest of the house stands on. Two back
// ends keep it: events/eventlog/embedded (Pebble, one machine) and events/eventlog/kafka
// (a Kafka cluster). Both pass the suite in events/eventlog/logtest.
package eventlog

import (
	"context"
	"errors"
	"fmt"
)

// MaxRecord is the largest record value in bytes that every back end takes.
// Larger ones are refused with ErrTooLarge before anything is written.
const MaxRecord = 1 << 20

// Errors that callers tell apart; wrap-safe with errors.Is.
var (
	// ErrTooLarge refuses a record whose value exceeds MaxRecord.
	ErrTooLarge = errors.New("record exceeds 1 MiB")
	// ErrTrimmed answers a read below the oldest retained offset.
	ErrTrimmed = errors.New("offset is below the oldest retained record")
	// ErrBeyondEnd answers a read above the end: the log was recreated, or lost its tail.
	ErrBeyondEnd = errors.New("offset is above the end of the log")
	// ErrReadOnly answers appends, trims and memberships on a log that was opened for reading only.
	ErrReadOnly = errors.New("log is open for reading only")
	// ErrClosed answers every call on a closed log, reader or membership.
	ErrClosed = errors.New("log is closed")
)

// PartitionCountError refuses to open a log whose topics have another partition
// count than configured: offsets and account placement would be incomparable.
type PartitionCountError struct {
	Topic      string
	Have, Want int32
}

func (e *PartitionCountError) Error() string {
	return fmt.Sprintf("topic %s has %d partitions, the configuration says %d: the count is fixed for the life of a log",
		e.Topic, e.Have, e.Want)
}

// Record is one entry of a partition.
type Record struct {
	// Offset is the place in the partition, from 0, dense and never reused. Set by the log, ignored on append.
	Offset int64
	// Key is the account id; the log keeps it and gives it no meaning.
	Key []byte
	// Value holds at most MaxRecord bytes. The caller must not change it after the append.
	Value []byte
	// Headers are short attributes beside the value, in order.
	Headers []Header
}

// Header is one attribute of a record.
type Header struct{ Key, Value string }

// Log is an open log. All methods may be called from any goroutine.
type Log interface {
	// Partitions is the fixed number of partitions of every topic.
	Partitions() int32

	// Append queues r at the end of a partition and returns at once, except that it
	// may block while too much is in flight. done is called exactly once, from a
	// goroutine of the log, and must not block: with the record's offset once the
	// record is durable (it survives kill -9 and power loss), or with an error. An
	// error leaves the outcome unknown: the record may still be, or become, part
	// of the log. Appends of one goroutine to one partition keep their order, and
	// leave no gap: when one fails, those queued behind it fail as well. Key and
	// headers together stay below 64 KiB.
	Append(topic string, partition int32, r Record, done func(offset int64, err error))

	// Read opens a reader whose first record is the one at offset from. A reader
	// belongs to one goroutine.
	Read(topic string, partition int32, from int64) Reader

	// Bounds gives the oldest retained offset and the end: the offset that the next
	// record will get. Every record acknowledged before the call is below end.
	Bounds(ctx context.Context, topic string, partition int32) (start, end int64, err error)

	// Trim forgets the records below before, for good. Offsets never restart, not
	// even when a partition is emptied and the process then crashes. Trimming below
	// start does nothing; above end is ErrBeyondEnd.
	Trim(ctx context.Context, topic string, partition int32, before int64) error

	// Own joins group as a member that wants a share of topic's partitions. The
	// members of a group never hold one partition together knowingly; a member that
	// was paused may hold one that was given away, so holding is a hint, and the
	// epoch protocol of actors/shard is what makes it safe. The calls to owner are
	// serial, may begin before Own returns, and end before Membership.Close returns,
	// which owner must therefore not call.
	Own(group, topic string, owner Owner) (Membership, error)

	// Close releases everything; pending appends are finished or failed first.
	Close() error
}

// Reader reads one partition onward.
type Reader interface {
	// Next blocks until at least one record is there and returns the next ones in
	// order, without gaps, in batches bounded to a few MiB. The records are valid
	// until the next call and must not be changed: readers share them. ErrTrimmed and ErrBeyondEnd tell that the position does
	// not exist (any more); transient faults are retried inside until ctx ends.
	Next(ctx context.Context) ([]Record, error)
	// Close releases the reader.
	Close()
}

// Owner learns which partitions its member holds.
type Owner interface {
	// Assigned gives partitions to the member.
	Assigned(partitions []int32)
	// Revoked takes partitions back; the next member gets them once the call
	// returns, so return soon (within a few seconds).
	Revoked(partitions []int32)
	// Lost tells that the partitions are gone already: another member may hold them.
	Lost(partitions []int32)
}

// Membership is a place in a group.
type Membership interface {
	// Close leaves the group: Revoked is called with all that is held, then others take over.
	Close() error
}

// AppendWait appends one record and waits until it is durable or ctx ends.
// When ctx ends first, the outcome is unknown.
func AppendWait(ctx context.Context, l Log, topic string, partition int32, r Record) (int64, error) {
	type result struct {
		offset int64
		err    error
	}
	ch := make(chan result, 1)
	l.Append(topic, partition, r, func(offset int64, err error) { ch <- result{offset, err} })
	select {
	case res := <-ch:
		return res.offset, res.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// ReadOne returns the record at offset.
func ReadOne(ctx context.Context, l Log, topic string, partition int32, offset int64) (Record, error) {
	r := l.Read(topic, partition, offset)
	defer r.Close()
	records, err := r.Next(ctx)
	if err != nil {
		return Record{}, fmt.Errorf("read %s/%d at %d: %w", topic, partition, offset, err)
	}
	first := records[0]
	first.Key, first.Value = append([]byte(nil), first.Key...), append([]byte(nil), first.Value...)
	return first, nil
}
