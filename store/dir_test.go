package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

// pattern is an endless reader in which each byte is a function of its offset.
type pattern struct{ at, seed int }

func (p *pattern) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte((p.at + i) * 31 >> 3 * (p.seed + 1))
	}
	p.at += len(b)
	return len(b), nil
}

func patternOf(size int64) io.Reader { return io.LimitReader(&pattern{}, size) }

// checkSame compares two streams without keeping them in memory.
func checkSame(t *testing.T, got, want io.Reader) {
	t.Helper()
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errGot := io.ReadFull(got, a)
		m, errWant := io.ReadFull(want, b)
		if n != m || !bytes.Equal(a[:n], b[:m]) {
			t.Fatal("the content differs")
		}
		if errGot != nil || errWant != nil {
			return
		}
	}
}

func mustRead(t *testing.T, dir *Dir, name string) string {
	t.Helper()
	f, err := dir.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
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

// Files of sizes around the edges of all buffers are read as they were written.
func TestPutThenOpen(t *testing.T) {
	dir := openDir(t)
	ctx := context.Background()
	for _, size := range []int64{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, copyBuffer, copyBuffer + 1, 3 << 20} {
		name := fmt.Sprintf("%d.pdf", size)
		got, err := dir.Put(ctx, name, patternOf(size), size)
		if err != nil || got != size {
			t.Fatalf("put %d bytes: %d, %v", size, got, err)
		}
		f, err := dir.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size != size {
			t.Errorf("size %d, want %d", f.Size, size)
		}
		checkSame(t, f, patternOf(size))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The largest file that a job may produce is never in memory as a whole.
func TestPutStreams(t *testing.T) {
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

// A file above the limit leaves nothing behind and does not change the existing file.
func TestPutAboveLimit(t *testing.T) {
	dir := openDir(t)
	ctx := context.Background()
	if _, err := dir.Put(ctx, "a.pdf", strings.NewReader("old"), 3); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Put(ctx, "a.pdf", patternOf(1001), 1000); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
	if got := mustRead(t, dir, "a.pdf"); got != "old" {
		t.Errorf("content %q, want the old one", got)
	}
	if found := files(t, dir); len(found) != 1 {
		t.Errorf("files left: %v", found)
	}
}

// A reader that fails in the middle, and a context that ends, leave nothing behind.
func TestPutFails(t *testing.T) {
	dir := openDir(t)
	broken := errors.New("broken")
	source := io.MultiReader(patternOf(1<<20), errorReader{broken})
	if _, err := dir.Put(context.Background(), "a.pdf", source, 1<<30); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := dir.Put(ctx, "a.pdf", patternOf(1), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if found := files(t, dir); len(found) != 0 {
		t.Errorf("files left: %v", found)
	}
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

// A replaced or deleted file stays readable for those who have it open.
func TestReplaceAndDeleteWhileOpen(t *testing.T) {
	dir := openDir(t)
	ctx := context.Background()
	if _, err := dir.Put(ctx, "a.pdf", strings.NewReader("first"), 10); err != nil {
		t.Fatal(err)
	}
	f, err := dir.Open(ctx, "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := dir.Put(ctx, "a.pdf", strings.NewReader("second"), 10); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, dir, "a.pdf"); got != "second" {
		t.Errorf("content %q, want second", got)
	}
	for range 2 { // deleting is idempotent
		if err := dir.Delete(ctx, "a.pdf"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := dir.Open(ctx, "a.pdf"); !errors.Is(err, ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	if got, _ := io.ReadAll(f); string(got) != "first" {
		t.Errorf("the open file reads %q, want first", got)
	}
}

// Of concurrent puts with one name, one wins completely; other files are not affected.
func TestConcurrentPuts(t *testing.T) {
	dir := openDir(t)
	ctx := context.Background()
	var group sync.WaitGroup
	for i := range 16 {
		content := strings.Repeat(string(rune('a'+i)), 100_000)
		group.Go(func() {
			for _, name := range []string{"shared", fmt.Sprintf("own-%d", i)} {
				if _, err := dir.Put(ctx, name, strings.NewReader(content), 1<<20); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range 16 {
		if got := mustRead(t, dir, fmt.Sprintf("own-%d", i)); got != strings.Repeat(string(rune('a'+i)), 100_000) {
			t.Errorf("own-%d differs", i)
		}
	}
	got := mustRead(t, dir, "shared")
	if len(got) != 100_000 || strings.Trim(got, got[:1]) != "" {
		t.Error("the shared file is a mixture")
	}
	if found := files(t, dir); len(found) != 17 {
		t.Errorf("%d files, want 17: %v", len(found), found)
	}
}

// Every operation refuses names that have a special meaning in a path, a shell or a URL.
func TestNames(t *testing.T) {
	dir := openDir(t)
	ctx := context.Background()
	for _, name := range []string{
		"", ".", "..", "../a", "a/../b", "/etc/passwd", "a/b", `a\b`, ".hidden", "-rf", "_a", "a\x00b", "a b", "a\n", "ä", "a%2fb",
		strings.Repeat("a", maxName+1),
	} {
		_, errPut := dir.Put(ctx, name, strings.NewReader("x"), 1)
		_, errOpen := dir.Open(ctx, name)
		errDelete := dir.Delete(ctx, name)
		for _, err := range []error{errPut, errOpen, errDelete} {
			if !errors.Is(err, ErrName) {
				t.Errorf("name %q: got %v, want ErrName", name, err)
			}
		}
	}
	for _, name := range []string{"a", "0b44fbba-5a9c-4d0a-8a0e-3f6a0f9a6f11.pdf", "A_1.tar.gz", "temp", strings.Repeat("a", maxName)} {
		if _, err := dir.Put(ctx, name, strings.NewReader(name), 1<<10); err != nil {
			t.Errorf("name %q: %v", name, err)
		}
		if got := mustRead(t, dir, name); got != name {
			t.Errorf("name %q reads %q", name, got)
		}
	}
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

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

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

// Each visits every stored file once, with the time when it was stored.
func TestEach(t *testing.T) {
	d, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(-time.Second)
	for _, name := range []string{"a.pdf", "b.pdf", "c"} {
		if _, err := d.Put(t.Context(), name, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	err = d.Each(t.Context(), func(name string, stored time.Time) error {
		seen[name]++
		if stored.Before(began) || stored.After(time.Now().Add(time.Second)) {
			t.Errorf("%s was stored at %s", name, stored)
		}
		return nil
	})
	if err != nil || !maps.Equal(seen, map[string]int{"a.pdf": 1, "b.pdf": 1, "c": 1}) {
		t.Errorf("visited %v, %v", seen, err)
	}
	stop := errors.New("stop")
	if err := d.Each(t.Context(), func(string, time.Time) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a visit that fails: %v", err)
	}
}
