// Package eventlog is the contract of Platen's log: ordered, partitioned, append-only
// and durable. Every change of state passes through it, so all of Platen relies on the
// contract below. Two back ends implement it: events/eventlog/embedded (Pebble, one
// machine) and events/eventlog/kafka (a Kafka cluster). Both pass the suite in
// events/eventlog/logtest.
package eventlog

import (
	"context"
	"errors"
	"fmt"
)

// MaxRecord is the size limit of a record's value in bytes. Larger records are refused
// with ErrTooLarge before anything is written.
const MaxRecord = 1 << 20

// Errors of every back end; test for them with errors.Is.
var (
	// ErrTooLarge means that a record's value exceeds MaxRecord.
	ErrTooLarge = errors.New("record exceeds 1 MiB")
	// ErrBusy refuses an append because too much is in flight for its topic. Nothing was
	// appended.
	ErrBusy = errors.New("too much is in flight: try again later")
	// ErrTrimmed means that an offset is below the oldest retained record.
	ErrTrimmed = errors.New("offset is below the oldest retained record")
	// ErrBeyondEnd means that an offset is above the end: the log was recreated, or has
	// lost its newest records.
	ErrBeyondEnd = errors.New("offset is above the end of the log")
	// ErrReplaced means that the records before an offset may differ from those that were read: the log has lost some, and others have taken their
	// place.
	ErrReplaced = errors.New("the log has lost records that were read, and has others in their place")
	// ErrNotEmpty means that a partition has records, or had some at later offsets.
	ErrNotEmpty = errors.New("the partition is not empty")
	// ErrReadOnly is the error of appends, trims and memberships on a log that was opened
	// for reading only.
	ErrReadOnly = errors.New("log is open for reading only")
	// ErrFailed means that the log accepts no more appends, because its disk is full or broken. Acknowledged records are safe; another process must open
	// the log.
	ErrFailed = errors.New("the log has failed for good")
	// ErrClosed is the error of every call on a closed log, reader or membership.
	ErrClosed = errors.New("log is closed")
)

// PartitionCountError means that the log has a partition count other than the configured one. Such a log is not opened: accounts would be in other
// partitions.
type PartitionCountError struct{ Have, Want int32 }

func (e *PartitionCountError) Error() string {
	return fmt.Sprintf("the log has %d partitions, the configuration says %d: the count is fixed for the life of a log, so configure partitions = %[1]d, "+
		"unless somebody has added some", e.Have, e.Want)
}

// OddTopicError means that a topic has another partition count than the others, so that no configuration is right.
type OddTopicError struct {
	Topic        string
	Have, Others int32
	// Deleted says what follows if the topic is deleted, and what to do then.
	Deleted string
}

func (e *OddTopicError) Error() string {
	return fmt.Sprintf("topic %s has %d partitions, and the others have %d, as all must: somebody has created it or added partitions. If it is deleted: %s",
		e.Topic, e.Have, e.Others, e.Deleted)
}

// Record is one record of a partition.
type Record struct {
	// Offset is the record's position in the partition: it counts from 0 without gaps
	// and is never reused. The log sets it; Append ignores it.
	Offset int64
	// Key is the account id; the log stores it and gives it no meaning.
	Key []byte
	// Value has at most MaxRecord bytes. The caller must not change it after the append.
	Value []byte
	// Headers are short attributes beside the value. Their order is kept.
	Headers []Header
}

// Size returns the number of bytes of key, value and headers.
func (r Record) Size() int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// Header is one attribute of a record.
type Header struct{ Key, Value string }

// Log is an open log. Its methods are safe for concurrent use.
type Log interface {
	// Partitions returns the number of partitions of every topic. It never changes.
	Partitions() int32

	// TopicID identifies a topic. A re-created topic has another id, so an offset means something only together with it. It is empty if the brokers are
	// too old to tell.
	TopicID(topic string) string

	// Append queues r at the end of a partition and returns at once: it never waits. done
	// is called exactly once, from a goroutine of the log, and must not block: with the
	// record's offset once the record is durable (it survives kill -9 and power loss), or
	// with an error. ErrBusy, ErrTooLarge, ErrReadOnly and ErrClosed mean that nothing was
	// appended. Any other error leaves the outcome unknown: the record may still be, or
	// become, part of the log. Key and headers together must stay below 64 KiB.
	//
	// Appends of one goroutine to one partition keep their order. If one fails, later ones may nevertheless succeed, and done may get ErrBusy before the
	// outcome of earlier appends is known. A caller that needs every record must notice from the records that one is missing, as the readers of the
	// journal do (docs/decisions/0027). Each topic has its own room, so that no topic is busy because of another. A topic that is opened without a bound
	// is never busy; its appenders must bound what they have in flight (docs/decisions/0025).
	Append(topic string, partition int32, r Record, done func(offset int64, err error))

	// Read opens a reader whose first record is the one at offset from. A reader
	// belongs to one goroutine.
	Read(topic string, partition int32, from int64) Reader

	// Bounds returns the oldest retained offset and the end: the offset that the next
	// record will get. Every record acknowledged before the call is below end.
	Bounds(ctx context.Context, topic string, partition int32) (start, end int64, err error)

	// Trim permanently deletes the records below before. Offsets never restart, not even if a partition is emptied and the process then crashes.
	// Trimming below start does nothing; trimming above end is ErrBeyondEnd.
	Trim(ctx context.Context, topic string, partition int32, before int64) error

	// Begin makes a partition without records begin at an offset, which the next record gets. So records copied from another log keep their offsets.
	// After an error it may be called again. ErrNotEmpty means that the partition has records, or ends after the offset.
	Begin(ctx context.Context, topic string, partition int32, at int64) error

	// Own joins a consumer group as a member that wants a share of the topic's partitions. The group assigns a partition to one member at a time, but a
	// paused member may not know yet that its partition was given away. So an assignment is a hint; the epoch protocol of actors/shard makes ownership
	// safe. The calls to owner are serial, may begin before Own returns, and end before Membership.Close returns; owner must therefore not call Close.
	Own(group, topic string, owner Owner) (Membership, error)

	// Health returns why the log should not be relied on at present, or nil: it has failed for good, or somebody has changed it so that records may get
	// lost.
	Health() error

	// Close completes or fails the pending appends, revokes all memberships, ends all
	// readers and releases everything.
	Close() error
}

// Reader reads one partition forward.
type Reader interface {
	// Next blocks until there is at least one record and returns the next ones in
	// order, without gaps, in batches of at most a few MiB. The records are valid
	// until the next call and must not be changed: readers share them. ErrTrimmed and
	// ErrBeyondEnd mean that there is no record at the reader's position; transient
	// failures are retried until ctx ends.
	Next(ctx context.Context) ([]Record, error)
	// Close releases the reader.
	Close()
}

// Owner is told which partitions its member of a group holds.
type Owner interface {
	// Assigned gives partitions to the member.
	Assigned(partitions []int32)
	// Revoked takes partitions back. The next member gets them once the call
	// returns, so it must return within a few seconds.
	Revoked(partitions []int32)
	// Lost takes partitions that another member may hold already.
	Lost(partitions []int32)
}

// Membership is one member's participation in a consumer group.
type Membership interface {
	// Close leaves the group: Revoked is called with all partitions that the member
	// holds, then other members take over.
	Close() error
}

// AppendWait appends one record and waits until it is durable or ctx ends.
// If ctx ends first, the outcome is unknown.
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

// ReadOne returns a copy of the record at offset.
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
