package embedded

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sums are kept beside the entries, in a file of their own, so that a query need not read a million
// entries. They follow from the entries: who deletes the file loses nothing, and a program that does not
// know them, as an older version, leaves them behind only. They are never waited for: as long as they
// are not there, or fail, the entries answer.
//
// A fold adds the entries behind the marks, and moves the marks, in one transaction of this file.
// A query reads the sums first and the entries behind their marks then. So each entry counts once,
// wherever a fold stops.
type sums struct {
	path    string
	entries *sql.DB // of the ledger, for reading
	logger  *slog.Logger
	limits  limits

	mu             sync.Mutex // held by whoever changes the sums, and while an entry is added below a mark
	checked        bool       // by mu
	writer, reader *sql.DB    // set before usable is, by mu

	using   sync.RWMutex // held while a query reads the sums, for writing to replace their file
	damaged atomic.Bool  // the file is to be replaced
	usable  atomic.Bool  // queries may use the sums
	pending atomic.Int64 // entries since the last fold, about
	wake    chan struct{}
	end     context.CancelFunc
	ended   chan struct{} // nil unless it was started
}

// limits say when sums are made.
type limits struct {
	fold  int64 // how many entries wait for a fold
	chunk int   // how many entries one fold takes
	least int64 // how many entries an account has that is worth sums
	wide  int   // how many values a tag has in one fold at most
}

var defaultLimits = limits{fold: 2000, chunk: 20_000, least: 10_000, wide: 1000}

func newSums(path string, entries *sql.DB, logger *slog.Logger, l limits) *sums {
	return &sums{path: path, entries: entries, logger: logger, limits: l, wake: make(chan struct{}, 1), end: func() {}}
}

// start begins to follow the entries.
func (s *sums) start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.end, s.ended = cancel, make(chan struct{})
	go s.follow(ctx)
}

func (s *sums) follow(ctx context.Context) {
	defer close(s.ended)
	for ctx.Err() == nil {
		if err := s.catchUp(ctx); err != nil && ctx.Err() == nil {
			s.fail(err)
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		}
	}
}

// fail has the entries answer, until a fold succeeds. A file that is damaged is replaced before that.
func (s *sums) fail(err error) {
	s.usable.Store(false)
	if corrupt(err) {
		s.damaged.Store(true)
		s.hurry()
	}
	s.logger.Warn("the sums of the usage ledger cannot be used: its answers are right, and slow", "file", s.path, "error", err)
}

// appended says that entries were added behind the marks.
func (s *sums) appended(entries int) {
	if s.pending.Add(int64(entries)) >= s.limits.fold {
		s.hurry()
	}
}

// hurry has the sums catch up.
func (s *sums) hurry() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close ends everything, and waits for it.
func (s *sums) close() error {
	s.end()
	if s.ended != nil {
		<-s.ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disconnect()
}

func (s *sums) disconnect() (err error) {
	s.usable.Store(false)
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	s.reader, s.writer = nil, nil
	return err
}

// catchUp brings the sums up to the entries: it makes the file if there is none that fits them.
func (s *sums) catchUp(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.fold(ctx); err != nil {
			return err
		}
	}
	s.usable.Store(true)
	return nil
}

// prepare opens the file, once, and begins it anew unless its sums are of these entries.
func (s *sums) prepare(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damaged.Swap(false) {
		s.checked = false
		if err := s.replace(errDamaged); err != nil {
			return err
		}
	}
	if s.checked {
		return nil
	}
	if s.writer == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	same, err := s.matches(ctx)
	if err == nil && !same {
		s.logger.Info("the sums of the usage ledger are made anew", "file", s.path)
		err = s.clear(ctx)
	}
	s.checked = err == nil
	return err
}

// connect opens the file. One that holds anything else, or is damaged, is replaced.
func (s *sums) connect(ctx context.Context) error {
	err := s.open(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if err := s.replace(err); err != nil {
		return err
	}
	return s.open(ctx)
}

// replace removes the file. No query reads it meanwhile.
func (s *sums) replace(why error) error {
	s.using.Lock()
	defer s.using.Unlock()
	s.logger.Error("the sums of the usage ledger are replaced", "file", s.path, "error", why)
	_ = s.disconnect() // of a file that is of no use
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

var errDamaged = errors.New("the file is damaged")

// corrupt reports whether a file turned out to be damaged.
func corrupt(err error) bool {
	var at *sqlite.Error
	return errors.As(err, &at) && (at.Code()&0xff == sqlite3.SQLITE_CORRUPT || at.Code()&0xff == sqlite3.SQLITE_NOTADB)
}

func (s *sums) open(ctx context.Context) (err error) {
	if s.writer, err = connect(s.path, 1, "_txlock=immediate"); err == nil {
		s.reader, err = connect(s.path, readers, "_pragma=query_only(1)")
	}
	if err == nil {
		err = sumsSchema.migrate(ctx, s.writer)
	}
	if err != nil {
		return errors.Join(err, s.disconnect())
	}
	return nil
}

// clear empties the file.
func (s *sums) clear(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM sums_mark; DELETE FROM sums_account; DELETE FROM sums_wide; DELETE FROM sums_cell")
		return err
	})
}

// change makes a transaction that writes the sums.
func (s *sums) change(ctx context.Context, do func(*sql.Tx) error) error {
	return within(ctx, s.writer, nil, do)
}

// within makes a transaction.
func within(ctx context.Context, db *sql.DB, options *sql.TxOptions, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
