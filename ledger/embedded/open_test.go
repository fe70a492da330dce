package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

// raw opens a database without the ledger's checks.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, path string, statements string) {
	t.Helper()
	db := raw(t, path)
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func wantRefused(t *testing.T, path, want string) {
	t.Helper()
	l, err := Open(testkit.Context(t), path)
	if err == nil {
		_ = l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
		t.Errorf("open: %v, want %q and the path", err, want)
	}
}

// A damaged file is refused with what to do.
func TestOpenDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("damaged ", 1024)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, path, "move the file away")
}

// To examine a file finds why it would not be opened, and makes and changes nothing.
func TestExamine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	expect := func(want string) {
		t.Helper()
		before, _ := os.ReadFile(path)
		err := Examine(testkit.Context(t), path)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("got %v, want %q and the path", err, want)
		}
		after, _ := os.ReadFile(path)
		if entries, _ := os.ReadDir(dir); len(entries) > 1 || string(after) != string(before) {
			t.Errorf("it changed %v", entries)
		}
	}
	expect("")
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	expect("")
	execute(t, path, "PRAGMA user_version = 3")
	expect("it has version 3, this program knows versions up to 2")
	if err := os.WriteFile(path, []byte(strings.Repeat("damaged ", 1024)), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("move the file away")
}

// A ledger of another user is refused with what to do, and so are the files beside it.
func TestOpenDenied(t *testing.T) {
	for _, file := range []string{"ledger.db", "ledger.db-wal"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ledger.db")
		if err := mustOpen(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o777, path: 0o666} {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		theirs := filepath.Join(dir, file)
		if _, err := os.Stat(theirs); err != nil {
			if err := os.WriteFile(theirs, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(theirs, 0); err != nil {
			t.Fatal(err)
		}
		t.Run(file, func(t *testing.T) {
			if os.Geteuid() == 0 { // who may use every file
				runtime.LockOSThread() // for good: the thread ends with the test
				if _, err := unix.SetfsuidRetUid(65534); err != nil {
					t.Fatal(err)
				}
			}
			wantRefused(t, path, theirs+": permission denied: give it to the node's user")
		})
	}
}

// A file that is not a ledger, or one that somebody has changed, is refused with the reason.
func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct{ change, want string }{
		"newer":       {"PRAGMA user_version = 3", "it has version 3, this program knows versions up to 2"},
		"negative":    {"PRAGMA user_version = -1", "something else"},
		"application": {"PRAGMA application_id = 7", "something else"},
		"trigger":     {"CREATE TRIGGER t AFTER INSERT ON usage_ledger BEGIN DELETE FROM ledger_batch; END", "somebody has changed them"},
		"index":       {"DROP INDEX usage_ledger_entry", "somebody has changed them"},
		"view":        {"DROP TABLE ledger_batch; CREATE VIEW ledger_batch AS SELECT 1", "somebody has changed them"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.db")
			if err := mustOpen(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, path, c.change)
			wantRefused(t, path, c.want)
		})
	}
	other := filepath.Join(t.TempDir(), "other.db")
	execute(t, other, "CREATE TABLE a (b)")
	wantRefused(t, other, "something else")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, text, "not a database")
	wantRefused(t, t.TempDir(), "unable to open")
	if _, err := Open(testkit.Context(t), ""); err == nil {
		t.Error("an empty path was opened")
	}
}

// A file whose pages are damaged gives errors, never other figures.
func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := mustOpen(t, path)
	if err := l.Append(testkit.Context(t), rows(0, 5000)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) / 4; i < len(content); i++ {
		content[i] = 0xa5
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err = Open(testkit.Context(t), path)
	if err == nil {
		_, err = l.RowsOf(testkit.Context(t), "t", 0, 0, 5000)
		defer l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no error that names the file: %v", err)
	}
}

// Each version leads to the next, in one transaction: a migration that fails leaves the file as it
// was.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := mustOpen(t, path)
	if err := l.Append(testkit.Context(t), rows(0, 10)); err != nil {
		t.Fatal(err)
	}
	third := "CREATE TABLE more (a INTEGER) STRICT; INSERT INTO more SELECT count(*) FROM usage_ledger"
	if err := migrate(testkit.Context(t), l.writer, []string{first, second, third, "CREATE nonsense"}); err == nil || !strings.Contains(err.Error(), "migrate from version 3") {
		t.Errorf("a broken migration: %v", err)
	}
	mustOpen(t, path) // it is what it was
	for range 2 {
		if err := migrate(testkit.Context(t), l.writer, []string{first, second, third}); err != nil {
			t.Fatal(err)
		}
	}
	var copied int
	if err := l.writer.QueryRow("SELECT sum(a) FROM more").Scan(&copied); err != nil || copied != 10 {
		t.Errorf("%d rows were migrated once, %v", copied, err)
	}
	wantRefused(t, path, "it has version 3")
}

// rows is a batch of small entries of ten accounts, a second after the other.
func rows(lo, n int) ledger.Batch {
	b := ledger.Batch{Topic: "t", Lo: int64(lo), Hi: int64(lo + n - 1)}
	for i := lo; i < lo+n; i++ {
		at := ledger.MinTime.Add(time.Duration(i) * time.Second)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: fmt.Sprintf("%d/debit", i), Account: fmt.Sprint("acc_", i%10), Kind: ledger.Debit, Occurred: at, Window: ledger.MinTime,
			Units: 1, Bytes: 10, Source: ledger.Source{Topic: "t", Offset: int64(i)},
		})
	}
	return b
}

// An append whose context ends in the middle leaves nothing.
func TestAppendCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("50,000 entries take a while under the race detector")
	}
	l := mustOpen(t, filepath.Join(t.TempDir(), "ledger.db"))
	b := rows(0, 50_000)
	for turn := range 3 {
		ctx, cancel := context.WithTimeout(testkit.Context(t), time.Duration(2*turn+1)*30*time.Millisecond)
		err := l.Append(ctx, b)
		cancel()
		next, _ := l.Next(testkit.Context(t), "t", 0)
		f, errRows := l.RowsOf(testkit.Context(t), "t", 0, 0, b.Hi)
		if err == nil || errRows != nil || next != 0 || f.Entries != 0 || len(rollup(t, l)) != 0 {
			t.Fatalf("%v: next %d, %d rows, %v, rollup %v", err, next, f.Entries, errRows, rollup(t, l))
		}
	}
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
}
