package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Config describes the source of backups. All fields are required.
type Config struct {
	Log     eventlog.Log
	Replica *projections.Replica
	// Snapshots finds the bases.
	Snapshots *history.Source
	// Results has the files of jobs.
	Results store.Files
	Ledger  ledger.Ledger
	// Published returns the offsets from which the publisher of a partition needs the journal and the events.
	Published func(ctx context.Context, partition int32) (journal, events int64, err error)
	// Secrets are the names of the secrets that seal credentials.
	Secrets []string
	// Pace bounds the work.
	Pace func(ctx context.Context) snapshot.Pace
	// Node and Version are recorded in the backup.
	Node, Version string
	// Reread rereads every chunk of earlier backups, not only a share of them.
	Reread bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Report is the outcome of a backup.
type Report struct {
	Ref Ref `json:"ref"`
	// Sent counts what was written besides the manifest.
	Sent Sent `json:"sent"`
	// Worked is how many bytes were read or compared, and Took how long the backup took.
	Worked int64         `json:"worked"`
	Took   time.Duration `json:"took_ns"`
	// Dropped are the earlier backups that were deleted.
	Dropped []Ref `json:"dropped,omitempty"`
	// Ahead are the earlier backups that were taken in the future, newest first: a clock was ahead then, or is behind now.
	Ahead []Ref `json:"ahead,omitempty"`
	Manifest
}

// Take takes a backup and writes the chunks that the place lacks. If keep is not zero, it then deletes all but the newest keep backups and this one.
// Only one backup may be taken to a place at a time.
func Take(ctx context.Context, cfg Config, to store.Files, keep int) (Report, error) {
	if cfg.Replica.Outdated() {
		return Report{}, errors.New("the rows of a new schema are being built: take the backup when that is done")
	}
	began := time.Now()
	s, err := openShelf(ctx, to, cfg.Pace(ctx))
	if err != nil {
		return Report{}, err
	}
	defer s.close()
	t := &taker{Config: cfg, shelf: s}
	_, t.earlier, err = Find(ctx, to, "")
	if err != nil && !errors.Is(err, ErrNone) { // it is not relied on
		cfg.Logger.Warn("cannot read the newest backup; copying everything again", "error", err)
		t.earlier = Manifest{}
	}
	there, err := List(ctx, to)
	if err != nil {
		return Report{}, err
	}
	now := cfg.Now()
	r := Report{Ref: newRef(now, there), Ahead: ahead(ctx, to, there, now)}
	share := (t.earlier.Share + 1) % shares
	s.rereads = func(c snapshot.Chunk) bool { return cfg.Reread || int(c.SHA256[0])%shares == share }
	r.Manifest = Manifest{Format: Format, Share: share, Taken: now, Node: cfg.Node, Version: cfg.Version, Secrets: cfg.Secrets}
	if r.Partitions, err = t.partitions(ctx); err != nil {
		return r, err
	}
	if err := t.publish(ctx, r); err != nil {
		return r, err
	}
	r.Worked, r.Took = s.paced, time.Since(began)
	if r.Sent = s.sent; r.Sent.Damaged > 0 {
		cfg.Logger.Error("chunks of earlier backups were damaged, and are written anew as far as this backup has them: verify the backups, and check the place's disks", "chunks", r.Sent.Damaged)
	}
	if keep > 0 {
		r.Dropped, err = prune(ctx, s, r.Ref, keep, cfg.Now())
	}
	return r, err
}

// slack is how far the clocks of nodes that take backups in turn may be apart before anybody is told.
const slack = time.Minute

// ahead returns the backups that were taken in the future. Others are named in the future, too, to sort after these.
func ahead(ctx context.Context, files store.Files, refs []Ref, now time.Time) (those []Ref) {
	for i, ref := range refs {
		if !ref.time().After(now.Add(slack)) {
			break
		}
		if i+1 < len(refs) && ref.follows(refs[i+1]) { // most, so that few are read
			continue
		}
		if m, err := Open(ctx, files, ref); err != nil || m.Taken.After(now.Add(slack)) { // one that cannot be read is named by a clock, as far as is known
			those = append(those, ref)
		}
	}
	return those
}

// publish writes the manifest if everything that it names is there in its full size: another node may have deleted chunks, or the disk truncated
// them.
func (t *taker) publish(ctx context.Context, r Report) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("this backup would be of no use: %w", err)
	}
	there, err := chunksAt(ctx, t.shelf.files)
	if err != nil {
		return err
	}
	r.chunks(func(c snapshot.Chunk) {
		if e := missing(there, c); e != nil {
			err = e
		}
	})
	if err != nil {
		return err
	}
	return snapshot.PutDocument(ctx, t.shelf.files, string(r.Ref), r.Manifest)
}

// missing returns an error if a place does not list a chunk, or lists it with another size.
func missing(there map[string]int64, c snapshot.Chunk) error {
	switch size, listed := there[chunkName(c)]; {
	case !listed:
		return fmt.Errorf("%s is gone: only one backup may be taken to a place at a time", chunkName(c))
	case size != int64(c.Stored):
		return fmt.Errorf("%s is not what was written: it has %d bytes instead of %d", chunkName(c), size, c.Stored)
	}
	return nil
}

// taker takes one backup.
type taker struct {
	Config
	shelf   *shelf
	earlier Manifest
}

// parallel is how many partitions are copied at once. Each takes the memory of a few chunks.
const parallel = 4

// partitions makes the cuts of all partitions, one after another, and then copies their data, several at once.
func (t *taker) partitions(ctx context.Context) (all []Partition, err error) {
	cuts := make([]*cut, t.Log.Partitions())
	defer func() {
		for _, c := range cuts {
			c.close()
		}
	}()
	for p := range cuts {
		if cuts[p], err = t.cut(ctx, int32(p)); err != nil {
			return nil, fmt.Errorf("partition %d: %w", p, err)
		}
	}
	all = make([]Partition, len(cuts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for p := range cuts {
		group.Go(func() (err error) {
			if all[p], err = t.copyOne(ctx, int32(p), &cuts[p]); err != nil {
				return fmt.Errorf("partition %d: %w", p, err)
			}
			return nil
		})
	}
	return all, group.Wait()
}

// copyOne copies a partition's data at its cut, which it closes, with its own shelf. If data that the cut needs is gone, it makes a later cut, which
// does not need it.
func (t *taker) copyOne(ctx context.Context, p int32, at **cut) (one Partition, err error) {
	own := *t
	if own.shelf, err = t.shelf.another(); err != nil {
		return one, err
	}
	defer own.shelf.close()
	defer func() { (*at).close() }()
	var earlier Partition
	if len(t.earlier.Partitions) == int(t.Log.Partitions()) {
		earlier = t.earlier.Partitions[p]
	}
	one, err = own.partition(ctx, p, *at, earlier)
	for n := 1; n < tries && errors.Is(err, eventlog.ErrTrimmed); n++ {
		(*at).close()
		if *at, err = own.cut(ctx, p); err == nil {
			one, err = own.partition(ctx, p, *at, earlier)
		}
	}
	return one, err
}

// tries is how often to try something that may be trimmed meanwhile.
const tries = 3

// partition copies a partition's data at a cut, beginning with what may soon be gone.
func (t *taker) partition(ctx context.Context, p int32, c *cut, earlier Partition) (one Partition, err error) {
	one = Partition{Cursor: c.frozen.Cursor, Schema: projections.Schema, Commands: c.commands}
	if one.Events, err = t.topic(ctx, events.TopicEvents, p, c.topic, c.events, earlier.Events); err != nil {
		return one, err
	}
	if one.Poison, err = t.topic(ctx, events.TopicPoison, p, c.poison, c.poison, earlier.Poison); err != nil {
		return one, err
	}
	names, err := t.rows(ctx, c, &one.Rows)
	if err != nil {
		return one, err
	}
	if one.Files, err = t.shelf.copyFiles(ctx, t.Results, names, earlier.Files); err != nil {
		return one, err
	}
	if err := t.journal(ctx, p, c, earlier, &one); err != nil {
		return one, err
	}
	one.Ledger, err = t.shelf.copyLedger(ctx, t.Ledger, p, ledger.StoredTopic(events.TopicEvents, t.Log.TopicID(events.TopicEvents)), one.Events.Start, earlier.Ledger)
	return one, err
}

// journal copies the base and the journal since.
func (t *taker) journal(ctx context.Context, p int32, c *cut, earlier Partition, into *Partition) error {
	start, next := int64(0), c.frozen.Cursor.Next
	ref, m, err := t.Snapshots.Newest(ctx, p, next)
	switch {
	case err == nil:
		into.Base = &Base{ID: ref.ID, Manifest: m}
		if start = ref.Next - 1; c.published < start {
			oldest, _, err := t.Log.Bounds(ctx, events.TopicJournal, p)
			if err != nil {
				return err
			}
			start = min(start, max(oldest, c.published))
		}
		if err := t.base(ctx, ref, m); err != nil {
			return err
		}
	case !errors.Is(err, projections.ErrNoSnapshot):
		return err
	}
	into.Journal, err = t.shelf.copyRecords(ctx, place{t.Log, events.TopicJournal, p}, start, next, earlier.Journal)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return fmt.Errorf("the journal is trimmed behind offset %d and no snapshot is of use: `platen admin snapshot list` says why: %w", start, err)
	}
	return err
}

// base copies the chunks of a snapshot.
func (t *taker) base(ctx context.Context, ref snapshot.Ref, m snapshot.Manifest) error {
	u, err := snapshot.NewUnpacker(t.Snapshots.Files)
	if err != nil {
		return err
	}
	defer u.Close()
	for i, c := range m.Chunks {
		if t.shelf.has(ctx, c) {
			continue
		}
		if err := t.shelf.pace(c.Bytes); err != nil {
			return err
		}
		stored, err := u.Stored(ctx, ref.Chunk(i), c)
		if err != nil {
			return err
		}
		if err := t.shelf.keep(ctx, c, stored); err != nil {
			return err
		}
	}
	return nil
}

// topic copies the records of a topic up to an offset. Those before needed may be trimmed meanwhile.
func (t *taker) topic(ctx context.Context, topic string, p int32, needed, end int64, earlier Records) (r Records, err error) {
	for range tries {
		start, _, err := t.Log.Bounds(ctx, topic, p)
		if err != nil {
			return r, err
		}
		if start > needed {
			return r, fmt.Errorf("%s begins at %d, and is needed from %d on: %w", topic, start, needed, eventlog.ErrTrimmed)
		}
		r, err = t.shelf.copyRecords(ctx, place{t.Log, topic, p}, start, end, earlier)
		if !errors.Is(err, eventlog.ErrTrimmed) {
			return r, err
		}
	}
	return r, fmt.Errorf("%s is trimmed faster than it can be copied: %w", topic, err)
}
