package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
)

const (
	// queueBytes bounds the records that wait for one reader; beyond it, the
	// subscription ends.
	queueBytes = 2 << 20
	// pollTimeout bounds a long poll without records. A new subscription may have to
	// wait for the end of the poll under way.
	pollTimeout = 100 * time.Millisecond
)

// topicPartition names a partition.
type topicPartition struct {
	topic     string
	partition int32
}

// The mutexes of this file are locked in the order consumers.mu, consumer.clientMu, consumer.mu;
// subscription.mu is never held together with another. A consumer's goroutine locks only
// consumer.mu and subscription.mu, one at a time, so that it keeps delivering records while a call
// to its client blocks under clientMu.

// consumers are the shared consumers of a log. They are created when needed and kept
// until the log closes. There are as many as the most readers that one partition has
// had at its end at the same time.
type consumers struct {
	log    *Log
	mu     sync.Mutex // guards the fields below
	open   []*consumer
	closed bool
}

// subscribe starts to follow a partition at a position.
func (cs *consumers) subscribe(tp topicPartition, at position) (*subscription, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return nil, eventlog.ErrClosed
	}
	for _, c := range cs.open {
		if s := c.subscribe(tp, at); s != nil {
			return s, nil
		}
	}
	c, err := cs.log.newConsumer()
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	cs.open = append(cs.open, c)
	return c.subscribe(tp, at), nil
}

func (cs *consumers) close() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.closed = true
	for _, c := range cs.open {
		c.client.Close()
		<-c.ended
	}
}

// consumer is one client with at most one subscription per partition. Its
// goroutine delivers what the client fetches, and ends when the client is closed.
type consumer struct {
	client *kgo.Client
	ended  chan struct{}

	clientMu sync.Mutex // serializes adding partitions to the client and removing them

	mu            sync.Mutex // guards subscriptions
	subscriptions map[topicPartition]*subscription
}

func (l *Log) newConsumer() (*consumer, error) {
	client, err := l.config.client(
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // never read at an offset other than the one asked for
		kgo.ConsumePartitions(nil),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(pollTimeout),
		kgo.FetchMaxBytes(8<<20),
		kgo.FetchMaxPartitionBytes(nextBytes),
	)
	if err != nil {
		return nil, err
	}
	c := &consumer{client: client, ended: make(chan struct{}), subscriptions: map[topicPartition]*subscription{}}
	go c.run()
	return c, nil
}

func (c *consumer) run() {
	defer close(c.ended)
	for {
		fetches := c.client.PollFetches(context.Background())
		if fetches.IsClientClosed() {
			return
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if s := c.find(topicPartition{p.Topic, p.Partition}); s != nil {
				s.deliver(p.Records, p.Err)
			}
		})
	}
}

func (c *consumer) find(tp topicPartition) *subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscriptions[tp]
}

// subscribe returns nil if the consumer has a subscription of the partition already.
func (c *consumer) subscribe(tp topicPartition, at position) *subscription {
	c.clientMu.Lock()
	defer c.clientMu.Unlock()
	if c.find(tp) != nil {
		return nil
	}
	s := &subscription{consumer: c, tp: tp, position: at, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	c.subscriptions[tp] = s
	c.mu.Unlock()
	c.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{tp.topic: {tp.partition: kgo.NewOffset().At(at.next).WithEpoch(at.epoch)}})
	return s
}

func (c *consumer) unsubscribe(tp topicPartition) {
	c.clientMu.Lock()
	defer c.clientMu.Unlock()
	c.client.RemoveConsumePartitions(map[string][]int32{tp.topic: {tp.partition}})
	c.mu.Lock()
	delete(c.subscriptions, tp)
	c.mu.Unlock()
}

// position is where a partition is read.
type position struct {
	next  int64 // the broker's offset of the next record
	epoch int32 // of the leader that wrote the previous record; -1 if unknown
	base  int64 // of the partition
}

// subscription carries the records of one partition from the consumer to one reader.
type subscription struct {
	consumer *consumer
	tp       topicPartition
	wake     chan struct{} // has room for one signal that something has changed

	mu sync.Mutex // guards the fields below
	position
	queue  []eventlog.Record
	bytes  int
	missed bool // a record after those in queue was dropped: the subscription has ended
}

// deliver queues records for the reader.
func (s *subscription) deliver(records []*kgo.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, got := range records {
		if got.Offset < s.next || s.missed {
			continue // of an earlier subscription, or too late
		}
		s.missed = got.Offset > s.next || s.bytes > queueBytes
		if !s.missed {
			r := fromKafka(got, s.base)
			s.queue, s.bytes = append(s.queue, r), s.bytes+r.Size()
			s.next, s.epoch = s.next+1, got.LeaderEpoch
		}
	}
	s.missed = s.missed || err != nil
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wait returns the records that have arrived. No records and no error mean that the
// subscription has ended.
func (s *subscription) wait(ctx context.Context) (records []eventlog.Record, epoch int32, err error) {
	for {
		records, epoch, ended := s.take()
		if len(records) > 0 || ended {
			return records, epoch, nil
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, epoch, ctx.Err()
		}
	}
}

func (s *subscription) take() (records []eventlog.Record, epoch int32, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, s.queue, s.bytes = s.queue, nil, 0
	return records, s.epoch, s.missed
}

func (s *subscription) close() { s.consumer.unsubscribe(s.tp) }
