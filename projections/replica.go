package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/projections/table"
)

// Config says what a replica folds, and where it keeps the result.
type Config struct {
	// Dir is the Pebble directory. Everything in it can be rebuilt from the journal.
	Dir string
	// Log holds the journal.
	Log eventlog.Log
	// KeepsEnd says that the log loses no record that was folded unless its files are damaged, as one in this process that syncs what it acknowledges.
	KeepsEnd bool
	// KeepDamaged has Open return an error of damaged files, disk.ErrDamaged, instead of removing them: they may be the last copy.
	KeepDamaged bool
	// Snapshots holds what the journal no longer has. Nil means that the journal is whole.
	Snapshots Snapshots
	// Projections are applied in order to every accepted envelope.
	Projections []table.Projection
	// Logger receives errors; never nil.
	Logger *slog.Logger
	// Now is the clock that Current goes by; nil means time.Now.
	Now func() time.Time
	// Failed is called once, when the replica can no longer follow the journal. It must not
	// block, and may be nil.
	Failed func(error)
	// FS replaces the file system, for tests that inject faults. Nil means the disk.
	FS vfs.FS
	// testSchema replaces Schema, and testRenewAgain renewAgain, in tests.
	testSchema     int
	testRenewAgain time.Duration
}

// Replica is one node's copy of all state. All methods but Start and Close are safe for concurrent use.
type Replica struct {
	cfg   Config
	store atomic.Pointer[store]
	// former is a replaced store. It is closed with the replica, because somebody may still read it.
	former    *store
	outdated  atomic.Bool
	swapped   chan struct{} // receives when store has changed
	callers   cache[[32]byte, Caller]
	jobs      jobCache
	followers []*follower // by partition
	// loading bounds the snapshots being loaded at once.
	loading chan struct{}
	cancel  context.CancelFunc
	done    sync.WaitGroup
	failed  sync.Once
	noted   sync.Once // that the files are damaged
	lag     atomic.Int64
	// diverged and renewed count what Diverged and Renewed return.
	diverged, renewed atomic.Int64
	current           atomic.Int64 // Unix second; see Current
}

// Progress is one committed run of records of a partition.
type Progress struct {
	Partition int32
	// Cursor is the partition's cursor after the run.
	Cursor Cursor
	// Steps are the run's records in order.
	Steps []Step
	// Restored is set if the rows are now those of a snapshot: the records skipped are in no Steps.
	Restored bool
	// Halted is why the partition is halted from now on; nil if it is not.
	Halted error
}

// Events visits the events of the run's accepted envelopes, in order.
func (p Progress) Events(visit func(events.Event)) {
	for _, step := range p.Steps {
		if e, ok := step.Entry.(events.Envelope); ok && step.Accepted {
			for _, ev := range e.Events {
				visit(ev)
			}
		}
	}
}

// Step is one record of the journal and the verdict of the acceptance rule.
type Step struct {
	Offset int64
	// Entry is nil for a foreign record, which is skipped.
	Entry    events.Entry
	Accepted bool
}

// Open opens the store. It returns eventlog.ErrBeyondEnd if a journal that the store has folded is now empty: the log was recreated. Nothing is
// folded before Start. A partition whose journal has lost its end is rebuilt then; if the log keeps its end, Open returns ErrDiverged.
func Open(ctx context.Context, cfg Config) (*Replica, error) {
	if cfg.FS == nil {
		cfg.FS = vfs.Default
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	r, err := openMarked(ctx, cfg)
	if !disk.Damaged(err) || cfg.KeepDamaged {
		return r, err
	}
	cfg.Logger.Error("the replica's files are damaged; rebuilding it from snapshots and the journal: check the disk", "dir", cfg.Dir, "error", err)
	if err := cfg.removeDamaged(); err != nil {
		return nil, err
	}
	if r, err = open(ctx, cfg); err == nil {
		r.renewed.Store(int64(len(r.followers)))
	}
	return r, err
}

// open opens a replica whose files may be damaged.
func open(ctx context.Context, cfg Config) (*Replica, error) {
	s, outdated, err := openServing(cfg)
	if err != nil {
		return nil, fmt.Errorf("open replica %s: %w", cfg.Dir, err)
	}
	if err := s.checkJournal(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	r, err := newReplica(ctx, cfg, s)
	if err == nil {
		err = s.noteJournal()
	}
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	r.outdated.Store(outdated)
	return r, nil
}

// newReplica returns a replica of a store.
func newReplica(ctx context.Context, cfg Config, s *store) (*Replica, error) {
	r := &Replica{cfg: cfg, swapped: make(chan struct{}, 1), loading: make(chan struct{}, runtime.GOMAXPROCS(0))}
	r.store.Store(s)
	for p := range cfg.Log.Partitions() {
		f, err := newFollower(ctx, r, p)
		if err != nil {
			return nil, err
		}
		r.followers = append(r.followers, f)
	}
	return r, nil
}

// Start starts a follower for every partition.
func (r *Replica) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, f := range r.followers {
		r.done.Go(func() { f.run(ctx) })
	}
	r.done.Go(func() {
		ticker := time.NewTicker(stallInterval)
		defer ticker.Stop()
		r.watchStalls(ctx, ticker.C)
	})
	r.done.Go(func() { r.watchStore(ctx) })
	if r.Outdated() {
		r.done.Go(func() { r.build(ctx) })
	}
}

// stop ends everything that Start has started.
func (r *Replica) stop() {
	if r.cancel != nil {
		r.cancel()
	}
	r.done.Wait()
}

// guard watches over the store that serves.
func (r *Replica) guard() *disk.Guard { return r.store.Load().guard }

// watchStore stops all followers if the store breaks: those stuck in it would never stop.
func (r *Replica) watchStore(ctx context.Context) {
	for {
		guard := r.guard()
		select {
		case <-guard.Broken():
			r.noteDamage(guard.Err())
			for _, f := range r.followers {
				f.fail(guard.Err())
			}
			return
		case <-r.swapped:
		case <-ctx.Done():
			return
		}
	}
}

// Close stops the followers and closes the store. If the store is broken, Close leaves it
// alone and returns at once, unless its files are damaged.
func (r *Replica) Close() error {
	if r.cancel != nil {
		r.cancel()
	}
	guard := r.guard()
	err := guard.Call(r.close)
	switch broken := guard.Err(); {
	case disk.Damaged(broken):
		r.noteDamage(broken)
		return nil // reported already
	case broken != nil:
		return nil
	}
	return err
}

func (r *Replica) close() (err error) {
	r.stop()
	if r.former != nil {
		err = r.former.guard.Call(r.former.db.Close)
	}
	return errors.Join(err, r.store.Load().db.Close())
}

// Get implements table.Reader.
func (r *Replica) Get(key []byte) ([]byte, error) {
	if err := r.guard().Err(); err != nil {
		return nil, err
	}
	return get(r.store.Load().db, key)
}

// Scan calls visit with every committed key that begins with prefix, in order,
// until visit returns false. Key and value are valid only during the call.
func (r *Replica) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	return r.ScanFrom(prefix, prefix, visit)
}

// ScanFrom is Scan starting at the first key >= first.
func (r *Replica) ScanFrom(prefix, first []byte, visit func(key, value []byte) bool) error {
	if err := r.guard().Err(); err != nil {
		return err
	}
	return scanFrom(r.store.Load().db, prefix, first, visit)
}

// Cursor returns how far a partition is folded.
func (r *Replica) Cursor(partition int32) Cursor { return r.followers[partition].position() }

// Owner returns the node of the partition's latest marker, "" before the first.
func (r *Replica) Owner(partition int32) events.NodeID {
	return r.followers[partition].position().Owner
}

// Watch calls receive with the partition's progress after each commit, in order, from now
// until stop is called. The calls are made by the partition's follower, so receive must not
// block. One call may still be under way when stop returns.
func (r *Replica) Watch(partition int32, receive func(Progress)) (stop func()) {
	return r.followers[partition].watch(receive)
}

// CatchUp waits until every record acknowledged in the partition's journal before the call is folded. It returns the error that has stopped the
// follower or ended ctx.
func (r *Replica) CatchUp(ctx context.Context, partition int32) error {
	_, end, err := r.cfg.Log.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return fmt.Errorf("end of journal %d: %w", partition, err)
	}
	return r.followers[partition].wait(ctx, end)
}

// Err returns why the replica no longer follows the journal, or nil while it does.
func (r *Replica) Err() error {
	for _, f := range r.followers {
		if err := f.failure(); err != nil {
			return err
		}
	}
	return nil
}
