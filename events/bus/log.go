package bus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/eventlog"
)

// logPublisher appends messages to a log.
type logPublisher struct{ log eventlog.Log }

// NewLogPublisher returns a publisher that appends each message to the partition that it names.
// Publish returns when the messages are durable. Close does nothing.
func NewLogPublisher(log eventlog.Log) message.Publisher { return logPublisher{log} }

func (p logPublisher) Publish(topic string, messages ...*message.Message) error {
	for _, m := range messages {
		partition, r, err := RecordOf(m)
		if err == nil && (partition < 0 || partition >= p.log.Partitions()) {
			err = fmt.Errorf("message %q names partition %d", m.UUID, partition)
		}
		if err != nil {
			return err
		}
		if _, err := eventlog.AppendWait(m.Context(), p.log, topic, partition, r); err != nil {
			return fmt.Errorf("append to %s/%d: %w", topic, partition, err)
		}
	}
	return nil
}

func (logPublisher) Close() error { return nil }

// LogConfig configures a subscriber of a log.
type LogConfig struct {
	Log eventlog.Log
	// Start is called when the subscription begins, and again after a failure.
	Start Start
	// Waiting is told why partitions cannot be read, and that they can.
	Waiting Waiting
	// Pause is how long a partition waits after a failure or a nack; 0 means a second.
	Pause time.Duration
}

// calm is how many pauses a partition is read without a failure, though without a record, until it counts as readable.
const calm = 10

// logSubscriber reads all partitions of a log.
type logSubscriber struct {
	cfg     LogConfig
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup
}

// NewLogSubscriber returns a subscriber of all partitions of a log. The messages of a partition come
// in order, the next one after an ack, and the same one again after a nack.
func NewLogSubscriber(cfg LogConfig) message.Subscriber {
	if cfg.Pause == 0 {
		cfg.Pause = time.Second
	}
	s := &logSubscriber{cfg: cfg}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

func (s *logSubscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	if s.life.Err() != nil {
		return nil, eventlog.ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	out := make(chan *message.Message)
	var partitions sync.WaitGroup
	for p := range s.cfg.Log.Partitions() {
		partitions.Go(func() { s.run(ctx, topic, p, out) })
	}
	s.running.Go(func() {
		partitions.Wait()
		stop()
		cancel()
		close(out)
	})
	return out, nil
}

func (s *logSubscriber) Close() error {
	s.end()
	s.running.Wait()
	return nil
}

// run delivers a partition until ctx ends.
func (s *logSubscriber) run(ctx context.Context, topic string, partition int32, out chan<- *message.Message) {
	for {
		err := s.read(ctx, topic, partition, out)
		if ctx.Err() != nil {
			return
		}
		s.cfg.Waiting.tell(partition, err)
		if !eventlog.Pause(ctx, s.cfg.Pause) {
			return
		}
	}
}

func (s *logSubscriber) read(ctx context.Context, topic string, partition int32, out chan<- *message.Message) error {
	from, err := s.cfg.Start(ctx, topic, partition)
	if err != nil {
		return err
	}
	reader := s.cfg.Log.Read(topic, partition, from)
	defer reader.Close()
	told := make(chan struct{})
	calmed := time.AfterFunc(calm*s.cfg.Pause, func() {
		defer close(told)
		s.cfg.Waiting.tell(partition, nil)
	})
	defer func() {
		if !calmed.Stop() {
			<-told // before a failure is
		}
	}()
	for {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		s.cfg.Waiting.tell(partition, nil)
		for _, r := range records {
			deliver(ctx, out, s.cfg.Pause, func() *message.Message {
				m := NewMessage(partition, Detached(r))
				m.SetContext(ctx)
				return m
			})
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

// Detached returns a copy of a record that shares no memory with its reader.
func Detached(r eventlog.Record) eventlog.Record {
	r.Key, r.Value = slices.Clone(r.Key), slices.Clone(r.Value)
	return r
}

// deliver sends a message, built anew each time, until one is acked or ctx ends.
func deliver(ctx context.Context, out chan<- *message.Message, again time.Duration, build func() *message.Message) {
	for {
		m := build()
		inside, cancel := context.WithCancel(m.Context())
		m.SetContext(inside)
		acked := send(inside, out, m)
		cancel()
		if acked || !eventlog.Pause(ctx, again) {
			return
		}
	}
}

// send waits for the ack, or for the nack or the end of ctx.
func send(ctx context.Context, out chan<- *message.Message, m *message.Message) (acked bool) {
	select {
	case out <- m:
	case <-ctx.Done():
		return false
	}
	select {
	case <-m.Acked():
		return true
	case <-m.Nacked():
	case <-ctx.Done():
	}
	return false
}
