package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// runRecords and runBytes bound the records that one batch folds: waiters for a batch, and the check for a stall, must not wait long.
const (
	runRecords = 4096
	runBytes   = 256 << 10
)

// runOf returns how many of some records one batch folds, at least one.
func runOf(records []eventlog.Record) (n int) {
	for size := 0; n < min(len(records), runRecords) && (n == 0 || size < runBytes); n++ {
		size += len(records[n].Value)
	}
	return n
}

// follower reads one partition of the journal and folds it into the replica.
type follower struct {
	replica   *Replica
	partition int32
	// fresh is set if the store had nothing of the partition when it was opened.
	fresh bool
	// folding is held while rows change.
	folding sync.Mutex
	// restoring is set while a snapshot is loaded.
	restoring atomic.Bool
	// putOff is until when a rebuild of damaged rows waits. Only the follower uses it.
	putOff time.Time

	mu       sync.Mutex
	cursor   Cursor                 // guarded by mu, like all below
	moved    chan struct{}          // closed and replaced when cursor or err changes
	watchers map[int]func(Progress) // by an id for ending the watch
	nextID   int
	err      error // why the follower has stopped
	// compared is set once the journal has been confirmed to be the one that was folded.
	compared bool
	// damaged is why the rows must be rebuilt, interrupt makes the follower notice it, and renewals are the reasons of all renewals, with the one under way.
	damaged   error
	interrupt func()
	renewals  map[string]bool
	// halted is why the partition is halted before the record at the cursor.
	halted error
}

func newFollower(ctx context.Context, r *Replica, partition int32) (*follower, error) {
	cursor, found, err := r.store.Load().cursor(partition)
	if err != nil {
		return nil, err
	}
	_, end, err := r.cfg.Log.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return nil, fmt.Errorf("end of journal %d: %w", partition, err)
	}
	if end == 0 && cursor.Next > 0 {
		return nil, fmt.Errorf("journal %d is empty, but the replica has folded it up to %d: the log was recreated or is another one; if this is the right log, remove %s: %w",
			partition, cursor.Next, r.cfg.Dir, eventlog.ErrBeyondEnd)
	}
	if cursor.Next > end && r.cfg.KeepsEnd {
		return nil, lostEnd(partition, end, cursor.Next)
	}
	return &follower{replica: r, partition: partition, fresh: !found, cursor: cursor, moved: make(chan struct{}), watchers: map[int]func(Progress){}, renewals: map[string]bool{}}, nil
}

// run folds until ctx ends or the follower fails.
func (f *follower) run(ctx context.Context) {
	if f.fresh {
		f.restoreFresh(ctx)
	}
	for {
		f.setCompared(false)
		err := f.compare(ctx)
		if err == nil {
			f.setCompared(true)
			err = f.followUntil(ctx)
		}
		var fault foldError
		switch {
		case ctx.Err() != nil:
		case f.damage() != nil:
			err = f.renew(ctx, f.damage())
		case errors.Is(err, errMoved), errors.Is(err, eventlog.ErrBeyondEnd), errors.Is(err, eventlog.ErrReplaced):
			err = nil // it is compared again
		case errors.Is(err, ErrDiverged):
			err = f.discard(ctx, err)
		case errors.Is(err, eventlog.ErrTrimmed):
			err = f.restoreTrimmed(ctx)
		case errors.As(err, &fault):
			err = f.onFoldError(ctx, fault)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.fail(err)
			return
		}
	}
}

// follow folds until something fails.
func (f *follower) follow(ctx context.Context) error {
	reader := f.replica.cfg.Log.Read(events.TopicJournal, f.partition, f.position().Next)
	defer reader.Close()
	for {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for len(records) > 0 {
			n, err := f.fold(records[:runOf(records)])
			if err != nil {
				return err
			}
			records = records[n:]
		}
	}
}

// errMoved means that the follower has moved away from its reader's position.
var errMoved = errors.New("the follower has moved on")

// fold applies a run of records in one batch, then publishes the progress. It returns the number of records applied, at least one.
func (f *follower) fold(records []eventlog.Record) (n int, err error) {
	f.folding.Lock()
	defer f.folding.Unlock()
	if f.position().Next != records[0].Offset {
		return 0, errMoved
	}
	p, err := f.foldRun(records)
	if err != nil {
		return 0, err
	}
	f.replica.forgetChanged(p.Steps)
	f.publish(p)
	return len(p.Steps), nil
}

func (f *follower) publish(p Progress) {
	f.mu.Lock()
	f.cursor = p.Cursor
	f.wake()
	watchers := make([]func(Progress), 0, len(f.watchers))
	for _, receive := range f.watchers {
		watchers = append(watchers, receive)
	}
	f.mu.Unlock()
	for _, receive := range watchers {
		receive(p)
	}
}

// fail stops the follower for good, unless it has failed before. Only the first failure of a replica is reported.
func (f *follower) fail(err error) {
	f.mu.Lock()
	f.err = cmp.Or(f.err, err)
	f.wake()
	f.mu.Unlock()
	f.replica.failed.Do(func() {
		if f.replica.cfg.Failed != nil {
			f.replica.cfg.Failed(err)
		}
	})
}

func (f *follower) setCompared(is bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compared = is
	f.wake()
}

// wake wakes everything that waits for moved. The caller holds mu.
func (f *follower) wake() {
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *follower) position() Cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cursor
}

func (f *follower) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *follower) watch(receive func(Progress)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.nextID
	f.nextID++
	f.watchers[id] = receive
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	}
}

// wait returns once every record below offset end is folded, or with the error that stops or halts the follower or ends ctx.
func (f *follower) wait(ctx context.Context, end int64) error {
	for {
		f.mu.Lock()
		cursor, moved, compared, err := f.cursor, f.moved, f.compared, cmp.Or(f.err, f.halted)
		f.mu.Unlock()
		if cursor.Next >= end && compared || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("the replica of journal %d is at offset %d, before %d: %w", f.partition, cursor.Next, end, ctx.Err())
		}
	}
}
