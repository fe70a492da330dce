package bus

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/eventlog"
)

// Batch holds the wanted records at the offsets Lo to Hi of a partition.
type Batch struct {
	Topic     string
	Partition int32
	Lo, Hi    int64
	Records   []eventlog.Record
}

type batchKey struct{}

// BatchOf returns the batch that a message of Batches carries.
func BatchOf(m *message.Message) (b Batch, is bool) {
	b, is = m.Context().Value(batchKey{}).(Batch)
	return b, is
}

// BatchConfig configures Batches.
type BatchConfig struct {
	Logger *slog.Logger
	// Wanted reports whether a batch keeps a record. Of the others only the offsets count.
	Wanted func(eventlog.Record) bool
	// A batch ends after Records wanted records, after Bytes of them, or after Offsets
	// offsets; or when Wait has passed since its first wanted record.
	Records, Bytes int
	Offsets        int64
	Wait           time.Duration
	// Pause is how long a batch that was refused waits for its next delivery.
	Pause time.Duration
}

// batches gathers the messages of another subscriber.
type batches struct {
	inner message.Subscriber
	cfg   BatchConfig
}

// Batches returns a subscriber whose messages are batches of another subscriber's messages. That
// one must deliver the messages of a partition in order, each after the ack of the previous one.
//
// A message is acked once a batch has taken it, before the batch is processed. So batches are for
// consumers that track their own progress: they say where to begin (Start).
func Batches(inner message.Subscriber, cfg BatchConfig) message.Subscriber {
	return &batches{inner, cfg}
}

func (s *batches) Close() error { return s.inner.Close() }

func (s *batches) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	messages, err := s.inner.Subscribe(ctx, topic)
	if err != nil {
		return nil, err
	}
	out := make(chan *message.Message)
	go func() {
		defer close(out)
		s.distribute(ctx, topic, messages, out)
	}()
	return out, nil
}

// distribute hands each message to the gatherer of its partition, until there are no more.
func (s *batches) distribute(ctx context.Context, topic string, messages <-chan *message.Message, out chan<- *message.Message) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	gatherers := map[int32]chan received{}
	for m := range messages {
		partition, record, err := RecordOf(m)
		if err != nil {
			s.cfg.Logger.Error("a consumer skips a message", "topic", topic, "error", err)
			m.Ack()
			continue
		}
		in, found := gatherers[partition]
		if !found {
			in = make(chan received, 1) // has room: the partition's next message comes after the ack of this one
			gatherers[partition] = in
			g := &gatherer{cfg: s.cfg, in: in, out: out, batch: Batch{Topic: topic, Partition: partition}}
			running.Go(func() { g.run(ctx) })
		}
		select {
		case in <- received{m, record}:
		case <-ctx.Done():
		}
	}
}

// received is a message with its record.
type received struct {
	message *message.Message
	record  eventlog.Record
}

// gatherer makes the batches of a partition, one after the other.
type gatherer struct {
	cfg   BatchConfig
	in    <-chan received
	out   chan<- *message.Message
	batch Batch
	begun bool // whether the batch has an offset
	bytes int
	ended <-chan time.Time // nil without a wanted record
	held  *received        // of the next batch
}

// run gathers until ctx ends.
func (g *gatherer) run(ctx context.Context) {
	for g.gather(ctx) {
		deliver(ctx, g.out, g.cfg.Pause, func() *message.Message {
			m := message.NewMessage("", nil)
			m.SetContext(context.WithValue(ctx, batchKey{}, g.batch))
			return m
		})
		g.clear()
	}
}

// clear begins another batch.
func (g *gatherer) clear() {
	g.batch = Batch{Topic: g.batch.Topic, Partition: g.batch.Partition}
	g.begun, g.bytes, g.ended = false, 0, nil
}

// gather fills the batch, and reports whether ctx is still alive.
func (g *gatherer) gather(ctx context.Context) bool {
	for !g.full() {
		if g.held != nil {
			g.take(*g.held)
			g.held = nil
			continue
		}
		select {
		case r := <-g.in:
			if g.begun && r.record.Offset > g.batch.Hi+1 { // the partition was assigned elsewhere for a while
				g.held = &r
				return true
			}
			g.take(r)
		case <-g.ended:
			return true
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (g *gatherer) full() bool {
	return g.begun && (len(g.batch.Records) >= g.cfg.Records || g.bytes >= g.cfg.Bytes || g.batch.Hi-g.batch.Lo+1 >= g.cfg.Offsets)
}

// take adds a record unless the batch has it already. A consumer that begins again at or before the batch has the whole batch delivered again, and
// with it other records if the topic has lost its end.
func (g *gatherer) take(r received) {
	defer r.message.Ack()
	if g.begun && r.record.Offset <= g.batch.Lo {
		g.clear()
	}
	switch {
	case !g.begun:
		g.batch.Lo, g.begun = r.record.Offset, true
	case r.record.Offset <= g.batch.Hi:
		return // redelivered
	}
	g.batch.Hi = r.record.Offset
	if !g.cfg.Wanted(r.record) {
		return
	}
	if g.ended == nil {
		g.ended = time.After(g.cfg.Wait)
	}
	g.batch.Records = append(g.batch.Records, r.record)
	g.bytes += r.record.Size()
}
