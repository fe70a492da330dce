// Package publish publishes what happened: for each fact of the accepted journal, one record of the
// topic platen.events (events/public).
//
// The owner of a partition publishes its facts in order. The topic itself says where to resume: the
// id of its last record names the place in the journal. So after a crash, or beside a former owner
// that does not know yet that it has been replaced, facts may be repeated, but none is left out and
// none appears for the first time after a later one.
package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/limit"
	"platen.dev/events/public"
	"platen.dev/projections"
)

// Config configures a Publisher.
type Config struct {
	Log    eventlog.Log
	Logger *slog.Logger
	// Begin returns a cursor from which a trimmed journal can be read, for a topic that has no events
	// of the partition. Nil means that the journal is whole.
	Begin func(ctx context.Context, partition int32) (projections.Cursor, error)
	// Pause is how long a partition waits after a failure; 0 means a second.
	Pause time.Duration
}

const (
	// window bounds the records of a partition under way at once.
	window = 128
	// tail is how many of the last records are searched first for the place to continue. Several owners
	// may have had a window of records under way.
	tail = 4 * window
	// part bounds how many records before those are searched at once.
	part = 8 * tail
	// otherFactor makes the pause longer after the whole topic was searched in vain, until somebody puts it right.
	otherFactor = 60
	// sayAgain is how often the log says that a partition waits, while the reason stays the same: it is tried again every second, for days if need be.
	sayAgain = 10 * time.Minute
)

// Publisher publishes the partitions that a node owns. It is safe for concurrent use.
type Publisher struct {
	cfg     Config
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	next    []atomic.Int64 // by partition: the journal offset up to which everything is published; 0 if not owned
	waiting []limit.News   // by partition

	failures atomic.Int64
}

// New returns a publisher.
func New(cfg Config) *Publisher {
	if cfg.Pause == 0 {
		cfg.Pause = time.Second
	}
	p := &Publisher{cfg: cfg, next: make([]atomic.Int64, cfg.Log.Partitions()), waiting: make([]limit.News, cfg.Log.Partitions())}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Start publishes a partition until stop is called, retrying after failures. stop does not wait.
func (p *Publisher) Start(partition int32) (stop func()) {
	ctx, cancel := context.WithCancel(p.ctx)
	p.running.Go(func() { p.run(ctx, partition) })
	return cancel
}

// Close ends all publishing and waits for it.
func (p *Publisher) Close() {
	p.cancel()
	p.running.Wait()
}

// Failures returns how often publishing a partition has failed.
func (p *Publisher) Failures() int64 { return p.failures.Load() }

// Next returns the offset of the journal up to which a partition is published; 0 if it is not being
// published here.
func (p *Publisher) Next(partition int32) int64 { return p.next[partition].Load() }

func (p *Publisher) run(ctx context.Context, partition int32) {
	defer p.next[partition].Store(0)
	for ctx.Err() == nil {
		err := p.publish(ctx, partition)
		if ctx.Err() != nil {
			return
		}
		p.failures.Add(1)
		if p.waiting[partition].Is(err.Error(), time.Now(), sayAgain) {
			p.cfg.Logger.Error("public events are waiting, retrying; jobs continue", "partition", partition, "error", err)
		}
		pause := p.cfg.Pause
		if errors.Is(err, errOther) {
			pause *= otherFactor
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// publish continues where the topic ends, until a failure. No append is under way when it returns,
// unless ctx has ended.
func (p *Publisher) publish(ctx context.Context, partition int32) error {
	at, err := p.resume(ctx, partition)
	if err != nil {
		return err
	}
	run := &run{publisher: p, partition: partition, at: at, slots: make(chan struct{}, window)}
	run.ctx, run.fail = context.WithCancelCause(ctx)
	defer run.fail(nil)
	err = run.follow()
	if cause := context.Cause(run.ctx); cause != nil {
		err = cause
	}
	for range window { // until no append is under way
		select {
		case run.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// run is one attempt to publish a partition.
type run struct {
	publisher *Publisher
	partition int32
	at        place
	ctx       context.Context // ends with the first failure
	fail      context.CancelCauseFunc
	slots     chan struct{} // one for each append under way
}

// follow reads the journal and publishes the facts of accepted records.
func (r *run) follow() error {
	reader := r.publisher.cfg.Log.Read(events.TopicJournal, r.partition, r.at.cursor.Next)
	defer reader.Close()
	for {
		records, err := reader.Next(r.ctx)
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		for _, record := range records {
			if err := r.take(record); err != nil {
				return fmt.Errorf("journal at offset %d: %w", record.Offset, err)
			}
		}
		r.publisher.next[r.partition].Store(r.at.cursor.Next)
	}
}

func (r *run) take(record eventlog.Record) error {
	facts, err := r.at.take(r.partition, record)
	if err != nil {
		return err
	}
	for _, fact := range facts {
		if !r.at.last.Before(fact.Position) {
			continue // published before
		}
		if err := r.append(fact); err != nil {
			return err
		}
	}
	return nil
}

// append waits only for room.
func (r *run) append(fact public.Event) error {
	record, err := fact.Record()
	if err != nil {
		return err
	}
	select {
	case r.slots <- struct{}{}:
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	r.publisher.cfg.Log.Append(events.TopicEvents, r.partition, record, func(_ int64, err error) {
		if err != nil {
			r.fail(fmt.Errorf("append to %s: %w", events.TopicEvents, err))
		} else {
			r.appended()
		}
		<-r.slots
	})
	return nil
}

// appended says that events wait no longer, if the log said that they do.
func (r *run) appended() {
	if r.publisher.waiting[r.partition].Over() {
		r.publisher.cfg.Logger.Info("public events are published again", "partition", r.partition)
	}
}

// place is a position at which publishing continues.
type place struct {
	cursor projections.Cursor
	// last is the fact that was published last.
	last public.Position
	// sequence is the number of the last fact before the cursor.
	sequence int64
}

// take moves the place past a record of the journal, and returns its facts.
func (p *place) take(partition int32, record eventlog.Record) (facts []public.Event, err error) {
	entry, err := events.DecodeEntry(record.Value)
	if errors.Is(err, events.ErrNewer) {
		return nil, err
	} // any other error: a foreign record, which every reader skips and the replica reports
	before := p.cursor
	accepted := p.cursor.Step(record.Offset, entry)
	switch e := entry.(type) {
	case events.Marker:
		if p.cursor.Number != before.Number {
			facts = append(facts, public.Begun(partition, record.Offset, e, before.Timeline, p.sequence))
			p.sequence = p.cursor.Number - 1
		}
	case events.Envelope:
		if accepted {
			facts = public.Of(p.cursor.Timeline, partition, record.Offset, e)
		}
	}
	for i := range facts {
		p.sequence++
		facts[i].Sequence = p.sequence
	}
	return facts, nil
}

// origin returns the place before the first record of a journal.
func origin(partition int32) place {
	return place{cursor: projections.Origin(), last: public.Position{Partition: partition, Offset: -1}}
}
