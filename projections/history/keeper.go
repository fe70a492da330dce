package history

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

// Config configures a Keeper. All fields are required unless they say otherwise.
type Config struct {
	Policy
	Files   store.Files
	Log     eventlog.Log
	Replica *projections.Replica
	// Projections are those of the replica.
	Projections []table.Projection
	// Scratch is a directory for rebuilds. Its contents are removed.
	Scratch string
	// BytesPerSecond bounds the work of taking and verifying: rows and records, as they are read.
	BytesPerSecond int64
	// Owned returns the partitions that this node owns.
	Owned func() []int32
	// Published returns the offsets from which the publisher of a partition needs the journal and platen.events to continue there.
	Published func(ctx context.Context, partition int32) (journal, events int64, err error)
	// Consumed returns the offset from which somebody still needs the partition's public events. Nil means that none are ever trimmed.
	Consumed func(ctx context.Context, partition int32) (int64, error)
	// Current returns the time up to which every live node has folded the journal; zero if unknown.
	Current func() time.Time
	// Room returns why there is no room for snapshots, nil if there is.
	Room func() error
	// Node and Version are noted in the snapshots.
	Node, Version string
	Now           func() time.Time
	Logger        *slog.Logger
}

// Keeper takes and verifies snapshots of the partitions that a node owns, one at a time, and trims the journal before them. It is safe for concurrent
// use.
type Keeper struct {
	cfg    Config
	source *Source
	begun  time.Time
	// since is the level from which no node has an earlier schema.
	since events.Level

	working sync.Mutex // held while a snapshot is taken or verified
	mu      sync.Mutex // guards all below
	last    map[int32]known
	// compared holds the snapshots found to belong to the journal when it had lost its end diverged times.
	compared map[snapshot.Ref]bool
	diverged int64
	failed   map[int32]time.Time // when taking a snapshot has failed last
	trimmed  map[int32]time.Time // when trimming was tried last
	counts   Counts
	oldest   time.Time
}

// known is the newest snapshot of a partition, as far as the keeper has looked.
type known struct {
	ref snapshot.Ref
	Last
}

// Counts counts what a keeper has done since it began.
type Counts struct {
	// Taken counts completed snapshots, Failed failed attempts, Mismatches snapshots whose rows differ from a rebuild.
	Taken, Failed, Mismatches int64
	// Records counts the trimmed records of the journal and of platen.events.
	Records int64
}

const (
	// Interval is how often Look should be called.
	Interval = time.Minute
	// retryAfter is how long a partition waits after a failed snapshot, trimEvery the pause between two trims without a new snapshot.
	retryAfter = time.Hour
	trimEvery  = time.Hour
)

// New returns a keeper.
func New(cfg Config) *Keeper {
	return &Keeper{
		cfg: cfg, begun: cfg.Now(), since: projections.SchemaLevel, source: &Source{Files: cfg.Files, Log: cfg.Log, Logger: cfg.Logger},
		last: map[int32]known{}, compared: map[snapshot.Ref]bool{}, failed: map[int32]time.Time{}, trimmed: map[int32]time.Time{},
	}
}

// Look takes the snapshots that are due, one after another, and trims. Failures are logged and retried by a later look.
func (k *Keeper) Look(ctx context.Context) {
	owned := k.cfg.Owned()
	if len(owned) == 0 {
		return
	}
	list, err := snapshot.List(ctx, k.cfg.Files)
	if err != nil {
		k.warn(ctx, "snapshots cannot be listed", -1, err)
		return
	}
	k.forget(list)
	for _, p := range owned {
		refs := k.ofJournal(ctx, p, list.Refs[p])
		k.learn(ctx, p, refs)
		k.keep(ctx, p, refs)
	}
	k.noteOldest(owned)
	if slices.Contains(owned, 0) { // one node of a cluster cleans up
		k.sweep(ctx, list)
	}
}

// ofJournal returns the snapshots that belong to a partition's journal. Those beyond its end belong to the part that it has lost: if counted, they
// would displace a useful one. They are deleted once the journal has passed them, and has another record where they end. Those of a newer version are
// left to it: this one cannot begin with them.
func (k *Keeper) ofJournal(ctx context.Context, p int32, refs []snapshot.Ref) (ours []snapshot.Ref) {
	next := k.cfg.Replica.Cursor(p).Next
	for _, ref := range refs {
		if ref.Next > next {
			continue
		}
		switch foreign, newer := k.compare(ctx, ref); {
		case foreign:
			k.cfg.Logger.Warn("deleting a snapshot of a lost part of the journal", "partition", p, "snapshot", ref.String())
			if err := k.delete(ctx, ref); err != nil {
				k.warn(ctx, "a snapshot could not be deleted", p, err)
			}
		case !newer:
			ours = append(ours, ref)
		}
	}
	return ours
}

// compare reports whether a snapshot is of the journal's topic but of other records (foreign), or of a newer version (newer). It looks only once at
// each snapshot that is neither.
func (k *Keeper) compare(ctx context.Context, ref snapshot.Ref) (foreign, newer bool) {
	k.mu.Lock()
	if diverged := k.cfg.Replica.Diverged(); diverged != k.diverged {
		k.diverged = diverged
		clear(k.compared)
	}
	known := k.compared[ref]
	k.mu.Unlock()
	if known {
		return false, false
	}
	m, err := k.source.open(ctx, ref)
	if err == nil {
		k.mu.Lock()
		k.compared[ref] = true
		k.mu.Unlock()
	}
	ours := m.Journal != "" && m.Journal == k.cfg.Log.TopicID(events.TopicJournal)
	return ours && errors.Is(err, ErrForeign), errors.Is(err, events.ErrNewer)
}

// forget drops the results of comparisons with snapshots that are gone.
func (k *Keeper) forget(list snapshot.Listing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.compared, func(ref snapshot.Ref, _ bool) bool { return !slices.Contains(list.Refs[ref.Partition], ref) })
}

// keep takes a snapshot of a partition if one is due, deletes superfluous ones, and trims.
func (k *Keeper) keep(ctx context.Context, p int32, refs []snapshot.Ref) {
	if k.due(p) {
		ref, _, err := k.Take(ctx, p, Confirmed)
		if err != nil {
			return // it is already logged
		}
		refs = slices.Insert(slices.Clone(refs), 0, ref)
	} else if !k.mayTrim(p) {
		return
	}
	spared, err := k.spare(ctx, p, refs)
	if err != nil {
		k.warn(ctx, "the snapshots could not be read", p, err)
		return
	}
	sound, err := k.sound(ctx, refs)
	if err != nil {
		k.warn(ctx, "the snapshots could not be read", p, err)
		return
	}
	for _, ref := range k.cfg.Superfluous(refs, sound) {
		if ref == spared.ref {
			continue
		}
		if err := k.delete(ctx, ref); err != nil {
			k.warn(ctx, "a snapshot could not be deleted", p, err)
		}
	}
	if err := k.trim(ctx, p, sound, spared.needed); err != nil {
		k.warn(ctx, "the history could not be trimmed", p, err)
	}
}

// sound returns the snapshots of a partition that can be relied on, as many as are kept. Left out are those with a damaged manifest, and those that were
// passed over when a newer one was confirmed from an older one: they could not be read.
func (k *Keeper) sound(ctx context.Context, refs []snapshot.Ref) (sound []snapshot.Ref, err error) {
	base := int64(math.MaxInt64) // of the last one
	for _, ref := range refs {
		if ref.Next > base {
			continue
		}
		m, err := snapshot.Open(ctx, k.cfg.Files, ref)
		if errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, store.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if sound = append(sound, ref); len(sound) == k.cfg.Keep {
			break
		}
		if m.Base != snapshot.Unconfirmed {
			base = m.Base
		}
	}
	return sound, nil
}

// learn reads the newest snapshot of a partition, unless it is known.
func (k *Keeper) learn(ctx context.Context, p int32, refs []snapshot.Ref) {
	if len(refs) == 0 {
		k.know(p, known{Last: Last{Taken: k.begun}})
		return
	}
	k.mu.Lock()
	same := k.last[p].ref == refs[0]
	k.mu.Unlock()
	if same {
		return
	}
	ref := refs[0]
	m, err := snapshot.Open(ctx, k.cfg.Files, ref)
	if err != nil { // it is reported when somebody needs it; another one is due in time
		k.warn(ctx, "the newest snapshot cannot be read", p, err)
		m = snapshot.Manifest{Taken: k.begun}
	}
	last := Last{Next: ref.Next, Rows: m.Count, Taken: m.Taken}
	if err != nil && !errors.Is(err, snapshot.ErrDamaged) {
		ref = snapshot.Ref{} // the next look reads it again
	}
	k.know(p, known{ref, last})
}

func (k *Keeper) know(p int32, last known) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last[p] = last
}

func (k *Keeper) due(p int32) bool {
	if err := k.cfg.Room(); err != nil {
		return false
	}
	now := k.cfg.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	failed, once := k.failed[p]
	if once && now.Sub(failed) < retryAfter {
		return false
	}
	return k.cfg.Due(p, k.last[p].Last, k.cfg.Replica.Cursor(p).Next, now)
}

func (k *Keeper) mayTrim(p int32) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cfg.Now().Sub(k.trimmed[p]) >= trimEvery
}

func (k *Keeper) delete(ctx context.Context, ref snapshot.Ref) error {
	m, err := snapshot.Open(ctx, k.cfg.Files, ref)
	if err != nil && !errors.Is(err, snapshot.ErrDamaged) && !errors.Is(err, store.ErrNotExist) {
		return err
	}
	return snapshot.Delete(ctx, k.cfg.Files, ref, m) // chunks that a damaged manifest does not name are swept
}

// sweep deletes the remains of unfinished snapshots.
func (k *Keeper) sweep(ctx context.Context, list snapshot.Listing) {
	for _, name := range list.Abandoned(k.cfg.Now().Add(-snapshot.AbandonedAge)) {
		if err := k.cfg.Files.Delete(ctx, name); err != nil {
			k.warn(ctx, "a file without a snapshot could not be deleted", -1, err)
			return
		}
	}
}

func (k *Keeper) warn(ctx context.Context, what string, p int32, err error) {
	if ctx.Err() == nil {
		k.cfg.Logger.Warn(what+", retrying later", "partition", p, "error", err)
	}
}

func (k *Keeper) noteOldest(owned []int32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.oldest = k.cfg.Now()
	for _, p := range owned {
		if last := k.last[p]; k.cfg.Replica.Cursor(p).Next > last.Next && last.Taken.Before(k.oldest) {
			k.oldest = last.Taken
		}
	}
}

// Figures returns what the keeper has done, and the age of the oldest among the newest snapshots of those owned partitions whose journal has
// continued since.
func (k *Keeper) Figures() (Counts, time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counts, k.cfg.Now().Sub(cmp.Or(k.oldest, k.cfg.Now()))
}

func (k *Keeper) count(add func(*Counts)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	add(&k.counts)
}
