package history

import (
	"context"
	"fmt"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/projections/snapshot"
)

// trim trims the journal of a partition before the oldest kept snapshot, but nothing from needed on, and public
// events that are too old.
func (k *Keeper) trim(ctx context.Context, p int32, refs []snapshot.Ref, needed int64) error {
	k.mu.Lock()
	k.trimmed[p] = k.cfg.Now()
	k.mu.Unlock()
	journal, published, err := k.cfg.Published(ctx, p)
	if err != nil {
		return err
	}
	if err := k.trimJournal(ctx, p, refs, min(journal, needed)); err != nil {
		return err
	}
	return k.trimEvents(ctx, p, published)
}

func (k *Keeper) trimJournal(ctx context.Context, p int32, refs []snapshot.Ref, needed int64) error {
	before := k.cfg.TrimBefore(refs, needed)
	start, _, err := k.cfg.Log.Bounds(ctx, events.TopicJournal, p)
	if err != nil || before <= start {
		return err
	}
	for _, ref := range refs[:k.cfg.Keep] { // snapshots relied on from now on must be there, and of this journal
		m, err := k.source.open(ctx, ref)
		if err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		if m.Base == snapshot.Unconfirmed {
			return nil // the next confirmed one takes its place
		}
		if oldest := ref == refs[k.cfg.Keep-1]; oldest && !k.everybodyIsPast(m.Taken) {
			return nil
		}
	}
	return k.trimTo(ctx, events.TopicJournal, p, start, before)
}

// currentMargin is how far the clocks of nodes may differ.
const currentMargin = time.Minute

// everybodyIsPast reports whether every live node has folded the journal as of a time. A node that
// has not would have to load a snapshot.
func (k *Keeper) everybodyIsPast(taken time.Time) bool {
	return k.cfg.Current().After(taken.Add(currentMargin))
}

// trimEvents deletes public events that are too old, but never needed ones.
func (k *Keeper) trimEvents(ctx context.Context, p int32, published int64) error {
	if k.cfg.Consumed == nil || k.cfg.Events == 0 {
		return nil
	}
	consumed, err := k.cfg.Consumed(ctx, p)
	if err != nil {
		return err
	}
	start, end, err := k.cfg.Log.Bounds(ctx, events.TopicEvents, p)
	if err != nil {
		return err
	}
	before, err := olderThan(ctx, k.cfg.Log, p, start, min(published, consumed, end), k.cfg.Now().Add(-k.cfg.Events))
	if err != nil || before <= start {
		return err
	}
	return k.trimTo(ctx, events.TopicEvents, p, start, before)
}

// olderThan returns the offset of the first public event from start on, and before end, that happened
// after limit.
func olderThan(ctx context.Context, log eventlog.Log, p int32, start, end int64, limit time.Time) (int64, error) {
	if start >= end {
		return start, nil
	}
	reader := log.Read(events.TopicEvents, p, start)
	defer reader.Close()
	for at := start; ; {
		records, err := reader.Next(ctx)
		if err != nil {
			return at, err
		}
		for _, r := range records {
			if e, err := public.Parse(r); r.Offset >= end || err == nil && e.At.After(limit) {
				return r.Offset, nil
			}
			at = r.Offset + 1
		}
		if at >= end {
			return end, nil
		}
	}
}

func (k *Keeper) trimTo(ctx context.Context, topic string, p int32, start, before int64) error {
	if err := k.cfg.Log.Trim(ctx, topic, p, before); err != nil {
		return err
	}
	k.count(func(c *Counts) { c.Records += before - start })
	k.cfg.Logger.Info("history trimmed", "topic", topic, "partition", p, "from", start, "to", before)
	return nil
}
