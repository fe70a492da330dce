package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"platen.dev/events"
)

// freshness is how long a read waits for this node to catch up.
const freshness = 5 * time.Second

// ErrBehind means that this node may lack durable records: it does not catch up, or the log cannot be asked. The request may be repeated.
var ErrBehind = errors.New("the read models are behind")

// Freshness waits until this node has read all that is durable.
type Freshness struct {
	partitions int32
	catchUp    func(ctx context.Context, partition int32) error
	runs       singleflight.Group
}

// NewFreshness returns the Freshness of a node with a number of partitions; catchUp makes its replica catch up with one.
func NewFreshness(partitions int32, catchUp func(ctx context.Context, partition int32) error) *Freshness {
	return &Freshness{partitions: partitions, catchUp: catchUp}
}

// Account waits until this node has read everything of an account that is durable now. Its error is ErrBehind.
func (f *Freshness) Account(id events.AccountID) error {
	return f.Partition(events.Partition(id, f.partitions))
}

// Partition is Account for a partition.
func (f *Freshness) Partition(p int32) error {
	return f.shared(strconv.Itoa(int(p)), func(ctx context.Context) error { return f.catchUp(ctx, p) })
}

// All is Account for all accounts.
func (f *Freshness) All() error {
	return f.shared("all", func(ctx context.Context) error {
		for p := range f.partitions {
			if err := f.catchUp(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Lookup reads something of an account. If it is not found, this node catches up and reads again: another node may have written it a moment ago.
func Lookup[T any](f *Freshness, account events.AccountID, read func() (T, bool, error)) (T, bool, error) {
	value, found, err := read()
	if found || err != nil {
		return value, found, err
	}
	if err := f.Account(account); err != nil {
		return value, false, err
	}
	return read()
}

// shared merges concurrent waits, so that a crowd costs no more than one. A caller that joins one also waits for the next, because the first may have
// begun before the caller's moment.
func (f *Freshness) shared(name string, wait func(context.Context) error) error {
	run := func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), freshness)
		defer cancel()
		return nil, wait(ctx)
	}
	_, err, joined := f.runs.Do(name, run)
	if err == nil && joined {
		_, err, _ = f.runs.Do(name, run)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBehind, err)
	}
	return nil
}
