package projections

import (
	"context"
	"errors"
	"fmt"

	"platen.dev/events"
)

// Outdated reports whether the replica serves rows of an earlier schema while rows of its own are
// built beside them. Nobody may decide on such rows; they are good enough to show.
func (r *Replica) Outdated() bool { return r.outdated.Load() }

// build makes the rows of the present schema beside those that serve, as a new node does, and swaps
// them in once they have the same cursors.
func (r *Replica) build(ctx context.Context) {
	r.cfg.Logger.Info("building rows for a new schema; the earlier ones serve meanwhile", "schema", r.cfg.schema())
	err := r.tryBuild(ctx)
	if err == nil {
		r.cfg.Logger.Info("the rows of a new schema serve", "schema", r.cfg.schema())
		return
	}
	if ctx.Err() == nil {
		r.followers[0].fail(fmt.Errorf("build the rows of the schema %d: %w", r.cfg.schema(), err))
	}
}

func (r *Replica) tryBuild(ctx context.Context) error {
	cfg := r.cfg
	cfg.Dir, cfg.Failed = cfg.dirOf(cfg.schema()), nil
	if err := cfg.FS.RemoveAll(cfg.Dir); err != nil {
		return err
	}
	s, err := openGuarded(cfg, cfg.Dir)
	if err != nil {
		return err
	}
	next, err := newReplica(ctx, cfg, s)
	if err != nil {
		return errors.Join(err, s.db.Close())
	}
	next.Start()
	if err := r.takeOver(ctx, next); err != nil {
		return errors.Join(err, next.Close())
	}
	return nil
}

// takeOver waits until next has folded everything, and continues with its store.
func (r *Replica) takeOver(ctx context.Context, next *Replica) error {
	for p := range r.followers {
		if err := next.CatchUp(ctx, int32(p)); err != nil {
			return err
		}
	}
	for _, f := range r.followers { // they have stopped, and next overtakes them
		f.folding.Lock()
		defer f.folding.Unlock()
	}
	for p, f := range r.followers {
		if err := next.followers[p].wait(ctx, f.position().Next); err != nil {
			return err
		}
	}
	next.stop()
	s := next.store.Load()
	if err := errors.Join(s.noteJournal(), s.complete(r.cfg.schema())); err != nil {
		return err
	}
	r.former = r.store.Swap(s)
	r.swapped <- struct{}{}
	r.forgetAll()
	for p, f := range r.followers {
		if err := f.skip(ctx, next.followers[p].position()); err != nil {
			return err
		}
	}
	r.outdated.Store(false)
	return nil
}

// skip publishes the records up to a cursor, which are already folded.
func (f *follower) skip(ctx context.Context, to Cursor) error {
	p := Progress{Partition: f.partition, Cursor: f.position()}
	reader := f.replica.cfg.Log.Read(events.TopicJournal, f.partition, p.Cursor.Next)
	defer reader.Close()
	for p.Cursor.Next < to.Next {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for _, record := range records[:min(int64(len(records)), to.Next-p.Cursor.Next)] {
			entry, _ := events.DecodeEntry(record.Value) // it was decoded before
			accepted := p.Cursor.Step(record.Offset, entry)
			p.Steps = append(p.Steps, Step{record.Offset, entry, accepted})
		}
	}
	if p.Cursor = to; len(p.Steps) > 0 {
		f.publish(p)
	}
	return nil
}
