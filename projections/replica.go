package projections

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Config says what a replica folds and where it keeps it.
type Config struct {
	// Dir is the Pebble directory; it holds nothing that the journal could not rebuild.
	Dir string
	// Log is where the journal is.
	Log eventlog.Log
	// Projections are applied in order to every accepted envelope.
	Projections []Projection
	// Logger gets faults; never nil.
	Logger *slog.Logger
}

const (
	cacheBytes    = 32 << 20
	memtableBytes = 8 << 20
	// runRecords bounds how many journal records one batch folds.
	runRecords = 4096
)

// schema is the version of all tables together: raise it whenever a projection
// writes something else than before, and every replica folds the journal anew.
var (
	schemaKey = []byte("\x00schema")
	schema    = []byte{3}
)

// Replica is one node's copy of all state. Its methods may be called from any goroutine.
type Replica struct {
	cfg     Config
	db      *pebble.DB
	callers cache[[32]byte, Caller]
	jobs    jobCache
	tails   []*tail
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// Progress tells what one committed run of records changed.
type Progress struct {
	Partition int32
	// Cursor is the partition's cursor after the run.
	Cursor Cursor
	// Steps are the run's records in order.
	Steps []Step
}

// Step is one journal record and what the acceptance rule made of it.
type Step struct {
	Offset   int64
	Entry    events.Entry
	Accepted bool
}

// Open opens the store and checks that the log still holds what was folded from
// it: a log that was recreated, or has lost its tail, is refused.
func Open(ctx context.Context, cfg Config) (*Replica, error) {
	db, err := openStore(cfg)
	if err != nil {
		return nil, fmt.Errorf("open replica %s: %w", cfg.Dir, err)
	}
	r := &Replica{cfg: cfg, db: db}
	for p := range cfg.Log.Partitions() {
		t, err := openTail(ctx, r, p)
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		r.tails = append(r.tails, t)
	}
	return r, nil
}

// openStore opens the store, empty if what is there was folded by other projections.
func openStore(cfg Config) (*pebble.DB, error) {
	db, err := openPebble(cfg)
	if err != nil {
		return nil, err
	}
	have, err := get(db, schemaKey)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if bytes.Equal(have, schema) {
		return db, nil
	}
	if err := errors.Join(db.Close(), os.RemoveAll(cfg.Dir)); err != nil {
		return nil, err
	}
	if db, err = openPebble(cfg); err != nil {
		return nil, err
	}
	return db, db.Set(schemaKey, schema, pebble.Sync)
}

func openPebble(cfg Config) (*pebble.DB, error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	opts := &pebble.Options{
		Cache:        cache,
		MemTableSize: memtableBytes,
		Logger:       quiet{cfg.Logger},
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return pebble.Open(cfg.Dir, opts)
}

// quiet passes Pebble's errors on and drops its commentary.
type quiet struct{ log *slog.Logger }

func (quiet) Infof(string, ...any) {}
func (q quiet) Errorf(format string, args ...any) {
	q.log.Error("replica store", "error", fmt.Sprintf(format, args...))
}

// Fatalf must not return: Pebble calls it when its store can no longer be trusted.
func (q quiet) Fatalf(format string, args ...any) {
	panic("replica store: " + fmt.Sprintf(format, args...))
}

// Start begins tailing every partition.
func (r *Replica) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, t := range r.tails {
		r.done.Go(func() { t.run(ctx) })
	}
}

// Close stops the tails and closes the store.
func (r *Replica) Close() error {
	if r.cancel != nil {
		r.cancel()
	}
	r.done.Wait()
	return r.db.Close()
}

// Get reads a committed value; it makes Replica a Reader.
func (r *Replica) Get(key []byte) ([]byte, error) { return get(r.db, key) }

func get(db pebble.Reader, key []byte) ([]byte, error) {
	v, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read replica: %w", err)
	}
	defer closer.Close()
	return append([]byte{}, v...), nil
}

// Scan calls visit with every committed key that begins with prefix, in order,
// until visit returns false. Key and value are valid during the call only.
func (r *Replica) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	iter, err := r.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return fmt.Errorf("scan replica: %w", err)
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		if !visit(iter.Key(), iter.Value()) {
			break
		}
	}
	return iter.Close()
}

// after is the smallest key above all keys with the prefix, nil when there is none.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// Cursor is how far a partition is folded.
func (r *Replica) Cursor(partition int32) Cursor { return r.tails[partition].position() }

// Owner is the node that announced itself last as a partition's owner; "" when none did.
func (r *Replica) Owner(partition int32) events.NodeID { return r.tails[partition].position().Owner }

// Watch makes f receive a partition's progress from now on, after each commit
// and in order, on the partition's own goroutine: f must not block. The function
// returned ends it.
func (r *Replica) Watch(partition int32, f func(Progress)) (stop func()) {
	return r.tails[partition].watch(f)
}

// CatchUp waits until everything that the log had acknowledged in a partition's
// journal when it was called is folded.
func (r *Replica) CatchUp(ctx context.Context, partition int32) error {
	_, end, err := r.cfg.Log.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return fmt.Errorf("end of journal %d: %w", partition, err)
	}
	return r.tails[partition].wait(ctx, end)
}

// Err is why the replica can no longer follow the journal, nil while it can.
func (r *Replica) Err() error {
	for _, t := range r.tails {
		if err := t.fault(); err != nil {
			return err
		}
	}
	return nil
}
