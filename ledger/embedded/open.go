// Package embedded keeps the usage ledger in one SQLite file, for a node that is alone on its machine. The entries of a batch, their sums, its marker
// and its position are written in one transaction.
package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"platen.dev/events/disk"
	"platen.dev/ledger"
)

// readers is how many queries may run at a time, beside the one writer.
const readers = 4

// The caches of connections, in KiB. Each connection has its own, which fills as the ledger grows; the system caches the file, too.
const (
	writerCache = 16 << 10
	readerCache = 4 << 10
)

// busy is how long a call waits for another process's write.
const busy = 10 * time.Second

// Ledger is a ledger in a file.
type Ledger struct {
	path           string
	writer, reader *sql.DB
	gate           *ledger.Gate
}

var _ ledger.Ledger = (*Ledger)(nil)

// Open opens the ledger in the file path, or makes one. It upgrades a file of an older version, and refuses one of a newer version, or one that holds
// anything else. Several processes may have one file open on one machine; one of them writes at a time.
func Open(ctx context.Context, path string) (*Ledger, error) {
	l, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the ledger %s: %w", path, explain(path, err))
	}
	return l, nil
}

// Examine checks whether Open would open the file of a stopped node, as far as that shows without changing anything: what waits in the file beside it,
// -wal, is not read.
func Examine(ctx context.Context, path string) error {
	err := examine(ctx, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open the ledger %s: %w", path, explain(path, err))
	}
	return nil
}

func examine(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return err
	}
	if err := denied(path); err != nil {
		return err
	}
	file := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"} // with which SQLite makes no file, and locks none
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return err
	}
	defer db.Close()
	return within(ctx, db, func(tx *sql.Tx) error {
		_, err := versionOf(ctx, tx, len(migrations))
		return err
	})
}

func open(ctx context.Context, path string) (*Ledger, error) {
	if path == "" {
		return nil, errors.New("the path is empty")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(vfs.Default, filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := &Ledger{path: path, gate: ledger.NewGate()}
	if l.writer, err = connect(path, 1, writerCache, "_txlock=immediate"); err != nil {
		return nil, err
	}
	if l.reader, err = connect(path, readers, readerCache, "_pragma=query_only(1)"); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := migrate(ctx, l.writer, migrations); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// connect returns a pool of connections, each with a cache in KiB. WAL lets queries run beside the writer, and synchronous FULL makes a commit survive
// power loss; a checkpoint follows 64 MiB of changes. The file's schema is not trusted to call functions.
func connect(path string, connections, cache int, more string) (*sql.DB, error) {
	file := url.URL{Scheme: "file", Path: path}
	db, err := sql.Open("sqlite", file.String()+fmt.Sprintf("?%s&_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"+
		"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=cache_size(-%d)&_pragma=wal_autocheckpoint(16384)", more, busy.Milliseconds(), cache))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// Close implements ledger.Ledger.
func (l *Ledger) Close() error {
	if !l.gate.Close() {
		return nil
	}
	var err error
	for _, db := range []*sql.DB{l.reader, l.writer} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// call makes a call; doing names it in its errors.
func (l *Ledger) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, leave, err := l.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = f(ctx)
	switch {
	case err == nil:
		return nil
	case l.gate.Closed():
		return ledger.ErrClosed
	case ctx.Err() != nil:
		return fmt.Errorf("ledger %s: %s: %w", l.path, doing, context.Cause(ctx)) // SQLite says only that it was interrupted
	}
	return fmt.Errorf("ledger %s: %s: %w", l.path, doing, explain(l.path, err))
}

// explain adds to SQLite's words for a file that is damaged or may not be used what to do.
func explain(path string, err error) error {
	var of *sqlite.Error
	if !errors.As(err, &of) {
		return err
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: the file is damaged: stop the node, move the file away with its -wal and -shm, and start: "+
			"the node makes another from the events (docs/LEDGER.md, If the ledger is lost)", err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		if denied := denied(path); denied != nil {
			return fmt.Errorf("%w: %w", err, denied)
		}
	}
	return err
}

// denied returns which of the ledger's files, or their directory, this process may not use; nil if it may use all. It opens none of them: to close
// one would end the locks that SQLite has on it.
func denied(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm", filepath.Dir(path)} {
		if err := unix.Faccessat(unix.AT_FDCWD, name, unix.R_OK|unix.W_OK, unix.AT_EACCESS); errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%s: %w: give it to the node's user (chown)", name, err)
		}
	}
	return nil
}
