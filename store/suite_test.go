package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// backEnd is a store under test.
type backEnd struct {
	Files
	// kept lists everything in the store, including invisible things such as parts of files.
	kept func(t *testing.T) []string
}

// largest is the size of the largest files of the suite, in bytes: larger than what any back end
// holds in memory, and not a multiple of anything.
const largest = 17<<20 + 4321

// suite checks that a back end keeps the contract of Files. open returns an empty store.
func suite(t *testing.T, open func(t *testing.T) backEnd) {
	for _, part := range []struct {
		name string
		test func(*testing.T, backEnd)
	}{
		{"put then open", putThenOpen},
		{"above the limit", putAboveLimit},
		{"a put that fails", putFails},
		{"replace and delete while open", replaceAndDeleteWhileOpen},
		{"the context of open", readAfterContext},
		{"concurrent puts", concurrentPuts},
		{"names", names},
		{"each", each},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

// patternOf returns content that is the same whenever it is read, and differs in every part.
func patternOf(size int64) io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{}), size) }

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

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

func mustPut(t *testing.T, files Files, name, content string) {
	t.Helper()
	if size, err := files.Put(t.Context(), name, strings.NewReader(content), int64(len(content))); err != nil || size != int64(len(content)) {
		t.Fatalf("put %d bytes: %d, %v", len(content), size, err)
	}
}

func mustRead(t *testing.T, files Files, name string) string {
	t.Helper()
	f, err := files.Open(context.Background(), name)
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

// Files of sizes around the edges of all buffers are read as they were written.
func putThenOpen(t *testing.T, files backEnd) {
	sizes := []int64{
		0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, copyBuffer, copyBuffer + 1, 3 << 20, largest,
	}
	for _, size := range sizes {
		name := fmt.Sprintf("%d.pdf", size)
		got, err := files.Put(t.Context(), name, patternOf(size), size)
		if err != nil || got != size {
			t.Fatalf("put %d bytes: %d, %v", size, got, err)
		}
		f, err := files.Open(t.Context(), name)
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
	if kept := files.kept(t); len(kept) != len(sizes) {
		t.Errorf("%d files were put, kept: %v", len(sizes), kept)
	}
}

// A file above the limit leaves nothing behind and does not change the existing file.
func putAboveLimit(t *testing.T, files backEnd) {
	mustPut(t, files, "a.pdf", "old")
	for _, size := range []int64{0, 1000, largest} {
		if _, err := files.Put(t.Context(), "a.pdf", patternOf(size+1), size); !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%d bytes: got %v, want ErrTooLarge", size+1, err)
		}
		if got := mustRead(t, files, "a.pdf"); got != "old" {
			t.Errorf("content %q, want the old one", got)
		}
		if kept := files.kept(t); len(kept) != 1 {
			t.Errorf("files left: %v", kept)
		}
	}
}

// A reader that fails, and a context that ends, early and late, leave nothing behind.
func putFails(t *testing.T, files backEnd) {
	broken := errors.New("broken")
	for _, size := range []int64{0, 1 << 20, largest} {
		source := io.MultiReader(patternOf(size), errorReader{broken})
		if _, err := files.Put(t.Context(), "a.pdf", source, 1<<30); !errors.Is(err, broken) {
			t.Errorf("got %v, want the reader's error", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ending := readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF })
		if _, err := files.Put(ctx, "a.pdf", io.MultiReader(patternOf(size), ending, patternOf(1)), 1<<30); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: got %v, want context.Canceled", size, err)
		}
		if _, err := files.Put(ctx, "a.pdf", patternOf(1), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	}
	if kept := files.kept(t); len(kept) != 0 {
		t.Errorf("files left: %v", kept)
	}
}

// A replaced or deleted file stays readable for those who have it open. Deleting is idempotent.
func replaceAndDeleteWhileOpen(t *testing.T, files backEnd) {
	mustPut(t, files, "a.pdf", "first")
	f, err := files.Open(t.Context(), "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mustPut(t, files, "a.pdf", "second")
	if got := mustRead(t, files, "a.pdf"); got != "second" {
		t.Errorf("content %q, want second", got)
	}
	for range 2 {
		if err := files.Delete(t.Context(), "a.pdf"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := files.Open(t.Context(), "a.pdf"); !errors.Is(err, ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	if got, _ := io.ReadAll(f); string(got) != "first" {
		t.Errorf("the open file reads %q, want first", got)
	}
	if kept := files.kept(t); len(kept) != 0 {
		t.Errorf("files left: %v", kept)
	}
}

// A file is read to its end although the context with which it was opened has ended. Nothing
// begins with such a context.
func readAfterContext(t *testing.T, files backEnd) {
	if _, err := files.Put(t.Context(), "a.pdf", patternOf(largest), largest); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f, err := files.Open(ctx, "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	checkSame(t, f, patternOf(largest))
	_, errOpen := files.Open(ctx, "a.pdf")
	errDelete := files.Delete(ctx, "a.pdf")
	errEach := files.Each(ctx, func(string, int64, time.Time) error { return nil })
	for _, err := range []error{errOpen, errDelete, errEach} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	}
}

// Of concurrent puts with one name, one wins completely; other files are not affected.
func concurrentPuts(t *testing.T, files backEnd) {
	var group sync.WaitGroup
	for i := range 16 {
		content := strings.Repeat(string(rune('a'+i)), 100_000)
		group.Go(func() {
			for _, name := range []string{"shared", fmt.Sprintf("own-%d", i)} {
				if _, err := files.Put(t.Context(), name, strings.NewReader(content), 1<<20); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range 16 {
		if got := mustRead(t, files, fmt.Sprintf("own-%d", i)); got != strings.Repeat(string(rune('a'+i)), 100_000) {
			t.Errorf("own-%d differs", i)
		}
	}
	got := mustRead(t, files, "shared")
	if len(got) != 100_000 || strings.Trim(got, got[:1]) != "" {
		t.Error("the shared file is a mixture")
	}
	if kept := files.kept(t); len(kept) != 17 {
		t.Errorf("%d files, want 17: %v", len(kept), kept)
	}
}

// Every operation refuses names that have a special meaning in a path, a shell or a URL.
func names(t *testing.T, files backEnd) {
	for _, name := range []string{
		"", ".", "..", "../a", "a/../b", "/etc/passwd", "a/b", `a\b`, ".hidden", "-rf", "_a", "a\x00b", "a b", "a\n", "ä", "a%2fb",
		strings.Repeat("a", maxName+1),
	} {
		_, errPut := files.Put(t.Context(), name, strings.NewReader("x"), 1)
		_, errOpen := files.Open(t.Context(), name)
		errDelete := files.Delete(t.Context(), name)
		for _, err := range []error{errPut, errOpen, errDelete} {
			if !errors.Is(err, ErrName) {
				t.Errorf("name %q: got %v, want ErrName", name, err)
			}
		}
	}
	for _, name := range []string{"a", "0b44fbba-5a9c-4d0a-8a0e-3f6a0f9a6f11.pdf", "A_1.tar.gz", "temp", strings.Repeat("a", maxName)} {
		mustPut(t, files, name, name)
		if got := mustRead(t, files, name); got != name {
			t.Errorf("name %q reads %q", name, got)
		}
	}
}

// Each visits every stored file once, with its size and the time when it was stored.
func each(t *testing.T, files backEnd) {
	nothing := func(name string, _ int64, _ time.Time) error { return fmt.Errorf("visited %s", name) }
	if err := files.Each(t.Context(), nothing); err != nil {
		t.Errorf("of an empty store: %v", err)
	}
	began := time.Now().Add(-2 * time.Second) // some back ends have whole seconds
	want := map[string]int64{}
	for i, name := range []string{"a.pdf", "b.pdf", "c", "d.png", "e.jpg"} {
		mustPut(t, files, name, strings.Repeat("x", i))
		want[name] = int64(i)
	}
	seen := map[string]int64{}
	err := files.Each(t.Context(), func(name string, size int64, stored time.Time) error {
		if _, twice := seen[name]; twice {
			t.Errorf("visited %s twice", name)
		}
		seen[name] = size
		if stored.Before(began) || stored.After(time.Now().Add(2*time.Second)) {
			t.Errorf("%s was stored at %s", name, stored)
		}
		return nil
	})
	if err != nil || !maps.Equal(seen, want) {
		t.Errorf("visited %v, %v", seen, err)
	}
	stop := errors.New("stop")
	visits := 0
	if err := files.Each(t.Context(), func(string, int64, time.Time) error { visits++; return stop }); !errors.Is(err, stop) || visits != 1 {
		t.Errorf("a visit that fails: %d visits, %v", visits, err)
	}
}
