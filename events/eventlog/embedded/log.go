package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

// Log is the embedded log. It owns two goroutines, the committer and the
// publisher, and one per consumer group; Close ends them all.
type Log struct {
	dir        string
	partitions int32
	readOnly   bool
	logger     *slog.Logger
	db         *pebble.DB
	lock       *pebble.Lock

	queue   *queue
	commits chan commit        // committer to publisher
	batches chan *pebble.Batch // for reuse
	cache   cacheBudget
	failed  atomic.Pointer[error]
	running sync.WaitGroup

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
	db, lock, err := openDatabase(c)
	if err != nil {
		return nil, err
	}
	if c.Partitions, err = checkFormat(db, c.Partitions); err != nil {
		return nil, errors.Join(fmt.Errorf("open log %s: %w", c.Dir, err), db.Close(), lock.Close())
	}
	l := newLog(c, db, lock)
	l.running.Go(l.runCommitter)
	l.running.Go(l.runPublisher)
	return l, nil
}

func newLog(c Config, db *pebble.DB, lock *pebble.Lock) *Log {
	return &Log{
		dir:        c.Dir,
		partitions: c.Partitions,
		readOnly:   c.ReadOnly,
		logger:     c.Logger,
		db:         db,
		lock:       lock,
		queue:      newQueue(c.PendingBytes),
		commits:    make(chan commit, syncsInFlight-1),
		batches:    make(chan *pebble.Batch, syncsInFlight+2),
		cache:      cacheBudget{maxBytes: c.CacheBytes},
		topics:     map[string][]*partition{},
		groups:     groups{open: map[groupName]*group{}},
		closed:     make(chan struct{}),
	}
}

// Partitions implements eventlog.Log.
func (l *Log) Partitions() int32 { return l.partitions }

// TopicID implements eventlog.Log: all topics are in one database.
func (l *Log) TopicID(string) string { return "" }

// Append implements eventlog.Log. Readers at the end of the log share the record's
// memory, so the caller must not change it.
func (l *Log) Append(topic string, partition int32, r eventlog.Record, done func(offset int64, err error)) {
	p, err := l.partition(topic, partition)
	if err == nil && len(r.Value) > eventlog.MaxRecord {
		err = eventlog.ErrTooLarge
	}
	if l.readOnly {
		err = eventlog.ErrReadOnly
	}
	if err != nil {
		p, r = &noPartition, eventlog.Record{}
	}
	if !l.queue.add(request{partition: p, record: r, refused: err, done: done}) {
		go done(0, eventlog.ErrClosed) // the log's goroutines have ended, and done must not run in the caller's
	}
}

// noPartition is the partition of a refused append. It has no readers.
var noPartition partition

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
	p, err := l.partition(topic, partition)
	if err != nil {
		return err
	}
	if l.readOnly {
		return eventlog.ErrReadOnly
	}
	if _, end := p.bounds(); before > end {
		return eventlog.ErrBeyondEnd
	}
	result := make(chan error, 1)
	r := request{partition: p, record: eventlog.Record{Offset: before}, trim: true, done: func(_ int64, err error) { result <- err }}
	if !l.queue.add(r) {
		return eventlog.ErrClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// partition returns a partition, and loads its topic at the first use.
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
		return nil, err
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
	if loaded, ok := l.topics[topic]; ok {
		return loaded, nil
	}
	loaded := make([]*partition, l.partitions)
	for i := range loaded {
		var err error
		if loaded[i], err = loadPartition(l.db, topic, int32(i)); err != nil {
			return nil, err
		}
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

// Close revokes all memberships, completes the pending appends, ends the readers
// and closes the database. Later calls do nothing.
func (l *Log) Close() error {
	var err error
	l.closing.Do(func() { err = l.close() })
	return err
}

func (l *Log) close() error {
	l.groups.close()
	l.queue.close()
	l.running.Wait()
	close(l.closed)
	l.dbMu.Lock()
	defer l.dbMu.Unlock()
	l.dropBatches()
	if err := errors.Join(l.db.Close(), l.lock.Close()); err != nil {
		return fmt.Errorf("close log %s: %w", l.dir, err)
	}
	return nil
}

func (l *Log) dropBatches() {
	close(l.batches)
	for b := range l.batches {
		_ = b.Close()
	}
}
