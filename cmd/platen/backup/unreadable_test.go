package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"platen.dev/cmd/platen/backup"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// failing is a place on a disk with bad sectors: some files cannot be opened, or cannot be read to their end. What is written goes elsewhere.
type failing struct {
	*files
	opens, reads map[string]bool // guarded by the mutex of files
}

// fails returns how a file fails.
func (f failing) fails(name string) (open, read bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opens[name], f.reads[name]
}

func (f failing) Open(ctx context.Context, name string) (*store.File, error) {
	open, read := f.fails(name)
	if open {
		return nil, errIO
	}
	file, err := f.files.Open(ctx, name)
	if err == nil && read {
		file.ReadCloser = io.NopCloser(io.MultiReader(io.LimitReader(file.ReadCloser, file.Size/2), broken{}))
	}
	return file, err
}

var errIO = fmt.Errorf("read /mnt/backups: %w", syscall.EIO)

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errIO }

func (f failing) Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error) {
	f.mu.Lock()
	delete(f.opens, name)
	delete(f.reads, name)
	f.mu.Unlock()
	return f.files.Put(ctx, name, r, limit)
}

// chunkNames are the names of all chunks at a place.
func chunkNames(place *files) []string {
	names := slices.Sorted(maps.Keys(place.all))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "chunk-") })
}

// An unreadable file of a backup counts as damaged, like a changed one, whatever it contains.
func TestUnreadableIsDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 26)
	w.steps(100)
	place := newFiles()
	ref := w.take(place, 0).Ref
	for _, name := range append(chunkNames(place), string(ref)) {
		for what, bad := range map[string]failing{"open": {files: place, opens: map[string]bool{name: true}}, "read": {files: place, reads: map[string]bool{name: true}}} {
			m, err := backup.Open(t.Context(), bad, ref)
			if err == nil {
				err = verify(t, bad, m)
			}
			if !errors.Is(err, backup.ErrDamaged) || !errors.Is(err, syscall.EIO) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	m, err := backup.Open(t.Context(), place, ref)
	must(t, err)
	err = backup.Verify(ended, place, m, backup.Rebuilding{Scratch: filepath.Join(t.TempDir(), "scratch"), Projections: folds(), Pace: snapshot.Unpaced})
	if errors.Is(err, backup.ErrDamaged) {
		t.Errorf("a verification that was ended: %v", err)
	}
}

// A backup that rereads all chunks rewrites the unreadable ones, and any backup rewrites unreadable indexes, which it has to read.
func TestUnreadableIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 27)
	w.steps(150)
	place := newFiles()
	r := w.take(place, 0)
	bad := failing{files: place, opens: map[string]bool{}, reads: map[string]bool{}}
	for i, name := range chunkNames(place) {
		bad.opens[name], bad.reads[name] = i%2 == 0, true
	}
	r = w.take(bad, 0, func(c *backup.Config) { c.Reread = true })
	if err := verify(t, bad, r.Manifest); err != nil || r.Sent.Damaged == 0 {
		t.Errorf("%d were damaged: %v", r.Sent.Damaged, err)
	}
	for _, p := range r.Partitions {
		for _, c := range p.Files.Index {
			bad.reads["chunk-"+c.SHA256.String()] = true
		}
	}
	if err := verify(t, bad, w.take(bad, 0).Manifest); err != nil {
		t.Errorf("of indexes: %v", err)
	}
}

// Irreparable damage is named: each chunk and each manifest, with all backups that it makes useless.
func TestLosses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 28)
	w.steps(100)
	place := newFiles()
	first := w.take(place, 0)
	w.steps(10)
	second := w.take(place, 0)
	if lost, err := backup.Losses(t.Context(), place, snapshot.Unpaced); err != nil || len(lost) > 0 {
		t.Errorf("of sound backups: %+v (%v)", lost, err)
	}
	all := chunkNames(place)
	bad := failing{files: place, opens: map[string]bool{string(second.Ref): true}, reads: map[string]bool{}}
	for _, name := range all {
		bad.reads[name] = true
	}
	want := map[string][]backup.Ref{string(second.Ref): {second.Ref}}
	first.Manifest.EachChunk(func(c snapshot.Chunk) { want["chunk-"+c.SHA256.String()] = []backup.Ref{first.Ref} })
	checkLosses(t, bad, want)

	delete(bad.opens, string(second.Ref))
	second.Manifest.EachChunk(func(c snapshot.Chunk) {
		if name := "chunk-" + c.SHA256.String(); want[name] == nil {
			want[name] = []backup.Ref{second.Ref}
		} else {
			want[name] = []backup.Ref{second.Ref, first.Ref}
		}
	})
	delete(want, string(second.Ref))
	checkLosses(t, bad, want)

	for _, c := range slices.Concat(first.Partitions[0].Files.Index, first.Partitions[1].Files.Index) { // the files of jobs
		delete(bad.reads, "chunk-"+c.SHA256.String())
		delete(want, "chunk-"+c.SHA256.String())
	}
	lost, err := backup.Losses(t.Context(), bad, snapshot.Unpaced)
	if must(t, err); len(lost) <= len(want) {
		t.Errorf("with the files of an index that can be read, %d are lost, without them %d", len(lost), len(want))
	}
}

func checkLosses(t *testing.T, place store.Files, want map[string][]backup.Ref) {
	t.Helper()
	lost, err := backup.Losses(t.Context(), place, snapshot.Unpaced)
	must(t, err)
	for _, l := range lost {
		if !slices.Equal(l.Backups, want[l.Name]) || !strings.Contains(l.Error, syscall.EIO.Error()) {
			t.Errorf("%s is said to lose %v, want %v: %s", l.Name, l.Backups, want[l.Name], l.Error)
		}
	}
	if len(lost) != len(want) {
		t.Errorf("%d are lost, want %d", len(lost), len(want))
	}
}
