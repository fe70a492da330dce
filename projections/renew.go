package projections

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/projections/table"
)

// The rows of a partition follow from its journal, so damaged rows are rebuilt. If that does not help, the journal has a record that this version
// cannot fold: then the partition is halted before that record, and the others continue.

// ErrHalted means that a record of a journal cannot be folded: folding it panics, or needs rows that cannot be decoded even after a rebuild.
var ErrHalted = errors.New("a record of the journal cannot be folded")

// foldError means that projections cannot fold a record.
type foldError struct {
	offset int64
	err    error
}

func (e foldError) Error() string { return fmt.Sprintf("the record at offset %d: %v", e.offset, e.err) }
func (e foldError) Unwrap() error { return e.err }

// panicError means that a projection has panicked.
type panicError struct {
	value any
	stack []byte // for the log: whoever asks why the partition is halted wants one line
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// stackOf returns the stack of a panic, "" for any other error.
func stackOf(err error) string {
	var p *panicError
	if errors.As(err, &p) {
		return string(p.stack)
	}
	return ""
}

// Halted returns why a partition is halted before the record at its cursor; nil if it is not.
func (r *Replica) Halted(partition int32) error { return r.followers[partition].halt() }

// CacheBytes returns the memory of its database's caches.
func (r *Replica) CacheBytes() int64 { return disk.CacheBytes(r.store.Load().db) }

// Renewed counts the partitions whose rows were rebuilt because they were damaged.
func (r *Replica) Renewed() int64 { return r.renewed.Load() }

// Renew has the rows of a partition rebuilt, because one of them cannot be used. It returns at once: true if the caller should try again after a
// while, and false if the rows were already rebuilt for the same reason, so that the journal itself is the cause. One rebuild serves all that is found
// damaged before its end; what is damaged after it is found again.
func (r *Replica) Renew(partition int32, why error) bool {
	f := r.followers[partition]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damaged != nil {
		return true
	}
	if f.renewals[why.Error()] || len(f.renewals) >= maxRenewals {
		return false
	}
	f.renewals[why.Error()], f.damaged = true, why
	if f.interrupt != nil {
		f.interrupt()
	}
	return true
}

// ObserveDamage implements table.DamageObserver: reading a damaged row has its partition rebuilt. The row of an API key does not name its partition,
// so damage there has all of them rebuilt.
func (r *Replica) ObserveDamage(key []byte, why error) {
	for p := range r.followers {
		if key[0] == apiKeys.Name || bytes.HasPrefix(key, spanOf(key[0], int32(p))) {
			r.Renew(int32(p), why)
		}
	}
}

// maxRenewals bounds how often a partition is renewed until the node starts again.
const maxRenewals = 8

// damage returns why the rows must be rebuilt, nil if they need not.
func (f *follower) damage() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.damaged
}

// followUntil follows until a failure or until the rows must be rebuilt. While a rebuild is put off, it continues with what it has.
func (f *follower) followUntil(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.interrupt = cancel
	damaged := f.damaged
	f.mu.Unlock()
	if damaged == nil {
		return f.follow(ctx)
	}
	until := time.Until(f.putOff)
	if until <= 0 {
		return damaged
	}
	defer time.AfterFunc(until, cancel).Stop()
	return f.follow(ctx)
}

// renewAgain is the pause after a rebuild for which it cannot be found out whether there is a base: the store of the snapshots, or the log, does not
// answer.
const renewAgain = time.Minute

// renew rebuilds damaged rows, when it is time to. A partition without a snapshot whose journal was trimmed keeps its rows.
func (f *follower) renew(ctx context.Context, why error) error {
	if !eventlog.Pause(ctx, time.Until(f.putOff)) {
		return ctx.Err()
	}
	r := f.replica
	r.cfg.Logger.Error("a partition has damaged rows; rebuilding all of them", "partition", f.partition, "error", why)
	err := f.makeAgain(ctx)
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, errUnknownBase):
		r.cfg.Logger.Error("cannot rebuild the rows of a partition now, retrying later", "partition", f.partition, "error", err)
		f.putOff = time.Now().Add(cmp.Or(r.cfg.testRenewAgain, renewAgain))
		return nil
	case errors.Is(err, errNoBase):
		r.cfg.Logger.Error("cannot rebuild the rows of a partition", "partition", f.partition, "error", err)
		err = nil
	}
	r.renewed.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.damaged = nil
	return err
}

var (
	// errNoBase means that there is nothing from which to rebuild the rows of a partition.
	errNoBase = errors.New("the journal was trimmed, and no snapshot matches the rest of it")
	// errUnknownBase means that it cannot be found out at present whether there is something.
	errUnknownBase = errors.New("it is not known from what the rows can be rebuilt")
)

// makeAgain drops the rows of a partition, and begins again with a snapshot or with the beginning of the journal.
func (f *follower) makeAgain(ctx context.Context) error {
	err := f.restoreFrom(ctx, -1)
	if err == nil || ctx.Err() != nil {
		return err
	}
	start, _, boundsErr := f.replica.cfg.Log.Bounds(ctx, events.TopicJournal, f.partition)
	switch {
	case boundsErr != nil:
		return fmt.Errorf("%w: %w: %w", errUnknownBase, boundsErr, err)
	case start > 0 && errors.Is(err, ErrNoSnapshot):
		return fmt.Errorf("%w: %w", errNoBase, err)
	case start > 0:
		return fmt.Errorf("%w: %w", errUnknownBase, err)
	}
	cursor, err := f.load(ctx, func(visit func(key, value []byte) error) error {
		value, err := table.Encode(Origin())
		if err != nil {
			return err
		}
		return visit(cursorKey(f.partition), value)
	})
	if err == nil {
		f.restored(cursor)
	}
	return err
}

// onFoldError rebuilds the rows if that may help, and halts the partition otherwise.
func (f *follower) onFoldError(ctx context.Context, fault foldError) error {
	if errors.Is(fault, table.ErrUndecodable) && f.replica.Renew(f.partition, fault) {
		return nil
	}
	f.mu.Lock()
	f.halted = fmt.Errorf("%w: journal %d, %w", ErrHalted, f.partition, fault)
	f.wake()
	f.mu.Unlock()
	f.replica.cfg.Logger.Error("a partition is halted, its accounts get no replies: its journal has a record that cannot be folded", "partition", f.partition, "offset", fault.offset, "error", fault.err, "stack", stackOf(fault.err))
	f.publish(Progress{Partition: f.partition, Cursor: f.position(), Halted: f.halted})
	<-ctx.Done()
	return ctx.Err()
}

func (f *follower) halt() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.halted
}

// foldRun folds a run of records. If one of them cannot be folded, those before it are.
func (f *follower) foldRun(records []eventlog.Record) (Progress, error) {
	s, cursor := f.replica.store.Load(), f.position()
	p, err := s.fold(f.partition, cursor, records)
	var fault foldError
	if errors.As(err, &fault) && fault.offset > records[0].Offset {
		return s.fold(f.partition, cursor, records[:fault.offset-records[0].Offset])
	}
	return p, err
}
