package salvage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// carried is a partition whose rows were carried over from the replica, because its journal has lost records.
type carried struct {
	partition int32
	cursor    projections.Cursor
	// missing is the number of folded records that the journal has lost at its end.
	missing int64
	// stale is set if the journal that is left begins after the replica's cursor: its rows are of no use.
	stale bool
}

// carryOver makes the copy continue where the replica is. Each partition whose journal has lost records gets a snapshot of the replica's rows: neither
// another replica nor a consumer of public events could make them from what is left.
func (c Config) carryOver(ctx context.Context, found embedded.Salvaged, folded projections.Folded, bridges map[int32]*bridge) (all []carried, err error) {
	l, err := embedded.Open(embedded.Config{Dir: c.To, Partitions: found.Partitions, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if id := l.TopicID(events.TopicJournal); len(folded.Cursors) > 0 && id != folded.Journal {
		return nil, fmt.Errorf("%s was folded from the journal %s, and this is %s: move it away if this log is the right one", c.Replica, folded.Journal, id)
	}
	if err := c.extendEvents(ctx, l); err != nil {
		return nil, fmt.Errorf("how far the usage ledger has read the public events is unknown: %w", err)
	}
	harmed := map[int32]bool{}
	for _, lost := range found.Lost {
		harmed[lost.Partition] = harmed[lost.Partition] || lost.Topic == events.TopicJournal
	}
	for p := range l.Partitions() {
		one, err := c.reach(ctx, l, p, folded.Cursors[p], bridges[p])
		if err != nil {
			return nil, fmt.Errorf("partition %d: %w", p, err)
		}
		if one.cursor.Next > 0 && (one.missing > 0 || harmed[p]) {
			all = append(all, one)
		}
	}
	return all, c.snapshots(ctx, l, all)
}

// reach makes the commands of a partition reach to the last one that was decided, and the journal to the replica's cursor. If the journal lacks records
// there, it begins just before the cursor: what is left of it before cannot be folded up to there. Behind the cursor a timeline begins, so that public
// events get numbers above those that were published of lost records.
func (c Config) reach(ctx context.Context, l eventlog.Log, p int32, cursor projections.Cursor, b *bridge) (one carried, err error) {
	one = carried{partition: p, cursor: cursor}
	next := int64(0)
	if cursor.Next > 0 {
		next = cursor.Cause + 1
	}
	if b != nil {
		next = max(next, b.cursor.Cause+1)
	}
	if err := extend(ctx, l, events.TopicCommands, p, next); err != nil || cursor.Next == 0 {
		return one, err
	}
	start, end, err := l.Bounds(ctx, events.TopicJournal, p)
	one.missing, one.stale = max(0, cursor.Next-end), start >= cursor.Next && end > start
	if err != nil || one.missing == 0 {
		return one, err
	}
	if err := errors.Join(l.Trim(ctx, events.TopicJournal, p, end), l.Begin(ctx, events.TopicJournal, p, cursor.Next-1)); err != nil {
		return one, err
	}
	for _, entry := range []events.Entry{lastFolded(cursor), c.marker(cursor)} {
		value, err := events.EncodeEntry(entry)
		if err != nil {
			return one, err
		}
		if _, err := eventlog.AppendWait(ctx, l, events.TopicJournal, p, eventlog.Record{Value: value}); err != nil {
			return one, err
		}
	}
	return one, nil
}

// lastFolded returns an entry that can stand in place of the last one folded: the last marker, or a gap of no commands.
func lastFolded(cursor projections.Cursor) events.Entry {
	if cursor.Epoch == cursor.Next-1 {
		return events.Marker{Owner: cursor.Owner, Commands: cursor.Commands, Level: cursor.Level(), Timeline: cursor.Timeline, At: cursor.At}
	}
	return events.Gap{Epoch: cursor.Epoch, From: cursor.Cause + 1, To: cursor.Cause + 1, Commands: cursor.Commands}
}

// marker returns the marker of the timeline that begins behind the cursor.
func (c Config) marker(cursor projections.Cursor) events.Marker {
	return events.Marker{
		Owner: salvager, Version: c.Version, Commands: cursor.Commands, Level: cursor.Level(), Timeline: events.NewTimelineID(), At: events.At(time.Now()),
		Restored: true,
	}
}

// extendEvents makes the public events reach as far as the usage ledger has read them: it would take the next ones for those that it has.
func (c Config) extendEvents(ctx context.Context, l eventlog.Log) error {
	read, err := c.Ledger(ctx, l)
	if err != nil {
		return err
	}
	for p := range l.Partitions() {
		next, err := read.Next(ctx, events.TopicEvents, p)
		if err := errors.Join(err, extend(ctx, l, events.TopicEvents, p, next)); err != nil {
			return errors.Join(err, read.Close())
		}
	}
	return read.Close()
}

// extend makes a topic of a partition end at an offset, or later, by empty records.
func extend(ctx context.Context, l eventlog.Log, topic string, p int32, next int64) error {
	start, end, err := l.Bounds(ctx, topic, p)
	switch {
	case err != nil || end >= next:
		return err
	case start == end:
		return l.Begin(ctx, topic, p, next)
	}
	w := eventlog.NewWriter(ctx, l, topic, p, end)
	return errors.Join(w.Fill(next), w.Wait())
}

// snapshots saves the replica's rows of partitions, and makes the replica take the copy's journal for the one that it has folded.
func (c Config) snapshots(ctx context.Context, l eventlog.Log, all []carried) (err error) {
	all = slices.DeleteFunc(slices.Clone(all), func(one carried) bool { return one.stale })
	if len(all) == 0 {
		return nil
	}
	files, done, err := c.Snapshots(ctx)
	if err != nil {
		return fmt.Errorf("open the store of snapshots: %w", err)
	}
	defer done()
	replica, err := projections.Open(ctx, projections.Config{Dir: c.Replica, Log: l, KeepDamaged: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, replica.Close()) }()
	for _, one := range all {
		if err := errors.Join(c.save(ctx, l, files, replica, one.partition, one.cursor), replica.Adopt(ctx, one.partition)); err != nil {
			return fmt.Errorf("partition %d: %w", one.partition, err)
		}
	}
	return nil
}

// save saves the replica's rows of a partition.
func (c Config) save(ctx context.Context, l eventlog.Log, files store.Files, replica *projections.Replica, p int32, cursor projections.Cursor) error {
	frozen, err := replica.Freeze(p)
	if err != nil {
		return err
	}
	if frozen.Cursor != cursor {
		return errors.Join(fmt.Errorf("the replica is at offset %d and was at %d: is a node using it?", frozen.Cursor.Next, cursor.Next), frozen.Close())
	}
	by := snapshot.Manifest{Taken: time.Now(), Node: string(salvager), Version: c.Version}
	ref, m, err := history.Write(ctx, files, l, frozen, by, snapshot.Unpaced)
	if err == nil {
		err = snapshot.Publish(ctx, files, ref, m)
	}
	return errors.Join(err, frozen.Close())
}
