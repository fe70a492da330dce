package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// ErrNotEmpty means that the target of a restore is not empty.
var ErrNotEmpty = errors.New("a backup is restored into an empty log and empty stores only")

// Target is where a cluster begins from a backup. All of it must be empty.
type Target struct {
	Log       eventlog.Log
	Snapshots store.Files
	Results   store.Files
	Ledger    ledger.Ledger
	// Version is noted in the journal.
	Version string
	// Now is the clock by which the restored timeline begins.
	Now func() time.Time
	// Revoke is the backup's access, as found by Verify, that ends where the restored timeline begins. If it is nil, everything stays valid as at the
	// cut.
	Revoke *Access
}

// CheckEmpty returns ErrNotEmpty if the target has any data, or another error if no backup with this many partitions can be restored.
func (t Target) CheckEmpty(ctx context.Context, partitions int32) error {
	if have := t.Log.Partitions(); have != partitions {
		return fmt.Errorf("the backup has %d partitions, the configuration %d: configure partitions = %d", partitions, have, partitions)
	}
	for p := range partitions {
		for _, topic := range []string{events.TopicJournal, events.TopicCommands, events.TopicEvents, events.TopicPoison} {
			_, end, err := t.Log.Bounds(ctx, topic, p)
			if err != nil {
				return err
			}
			if end > 0 {
				return fmt.Errorf("%w: %s/%d has %d records", ErrNotEmpty, topic, p, end)
			}
		}
	}
	topics, err := t.Ledger.Topics(ctx)
	if err == nil && len(topics) > 0 {
		err = fmt.Errorf("%w: the usage ledger has entries of %s", ErrNotEmpty, topics[0])
	}
	if err != nil {
		return err
	}
	return errors.Join(emptyStore(ctx, "snapshots", t.Snapshots), emptyStore(ctx, "results", t.Results))
}

// Claim is the file in a store of results that names the log whose jobs they are. A store that has nothing else is empty, and its claim lapses with a
// restore.
const Claim = "platen-log"

func emptyStore(ctx context.Context, what string, files store.Files) error {
	return files.Each(ctx, func(name string, _ int64, _ time.Time) error {
		if name == Claim {
			return nil
		}
		return fmt.Errorf("%w: the store of %s has %s", ErrNotEmpty, what, name)
	})
}

// Restore writes a backup that Verify has found whole into a target that CheckEmpty has found empty. The journal comes last. After an error the
// target must be emptied before any other use.
func Restore(ctx context.Context, files store.Files, m Manifest, to Target) error {
	if err := to.Results.Delete(ctx, Claim); err != nil {
		return err
	}
	s, err := openShelf(ctx, files, snapshot.Unpaced)
	if err != nil {
		return err
	}
	defer s.close()
	r := restorer{s, to, events.NewTimelineID()}
	for _, step := range []func(context.Context, int32, Partition) error{r.files, r.begin, r.base, r.ledger, r.beside, r.commands, r.journal} {
		for p, one := range m.Partitions {
			if err := step(ctx, int32(p), one); err != nil {
				return fmt.Errorf("partition %d: %w", p, err)
			}
		}
	}
	return nil
}

// restorer writes the parts of a partition.
type restorer struct {
	*shelf
	to Target
	// timeline is the timeline that continues from the backup.
	timeline events.TimelineID
}

func (r restorer) files(ctx context.Context, _ int32, one Partition) error {
	return r.eachFile(ctx, one.Files, func(f file) error {
		_, err := r.to.Results.Put(ctx, f.Name, &content{ctx: ctx, shelf: r.shelf, chunks: f.Chunks}, f.Bytes)
		return err
	})
}

// begin makes commands and journal begin at their original starts, because the rows have offsets of both. It runs before anything records the id of a
// topic.
func (r restorer) begin(ctx context.Context, p int32, one Partition) error {
	return errors.Join(
		r.to.Log.Begin(ctx, events.TopicCommands, p, one.firstCommand()),
		r.to.Log.Begin(ctx, events.TopicJournal, p, one.Journal.Start))
}

// firstCommand returns the offset of the first restored command.
func (p Partition) firstCommand() int64 {
	if len(p.Commands) > 0 {
		return p.Commands[0].Start
	}
	return p.Cursor.Cause + 1
}

// base makes the base a snapshot of the restored journal.
func (r restorer) base(ctx context.Context, _ int32, one Partition) error {
	if one.Base == nil {
		return nil
	}
	ref, m := one.Base.Ref(), one.Base.Manifest
	for i, c := range m.Chunks {
		stored, err := r.unpacker.Stored(ctx, chunkName(c), c)
		if err != nil {
			return damaged(err)
		}
		if _, err := r.to.Snapshots.Put(ctx, ref.Chunk(i), bytes.NewReader(stored), int64(len(stored))); err != nil {
			return err
		}
	}
	m.Journal = r.to.Log.TopicID(events.TopicJournal)
	return snapshot.Publish(ctx, r.to.Snapshots, ref, m)
}

func (r restorer) ledger(ctx context.Context, p int32, one Partition) error {
	for _, e := range one.Ledger {
		b, err := r.batch(ctx, p, e)
		if err != nil {
			return err
		}
		if err := r.to.Ledger.Append(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// beside writes the topics that follow from the journal. Only two things have offsets of them: the ledger, which begins with the new topic at 0, and
// the poison, which names the source of its records.
func (r restorer) beside(ctx context.Context, p int32, one Partition) error {
	return errors.Join(
		r.topic(ctx, events.TopicEvents, p, one.Events, func(e eventlog.Record) eventlog.Record {
			e.Offset -= one.Events.Start
			return e
		}),
		r.topic(ctx, events.TopicPoison, p, one.Poison, func(e eventlog.Record) eventlog.Record {
			e.Offset -= one.Poison.Start
			return ingest.Moved(e, one.Events.Start)
		}))
}

// topic writes the records of a topic, each as moved returns it.
func (r restorer) topic(ctx context.Context, topic string, p int32, records Records, moved func(eventlog.Record) eventlog.Record) error {
	start, _, err := r.to.Log.Bounds(ctx, topic, p)
	if err != nil {
		return err
	}
	w := eventlog.NewWriter(ctx, r.to.Log, topic, p, start)
	for _, s := range records.Segments {
		if err := r.eachOf(ctx, s, true, func(e eventlog.Record) error { return w.Add(moved(e)) }); err != nil {
			return damaged(err)
		}
		if err := w.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// commands writes the content of unfinished jobs where the rows expect it. Between them are empty records; the next command comes after the last
// decided one; the first are those that revoke.
func (r restorer) commands(ctx context.Context, p int32, one Partition) error {
	end := one.Cursor.Cause + 1
	w := eventlog.NewWriter(ctx, r.to.Log, events.TopicCommands, p, one.firstCommand())
	for _, s := range one.Commands {
		err := r.eachOf(ctx, s, false, func(record eventlog.Record) error {
			return errors.Join(w.Fill(record.Offset), w.Add(record))
		})
		if err := errors.Join(err, w.Wait()); err != nil {
			return damaged(err)
		}
	}
	if err := w.Fill(end); err != nil {
		return err
	}
	for _, one := range r.to.revoked(p) {
		record, err := one.record()
		if err := errors.Join(err, w.AddNext(record)); err != nil {
			return err
		}
	}
	return w.Wait()
}

// journal writes the journal, followed by the beginning of a new timeline.
func (r restorer) journal(ctx context.Context, p int32, one Partition) error {
	if err := r.topic(ctx, events.TopicJournal, p, one.Journal, func(e eventlog.Record) eventlog.Record { return e }); err != nil {
		return err
	}
	w := eventlog.NewWriter(ctx, r.to.Log, events.TopicJournal, p, one.Cursor.Next)
	for _, entry := range r.behind(p, one.Cursor) {
		record, err := entryRecord(entry)
		if err := errors.Join(err, w.AddNext(record)); err != nil {
			return err
		}
	}
	return w.Wait()
}

// behind returns the entries after the cut: the marker of a new timeline, because what follows is not what followed the cut. If the commands are now
// in another topic, a gap of no commands says so, as after a topic was re-created (docs/decisions/0024). Then come the decisions that revoke, in the
// epoch of the marker: no node that reads the journal shows or decides anything before it knows them.
func (r restorer) behind(p int32, c projections.Cursor) []events.Entry {
	topic := events.TopicID(r.to.Log.TopicID(events.TopicCommands))
	marker := events.Marker{
		Owner: "restore", Version: r.to.Version, Commands: topic, Level: c.Level(),
		Timeline: r.timeline, At: events.At(r.to.Now()), Restored: true,
	}
	if c.Next == 0 {
		marker.Level = events.NewestLevel
	}
	entries := []events.Entry{marker}
	if c.Next > 0 && c.Commands != topic {
		entries = append(entries, events.Gap{Epoch: c.Next, From: c.Cause + 1, To: c.Cause + 1, Commands: topic})
	}
	for i, one := range r.to.revoked(p) {
		entries = append(entries, one.envelope(c.Next, c.Cause+1+int64(i)))
	}
	return entries
}

// entryRecord returns the record of an entry, without an offset, as an owner writes it.
func entryRecord(entry events.Entry) (eventlog.Record, error) {
	value, err := events.EncodeEntry(entry)
	record := eventlog.Record{Value: value}
	if e, ok := entry.(events.Envelope); ok {
		record.Key = []byte(e.Account)
	}
	return record, err
}
