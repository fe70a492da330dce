package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
)

// Log is the embedded log. It owns three goroutines, the committer, the publisher and the
// watcher, and one per consumer group; Close ends them all, except those that are stuck in a
// broken database.
type Log struct {
	dir        string
	id         string
	partitions int32
	readOnly   bool
	pending    int      // the room per topic, in bytes
	unbounded  []string // topics without a bound
	logger     *slog.Logger
	onFailure  func(error)
	guard      *disk.Guard
	db         *pebble.DB
	lock       *pebble.Lock

	queue   *queue
	commits chan *commit       // committer to publisher
	batches chan *pebble.Batch // for reuse
	cache   cacheBudget
	// unfenced is the partition of the last append, after which the log is fenced when fenceTimer fires. fences counts the fences, for the publisher.
	unfenced   atomic.Pointer[partition]
	fences     int
	fenceTimer *time.Timer
	fenceAfter time.Duration
	failed     atomic.Pointer[error]

	running  sync.WaitGroup // the committer and the publisher
	watching sync.WaitGroup // the watcher

	topicsMu sync.RWMutex
	topics   map[string][]*partition

	groups groups

	closing sync.Once
	closed  chan struct{}
	dbMu    sync.RWMutex // held for reading while the database is used outside the committer, for writing to close it
}

var _ eventlog.Log = (*Log)(nil)

// Open opens the log in c.Dir and creates it if it does not exist. The error is
// ErrInUse if the directory is in use, and an *eventlog.PartitionCountError if the log
// was created with another partition count.
func Open(c Config) (*Log, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	guard := disk.NewGuard("log database", c.Logger)
	db, lock, is, err := openDatabase(c, guard)
	if err != nil {
		return nil, err
	}
	c.Partitions = is.partitions
	l := newLog(c, guard, db, lock)
	l.id = is.id
	l.fenceTimer = time.AfterFunc(l.fenceAfter, l.fence)
	l.running.Go(l.runCommitter)
	l.running.Go(l.runPublisher)
	l.watching.Go(l.runWatcher)
	return l, nil
}

func newLog(c Config, guard *disk.Guard, db *pebble.DB, lock *pebble.Lock) *Log {
	return &Log{
		dir:        c.Dir,
		partitions: c.Partitions,
		readOnly:   c.ReadOnly,
		logger:     c.Logger,
		onFailure:  c.Failed,
		guard:      guard,
		db:         db,
		lock:       lock,
		pending:    c.PendingBytes,
		unbounded:  c.Unbounded,
		queue:      newQueue(),
		commits:    make(chan *commit, syncsInFlight-1),
		batches:    make(chan *pebble.Batch, syncsInFlight+2),
		cache:      cacheBudget{maxBytes: c.CacheBytes},
		topics:     map[string][]*partition{},
		groups:     groups{open: map[groupName]*group{}},
		closed:     make(chan struct{}),
		fenceAfter: c.fenceAfter,
	}
}

// Partitions implements eventlog.Log.
func (l *Log) Partitions() int32 { return l.partitions }

// TopicID implements eventlog.Log: all topics share the database's random id, made with it. It is empty if the log is open read-only and its creator
// ended before storing an id.
func (l *Log) TopicID(string) string { return l.id }

// Health implements eventlog.Log.
func (l *Log) Health() error { return l.failure() }

// CacheBytes returns the memory of its database's caches; 0 once the log is closed.
func (l *Log) CacheBytes() int64 {
	l.dbMu.RLock()
	defer l.dbMu.RUnlock()
	if l.isClosed() {
		return 0
	}
	return disk.CacheBytes(l.db)
}

// Append implements eventlog.Log. Readers at the end of the log share the record's
// memory, so the caller must not change it.
func (l *Log) Append(topic string, partition int32, r eventlog.Record, done func(offset int64, err error)) {
	p, err := l.checkAppend(topic, partition, r)
	if err == nil {
		err = l.queue.add(request{partition: p, record: r, size: eventlog.Size(&r), done: done})
	}
	if err != nil {
		l.queue.refuse(done, err)
	}
}

func (l *Log) checkAppend(topic string, partition int32, r eventlog.Record) (*partition, error) {
	switch {
	case l.readOnly:
		return nil, eventlog.ErrReadOnly
	case len(r.Value) > eventlog.MaxRecord:
		return nil, eventlog.ErrTooLarge
	}
	return l.partition(topic, partition)
}

// Read implements eventlog.Log. The first Next returns its errors.
func (l *Log) Read(topic string, partition int32, from int64) eventlog.Reader {
	p, err := l.partition(topic, partition)
	return &reader{log: l, partition: p, err: err, next: from, limit: firstBytes, wake: make(chan struct{}, 1)}
}

// Bounds implements eventlog.Log, from memory.
func (l *Log) Bounds(_ context.Context, topic string, partition int32) (start, end int64, err error) {
	p, err := l.partition(topic, partition)
	if err != nil {
		return 0, 0, err
	}
	start, end = p.bounds()
	return start, end, nil
}

// Trim implements eventlog.Log.
func (l *Log) Trim(ctx context.Context, topic string, partition int32, before int64) error {
	p, err := l.writable(topic, partition)
	if err != nil {
		return err
	}
	if _, end := p.bounds(); before > end {
		return eventlog.ErrBeyondEnd
	}
	return l.moveStart(ctx, p, before)
}

// Begin implements eventlog.Log: it moves the start, before which there is nothing.
func (l *Log) Begin(ctx context.Context, topic string, partition int32, at int64) error {
	p, err := l.writable(topic, partition)
	if err != nil {
		return err
	}
	if start, end := p.bounds(); start != end || end > at {
		return fmt.Errorf("%s/%d: %w", topic, partition, eventlog.ErrNotEmpty)
	}
	return l.moveStart(ctx, p, at)
}

// writable returns a partition, or an error if the log is read-only.
func (l *Log) writable(topic string, partition int32) (*partition, error) {
	p, err := l.partition(topic, partition)
	if err == nil && l.readOnly {
		err = eventlog.ErrReadOnly
	}
	return p, err
}

// moveStart durably moves the start of a partition to an offset.
func (l *Log) moveStart(ctx context.Context, p *partition, to int64) error {
	result := make(chan error, 1)
	r := request{partition: p, record: eventlog.Record{Offset: to}, trim: true, done: func(_ int64, err error) { result <- err }}
	if err := l.queue.add(r); err != nil {
		return err
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// partition returns a partition, loading its topic on first use.
func (l *Log) partition(topic string, number int32) (*partition, error) {
	if number < 0 || number >= l.partitions {
		return nil, fmt.Errorf("topic %s has no partition %d", topic, number)
	}
	if l.isClosed() {
		return nil, eventlog.ErrClosed
	}
	l.topicsMu.RLock()
	loaded, ok := l.topics[topic]
	l.topicsMu.RUnlock()
	if ok {
		return loaded[number], nil
	}
	loaded, err := l.loadTopic(topic)
	if err != nil {
		return nil, damaged(err)
	}
	return loaded[number], nil
}

func (l *Log) loadTopic(topic string) ([]*partition, error) {
	if err := checkTopic(topic); err != nil {
		return nil, err
	}
	l.dbMu.RLock()
	defer l.dbMu.RUnlock()
	l.topicsMu.Lock()
	defer l.topicsMu.Unlock()
	if l.isClosed() {
		return nil, eventlog.ErrClosed
	}
	if err := l.guard.Err(); err != nil {
		return nil, err
	}
	if loaded, ok := l.topics[topic]; ok {
		return loaded, nil
	}
	loaded := make([]*partition, l.partitions)
	room := eventlog.NewRoom(l.pending)
	if slices.Contains(l.unbounded, topic) {
		room = eventlog.NewRoom(0)
	}
	for i := range loaded {
		var err error
		if loaded[i], err = loadPartition(l.db, topic, int32(i)); err != nil {
			return nil, err
		}
		loaded[i].room = room
	}
	l.topics[topic] = loaded
	return loaded, nil
}

func (l *Log) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// Close revokes all memberships, completes the pending appends, ends the readers and closes
// the database. If the database is broken, Close leaves it alone and returns at once.
// Later calls do nothing.
func (l *Log) Close() error {
	var err error
	l.closing.Do(func() { err = l.close() })
	return err
}

func (l *Log) close() error {
	l.groups.close()
	l.fenceTimer.Stop()
	l.queue.close()
	err := l.guard.Call(func() error { l.running.Wait(); return nil })
	close(l.closed)
	l.watching.Wait()
	if err == nil {
		err = l.guard.Call(l.closeDatabase)
	}
	switch {
	case l.guard.Err() != nil:
		return nil // reported already
	case err != nil:
		return fmt.Errorf("close log %s: %w", l.dir, err)
	}
	return nil
}

func (l *Log) closeDatabase() error {
	l.dbMu.Lock()
	defer l.dbMu.Unlock()
	l.dropBatches()
	return errors.Join(l.db.Close(), l.lock.Close())
}

func (l *Log) dropBatches() {
	close(l.batches)
	for b := range l.batches {
		_ = b.Close()
	}
}
