package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"
)

// crashRoot is an environment variable that turns the test binary into a process that never
// finishes its Put.
const crashRoot = "STORE_TEST_CRASH_ROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(crashRoot); root != "" {
		putForever(root)
	}
	goleak.VerifyTestMain(m)
}

func openDir(t *testing.T) *Dir {
	t.Helper()
	dir, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDir(t *testing.T) {
	suite(t, func(t *testing.T) backEnd {
		dir := openDir(t)
		return backEnd{dir, func(t *testing.T) []string { return files(t, dir) }}
	})
}

// files lists the regular files below the root, by their relative paths.
func files(t *testing.T, dir *Dir) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir.root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, strings.TrimPrefix(path, dir.root+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The largest file that a job may produce is never in memory as a whole.
func TestDirStreams(t *testing.T) {
	dir := openDir(t)
	const size = 150 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := dir.Put(context.Background(), "large.pdf", patternOf(size), size); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("putting %d MiB allocated %d KiB", size>>20, grown>>10)
	}
	f, err := dir.Open(context.Background(), "large.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkSame(t, f, patternOf(size))
}

// putForever prints a line once a large part of its file is on disk, and waits to be killed.
func putForever(root string) {
	dir, err := OpenDir(root)
	if err != nil {
		panic(err)
	}
	halfWay := readerFunc(func([]byte) (int, error) {
		fmt.Println("half-way")
		select {}
	})
	_, err = dir.Put(context.Background(), "a.pdf", io.MultiReader(patternOf(5<<20), halfWay), 1<<30)
	panic(err)
}

// A process that is killed in the middle of a Put leaves the old file, and a temporary one
// that the next OpenDir removes. While the process lives, OpenDir does not.
func TestKilledInTheMiddle(t *testing.T) {
	dir := openDir(t)
	if _, err := dir.Put(context.Background(), "a.pdf", strings.NewReader("old"), 3); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashRoot+"="+dir.root)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("half-way"))); err != nil {
		t.Fatal(err)
	}
	reopen := func() int {
		if dir, err = OpenDir(dir.root); err != nil {
			t.Fatal(err)
		}
		return len(files(t, dir))
	}
	if got := reopen(); got != 2 {
		t.Errorf("%d files while the writer lives, want the old one and the temporary one", got)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if got := reopen(); got != 1 {
		t.Errorf("%d files after the writer was killed, want the old one", got)
	}
	if got := mustRead(t, dir, "a.pdf"); got != "old" {
		t.Errorf("content %q, want old", got)
	}
}

// nfs locks, as NFS does, only files that were opened for writing.
type nfs struct{ vfs.FS }

func (n nfs) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := n.FS.Open(name, opts...)
	return toRead{f}, err
}

// toRead is a file whose descriptor cannot be locked.
type toRead struct{ vfs.File }

func (toRead) Fd() uintptr { return 1 << 30 }

// An abandoned file is also removed where a lock needs a file that may be written.
func TestAbandonedOnNFS(t *testing.T) {
	dir := openDir(t)
	if err := os.WriteFile(dir.temp()+"/"+tempPrefix+"x", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := openDirOn(nfs{vfs.Default}, dir.root)
	if err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Nobody learns from a store that is gone, as with a disk that is not mounted, that it has no files. One that is only read need not exist.
func TestGone(t *testing.T) {
	dir := openDir(t)
	if _, err := dir.Put(t.Context(), "a", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	each := func(d *Dir) error { return d.Each(t.Context(), func(string, int64, time.Time) error { return nil }) }
	open := func(d *Dir) error { _, err := d.Open(t.Context(), "b"); return err }
	if err := open(dir); !errors.Is(err, ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.Rename(dir.root, dir.root+"-unmounted"); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"missing", "empty"} {
		for what, err := range map[string]error{"open": open(dir), "delete": dir.Delete(t.Context(), "a"), "list": each(dir)} {
			if !errors.Is(err, ErrGone) || errors.Is(err, ErrNotExist) {
				t.Errorf("%s, the directory is %s: %v", what, root, err)
			}
		}
		if err := os.MkdirAll(dir.root, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if d := DirToRead(dir.root); !errors.Is(open(d), ErrNotExist) || each(d) != nil {
		t.Errorf("only read: %v, %v", open(d), each(d))
	}
}

func ExampleDir() {
	root, _ := os.MkdirTemp("", "store-example-")
	defer os.RemoveAll(root)
	ctx := context.Background()

	dir, _ := OpenDir(root)
	size, _ := dir.Put(ctx, "job-1.pdf", strings.NewReader("%PDF-1.4"), 150<<20)
	f, _ := dir.Open(ctx, "job-1.pdf")
	defer f.Close()
	content, _ := io.ReadAll(f)
	fmt.Println(size, f.Size, string(content))
	// Output: 8 8 %PDF-1.4
}

// A directory is a store once it was opened as one, and asking changes nothing.
func TestIsDir(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{root, root + "/nowhere"} {
		if IsDir(dir) {
			t.Errorf("%s is a store", dir)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("asking has made %v (%v)", left, err)
	}
	if _, err := OpenDir(root); err != nil || !IsDir(root) {
		t.Errorf("a store is none (%v)", err)
	}
}

// A directory that somebody removes under a store is made again by the next file.
func TestRemovedHashDir(t *testing.T) {
	dir := openDir(t)
	for range 2 {
		if _, err := dir.Put(t.Context(), "a", strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(dir.Path("a"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(dir.root); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil {
		t.Error("a store that was removed was made again")
	}
	if _, err := os.Stat(dir.root); err == nil {
		t.Error("its root is there")
	}
}
