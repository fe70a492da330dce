package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
)

// cut is where the copies of a partition end.
type cut struct {
	poison, events int64
	// published and topic are the offsets of the journal and the events from which the publisher needs them.
	published, topic int64
	frozen           *projections.Frozen
	// commands have the content of the jobs that are unfinished in the frozen rows, and the commands that were set aside.
	commands []Segment
}

func (c *cut) close() {
	if c != nil && c.frozen != nil {
		_ = c.frozen.Close() // nothing was written to it
		c.frozen = nil
	}
}

// cut makes the cut of a partition. It reads effects before their causes.
func (t *taker) cut(ctx context.Context, p int32) (*cut, error) {
	c := &cut{}
	var err error
	if _, c.poison, err = t.Log.Bounds(ctx, events.TopicPoison, p); err != nil {
		return nil, err
	}
	for range tries {
		if c.published, c.topic, err = t.Published(ctx, p); !errors.Is(err, eventlog.ErrTrimmed) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if _, c.events, err = t.Log.Bounds(ctx, events.TopicEvents, p); err != nil {
		return nil, err
	}
	c.topic += (c.events - c.topic) / 2 // half of the last records are enough to say where to continue
	if c.published == 0 {               // nothing is published, so no event is needed
		c.topic = c.events
	}
	for range tries {
		if err = t.freeze(ctx, p, c); !errors.Is(err, eventlog.ErrTrimmed) {
			break
		}
		c.close() // a job has ended, and its content is gone: a later cut does not need it
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// freeze freezes the rows with everything durable, and copies the content of unfinished jobs and the commands that were set aside.
func (t *taker) freeze(ctx context.Context, p int32, c *cut) (err error) {
	if err := t.Replica.CatchUp(ctx, p); err != nil {
		return err
	}
	if c.frozen, err = t.Replica.Freeze(p); err != nil {
		return err
	}
	offsets, aside, err := needed(c.frozen, p)
	if err != nil {
		return err
	}
	slices.Sort(offsets)
	_, end, err := t.Log.Bounds(ctx, events.TopicCommands, p)
	if err != nil {
		return err
	}
	w := &recordWriter{shelf: t.shelf, ctx: ctx}
	for _, offset := range slices.Compact(offsets) {
		if offset >= end { // the topic was re-created: the content is lost (docs/decisions/0024)
			continue
		}
		r, err := eventlog.ReadOne(ctx, t.Log, events.TopicCommands, p, offset)
		if errors.Is(err, eventlog.ErrTrimmed) && (aside[offset] || t.lost(ctx, p, offset)) {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.add(r); err != nil {
			return err
		}
	}
	c.commands, err = w.finish()
	return err
}

// needed returns the offsets of the commands whose records are needed: those with the content of unfinished jobs, and those set aside, which Kafka's
// retention may have deleted.
func needed(rows account.Scanner, p int32) (offsets []int64, aside map[int64]bool, err error) {
	open, err := account.Unsettled(rows, p)
	if err != nil {
		return nil, nil, err
	}
	for _, j := range open {
		if j.State.Active() {
			offsets = append(offsets, j.State.Content)
		}
	}
	aside = map[int64]bool{}
	err = account.EachQuarantined(rows, p, func(cause int64, _ account.Quarantined) bool {
		aside[cause] = true
		offsets = append(offsets, cause)
		return true
	})
	return offsets, aside, err
}

// lost reports whether a job that is still unfinished needs a content that is gone. It will fail, here and where it is restored.
func (t *taker) lost(ctx context.Context, p int32, offset int64) bool {
	if t.Replica.CatchUp(ctx, p) != nil {
		return false
	}
	open, err := account.Unsettled(t.Replica, p)
	return err == nil && slices.ContainsFunc(open, func(j account.Job) bool { return j.State.Active() && j.State.Content == offset })
}

// rows sums up the rows at a cut, and returns the names of its jobs' files.
func (t *taker) rows(ctx context.Context, c *cut, into *Rows) (files []string, err error) {
	sum, err := snapshot.Digest(func(visit func(key, value []byte) error) error {
		return c.frozen.Rows(ctx)(func(key, value []byte) error {
			if _, state, is, err := account.JobOfRow(key, value); err != nil {
				return err
			} else if is {
				files = append(files, state.Files()...)
			}
			return visit(key, value)
		})
	}, t.shelf.pace)
	if err != nil {
		return nil, fmt.Errorf("read the rows: %w", err)
	}
	*into = Rows{sum.Count, sum.Bytes, sum.Digest}
	return files, nil
}
