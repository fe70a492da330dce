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
	// queueBytes bounds what waits for one reader; beyond it the subscription ends.
	queueBytes = 2 << 20
	// pollTime bounds a long poll without records. A new subscription may have to wait
	// for the end of the poll under way.
	pollTime = 100 * time.Millisecond
)

// place names a partition.
type place struct {
	topic     string
	partition int32
}

// tails are the shared consumers. They are made when needed and kept until the
// log closes: as many as one partition has had readers at its end at a time.
type tails struct {
	log    *Log
	mu     sync.Mutex
	open   []*consumer
	closed bool
}

// subscribe starts to follow a partition at offset next.
func (ts *tails) subscribe(at place, next int64) (*subscription, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		return nil, eventlog.ErrClosed
	}
	for _, c := range ts.open {
		if s := c.subscribe(at, next); s != nil {
			return s, nil
		}
	}
	c, err := ts.log.newConsumer()
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	ts.open = append(ts.open, c)
	return c.subscribe(at, next), nil
}

func (ts *tails) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.closed = true
	for _, c := range ts.open {
		c.client.Close()
		<-c.ended
	}
}

// consumer is one client with at most one subscription per partition. Its
// goroutine, ended by closing the client, deals out what is fetched.
type consumer struct {
	client *kgo.Client
	ended  chan struct{}

	changes       sync.Mutex // serializes what is added to and removed from the client
	mu            sync.Mutex
	subscriptions map[place]*subscription
}

func (l *Log) newConsumer() (*consumer, error) {
	client, err := l.config.client(
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // never read elsewhere than asked
		kgo.ConsumePartitions(nil),
		kgo.FetchMaxWait(pollTime),
		kgo.FetchMaxBytes(8<<20),
		kgo.FetchMaxPartitionBytes(nextBytes),
	)
	if err != nil {
		return nil, err
	}
	c := &consumer{client: client, ended: make(chan struct{}), subscriptions: map[place]*subscription{}}
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
			if s := c.find(place{p.Topic, p.Partition}); s != nil {
				s.deal(p.Records, p.Err)
			}
		})
	}
}

func (c *consumer) find(at place) *subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscriptions[at]
}

// subscribe gives nil when the partition is followed here already.
func (c *consumer) subscribe(at place, next int64) *subscription {
	c.changes.Lock()
	defer c.changes.Unlock()
	if c.find(at) != nil {
		return nil
	}
	s := &subscription{consumer: c, at: at, next: next, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	c.subscriptions[at] = s
	c.mu.Unlock()
	c.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{at.topic: {at.partition: kgo.NewOffset().At(next)}})
	return s
}

func (c *consumer) unsubscribe(at place) {
	c.changes.Lock()
	defer c.changes.Unlock()
	c.client.RemoveConsumePartitions(map[string][]int32{at.topic: {at.partition}})
	c.mu.Lock()
	delete(c.subscriptions, at)
	c.mu.Unlock()
}

// subscription carries the records of one partition from the consumer to one reader.
type subscription struct {
	consumer *consumer
	at       place
	wake     chan struct{} // holds one signal when there is news

	mu     sync.Mutex
	next   int64 // the offset to come
	queue  []eventlog.Record
	bytes  int
	missed bool // what came after queue was not kept: the end of the subscription
}

// deal takes records from the consumer's goroutine.
func (s *subscription) deal(records []*kgo.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, got := range records {
		if got.Offset < s.next || s.missed {
			continue // of an earlier subscription, or too late
		}
		s.missed = got.Offset > s.next || s.bytes > queueBytes
		if !s.missed {
			s.queue = append(s.queue, fromKafka(got))
			s.bytes += len(got.Key) + len(got.Value)
			s.next++
		}
	}
	s.missed = s.missed || err != nil
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wait gives what has arrived. Nothing and no error means that the subscription has ended.
func (s *subscription) wait(ctx context.Context) ([]eventlog.Record, error) {
	for {
		records, ended := s.take()
		if len(records) > 0 || ended {
			return records, nil
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *subscription) take() (records []eventlog.Record, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, s.queue, s.bytes = s.queue, nil, 0
	return records, s.missed
}

func (s *subscription) close() { s.consumer.unsubscribe(s.at) }
