package store

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
	"platen.dev/events/testkit"
)

// Files that Put has acknowledged are there and whole after power cuts at random moments, and
// files that Delete has acknowledged are gone.
func TestPowerCuts(t *testing.T) {
	r := testkit.Rand(t)
	fs := vfs.NewCrashableMem()
	kept := map[string]string{}
	for run := range 20 {
		dir, err := openDirOn(fs, "new/data/files")
		if err != nil {
			t.Fatal(err)
		}
		checkFiles(t, dir, kept)
		w := &filer{dir: dir, kept: kept, enough: make(chan struct{}), left: r.IntN(40)}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for g := range 4 {
			seed := r.Uint64()
			running.Go(func() { w.work(ctx, rand.New(rand.NewPCG(seed, 0)), fmt.Sprintf("%d-%d", run, g)) })
		}
		<-w.enough
		w.mu.Lock()
		kept = w.kept
		w.kept = map[string]string{} // of the run that is lost
		fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(2) * r.IntN(101), RNG: r})
		w.mu.Unlock()
		cancel()
		running.Wait()
	}
	t.Logf("%d files survived", len(kept))
}

// filer stores files and deletes some of them.
type filer struct {
	dir    *Dir
	enough chan struct{} // closed after left further files

	mu   sync.Mutex
	left int
	kept map[string]string // acknowledged; "" for a file that may or may not be there
}

func (w *filer) work(ctx context.Context, r *rand.Rand, prefix string) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("%s-%d.pdf", prefix, i)
		content := strings.Repeat(name, r.IntN(2000))
		if _, err := w.dir.Put(ctx, name, strings.NewReader(content), 1<<20); err != nil {
			return
		}
		w.acknowledge(name, content)
		if r.IntN(4) == 0 {
			w.acknowledge(name, "")
			if err := w.dir.Delete(ctx, name); err != nil {
				return
			}
			w.acknowledge(name, gone)
		}
	}
}

// gone is the content of a file that was deleted.
const gone = "\x00gone"

func (w *filer) acknowledge(name, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept[name] = content
	if w.left--; w.left == -1 {
		close(w.enough)
	}
}

func checkFiles(t *testing.T, dir *Dir, kept map[string]string) {
	t.Helper()
	for name, want := range kept {
		f, err := dir.Open(t.Context(), name)
		switch {
		case want == "":
		case want == gone && err == nil:
			t.Fatalf("%s was deleted and is there", name)
		case want != gone && err != nil:
			t.Fatalf("%s was acknowledged: %v", name, err)
		case want != gone:
			if got, err := io.ReadAll(f); err != nil || string(got) != want {
				t.Fatalf("%s has %d bytes, want %d (%v)", name, len(got), len(want), err)
			}
		}
		if err == nil {
			_ = f.Close()
		}
	}
	if left, err := dir.fs.List(dir.temp()); err != nil || len(left) > 0 {
		t.Fatalf("temporary files are left: %v %v", left, err)
	}
}

// A file's hash directory is durable with it: one that its Put made, one left by a process that crashed before it could sync it, and one that another
// process makes meanwhile.
func TestHashDirsAreDurable(t *testing.T) {
	const name = "a.pdf"
	for _, made := range []string{"by Put", "before", "meanwhile"} {
		fs := vfs.NewCrashableMem()
		if err := disk.MkdirAll(fs, "files/temp", 0o700); err != nil {
			t.Fatal(err)
		}
		makeDir := func(when string) {
			if made != when {
				return
			}
			if err := fs.MkdirAll(fs.PathDir((&Dir{fs: fs, root: "files"}).path(name)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		makeDir("before")
		dir, err := openDirOn(fs, "files")
		if err != nil {
			t.Fatal(err)
		}
		makeDir("meanwhile")
		if _, err := dir.Put(t.Context(), name, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := fs.CrashClone(vfs.CrashCloneCfg{}).Stat(dir.path(name)); err != nil {
			t.Errorf("made %s: %v", made, err)
		}
	}
}
