package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

const topic = "platen.test"

// faultyDisk fails the operations of these kinds on write-ahead logs with ENOSPC once full is
// set.
func faultyDisk(full *atomic.Bool, kinds ...errorfs.OpKind) vfs.FS {
	return faultyFiles(full, ".log", kinds...)
}

// faultyFiles does so with the files whose path contains part.
func faultyFiles(full *atomic.Bool, part string, kinds ...errorfs.OpKind) vfs.FS {
	return errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && strings.Contains(op.Path, part) && slices.Contains(kinds, op.Kind) {
			return syscall.ENOSPC
		}
		return nil
	}))
}

func put(l eventlog.Log, value []byte) (int64, error) {
	return eventlog.AppendWait(context.Background(), l, topic, 0, eventlog.Record{Value: value})
}

// breakages are faults after which Pebble cannot continue, in the goroutine that writes or in one
// of its own.
var breakages = map[string]func(full *atomic.Bool) vfs.FS{
	"no room in the write-ahead log": func(full *atomic.Bool) vfs.FS {
		return faultyDisk(full, errorfs.OpFileWrite)
	},
	"no sync of the write-ahead log": func(full *atomic.Bool) vfs.FS {
		return faultyDisk(full, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo)
	},
	"no new write-ahead log": func(full *atomic.Bool) vfs.FS {
		return faultyDisk(full, errorfs.OpCreate, errorfs.OpReuseForWrite)
	},
	"no manifest": func(full *atomic.Bool) vfs.FS {
		return faultyFiles(full, "MANIFEST", errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData)
	},
}

// TestBreakage checks that a log that Pebble gives up calls everybody back, reports once,
// closes at once, and has every acknowledged record when it is opened again. Each runs in a
// process of its own, because goroutines are stuck in Pebble afterwards.
func TestBreakage(t *testing.T) {
	const variable = "PLATEN_EMBEDDED_BREAKAGE"
	if name := os.Getenv(variable); name != "" {
		appendUntilBroken(t, os.Getenv(variable+"_DIR"), breakages[name])
		os.Exit(0) // the check for leaked goroutines would find Pebble's
	}
	for name := range breakages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run=^TestBreakage$")
			cmd.Env = append(os.Environ(), variable+"="+name, variable+"_DIR="+dir)
			output, err := cmd.CombinedOutput()
			acked := int64(strings.Count(string(output), "acked\n"))
			if err != nil || acked == 0 {
				t.Fatalf("the process ended with %v after %d records:\n%.3000s", err, acked, strings.ReplaceAll(string(output), "acked\n", ""))
			}
			l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if _, end, err := l.Bounds(context.Background(), topic, 0); err != nil || end < acked {
				t.Fatalf("end %d after %d acknowledged records, %v", end, acked, err)
			}
		})
	}
}

// appendUntilBroken appends until the log has failed. Every append must be called back.
func appendUntilBroken(t *testing.T, dir string, disk func(*atomic.Bool) vfs.FS) {
	var full atomic.Bool
	failed := make(chan error, 100)
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1, FS: disk(&full), Logger: testkit.Silent(), Failed: func(err error) { failed <- err }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put(l, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	fmt.Println("acked")
	full.Store(true)
	var pending sync.WaitGroup
	room := make(chan struct{}, 100)
	for len(failed) == 0 {
		room <- struct{}{}
		pending.Add(1)
		l.Append(topic, 0, eventlog.Record{Value: make([]byte, 10<<10)}, func(_ int64, err error) {
			defer pending.Done()
			if err == nil {
				fmt.Println("acked")
			}
			<-room
		})
	}
	pending.Wait()
	reason := <-failed
	if _, err := put(l, []byte("later")); !errors.Is(err, reason) {
		t.Fatalf("append after the failure: %v, want %v", err, reason)
	}
	if err := l.Trim(testkit.Context(t), topic, 0, 1); !errors.Is(err, reason) {
		t.Fatalf("trim after the failure: %v, want %v", err, reason)
	}
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if len(failed) > 0 {
		t.Fatalf("failed again with %v", <-failed)
	}
	if t.Failed() {
		os.Exit(1)
	}
}

// TestOpenOnABrokenDisk checks that an opening that Pebble gives up returns the error.
func TestOpenOnABrokenDisk(t *testing.T) {
	const variable = "PLATEN_EMBEDDED_BROKEN_OPEN"
	if dir := os.Getenv(variable); dir != "" {
		var full atomic.Bool
		full.Store(true)
		_, err := embedded.Open(embedded.Config{Dir: dir, Partitions: 1, FS: breakages["no manifest"](&full), Logger: testkit.Silent()})
		fmt.Println("opened:", err)
		os.Exit(0)
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOpenOnABrokenDisk$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "opened: open log "+dir) || !strings.Contains(string(output), "no space left") {
		t.Fatalf("%v: %.3000s", err, output)
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
