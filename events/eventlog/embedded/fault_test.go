package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
)

const topic = "platen.test"

// faultyDisk fails writes of write-ahead logs with ENOSPC once full is set.
func faultyDisk(full *atomic.Bool, kinds ...errorfs.OpKind) vfs.FS {
	return errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		for _, kind := range kinds {
			if full.Load() && op.Kind == kind && strings.HasSuffix(op.Path, ".log") {
				return syscall.ENOSPC
			}
		}
		return nil
	}))
}

func put(l eventlog.Log, value []byte) (int64, error) {
	return eventlog.AppendWait(context.Background(), l, topic, 0, eventlog.Record{Value: value})
}

// TestFullDisk checks that a log whose write-ahead log cannot be written fails for
// good, calls every caller back, and has all acknowledged records after a restart.
func TestFullDisk(t *testing.T) {
	var full atomic.Bool
	config := embedded.Config{
		Dir: t.TempDir(), Partitions: 1,
		FS: faultyDisk(&full, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo, errorfs.OpFileFlush),
	}
	l, err := embedded.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put(l, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	results := make(chan error, 100)
	for range cap(results) {
		l.Append(topic, 0, eventlog.Record{Value: []byte("unknown")}, func(_ int64, err error) { results <- err })
	}
	for range cap(results) {
		if err := <-results; !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("append on a full disk: %v, want ENOSPC", err)
		}
	}
	full.Store(false)
	if _, err := put(l, []byte("later")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("append after the failure: %v, want the same error", err)
	}
	if err := l.Trim(context.Background(), topic, 0, 1); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("trim after the failure: %v, want the same error", err)
	}
	if r, err := eventlog.ReadOne(context.Background(), l, topic, 0, 0); err != nil || string(r.Value) != "kept" {
		t.Fatalf("read after the failure: %q, %v", r.Value, err)
	}
	_ = l.Close() // may return the same error again
	l, err = embedded.Open(embedded.Config{Dir: config.Dir, Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if r, err := eventlog.ReadOne(context.Background(), l, topic, 0, 0); err != nil || string(r.Value) != "kept" {
		t.Fatalf("read after restart: %q, %v", r.Value, err)
	}
	if _, err := put(l, []byte("again")); err != nil {
		t.Fatalf("append after restart: %v", err)
	}
}

// TestNoNewWriteAheadLog checks that a process that Pebble ends, because it cannot
// create the next write-ahead log, leaves all acknowledged records.
func TestNoNewWriteAheadLog(t *testing.T) {
	const variable = "PLATEN_EMBEDDED_DIR"
	if dir := os.Getenv(variable); dir != "" {
		appendUntilTheEnd(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoNewWriteAheadLog$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	output, err := cmd.Output()
	acked := int64(strings.Count(string(output), "acked\n"))
	if err == nil || acked == 0 {
		t.Fatalf("the process ended with %v after %d records", err, acked)
	}
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, end, err := l.Bounds(context.Background(), topic, 0); err != nil || end < acked {
		t.Fatalf("end %d after %d acknowledged records, %v", end, acked, err)
	}
}

func appendUntilTheEnd(t *testing.T, dir string) {
	var full atomic.Bool
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1, FS: faultyDisk(&full, errorfs.OpCreate, errorfs.OpReuseForWrite)})
	if err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	for range 10_000 {
		if _, err := put(l, make([]byte, 10<<10)); err == nil {
			fmt.Println("acked")
		}
	}
}

// TestInUse checks that an open directory is refused to this and to another process.
func TestInUse(t *testing.T) {
	const variable = "PLATEN_EMBEDDED_IN_USE"
	if dir := os.Getenv(variable); dir != "" {
		if _, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1}); !errors.Is(err, embedded.ErrInUse) {
			t.Fatalf("open in another process: %v, want ErrInUse", err)
		}
		return
	}
	dir := t.TempDir()
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = embedded.Open(embedded.Config{Dir: dir, Partitions: 1})
	if !errors.Is(err, embedded.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("second open: %v, want ErrInUse that names the directory", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInUse$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}
