package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/projections"
	"platen.dev/store"
)

// pair is one row.
type pair struct{ key, value []byte }

func rowsOf(pairs []pair) projections.Rows {
	return func(visit func(key, value []byte) error) error {
		for _, p := range pairs {
			if err := visit(p.key, p.value); err != nil {
				return err
			}
		}
		return nil
	}
}

// many returns rows that fill some chunks.
func many(count, size int) (all []pair) {
	for i := range count {
		value := bytes.Repeat([]byte{byte(i)}, size)
		all = append(all, pair{binary.BigEndian.AppendUint32([]byte("j"), uint32(i)), value})
	}
	return all
}

// shelf is a store in a directory.
type shelf struct {
	store.Files
	dir string
}

func newShelf(t *testing.T) shelf {
	t.Helper()
	dir := t.TempDir()
	files, err := store.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return shelf{files, dir}
}

// path returns where a file is.
func (s shelf) path(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, "??", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return found[0]
}

// written writes a snapshot with its manifest.
func written(t *testing.T, files store.Files, ref Ref, rows []pair) Manifest {
	t.Helper()
	m := Manifest{Format: Format, Schema: 7, Partition: ref.Partition, Partitions: 4, Cursor: projections.Cursor{Next: ref.Next, Epoch: 3, Cause: 8, Owner: "n1"}, Taken: time.Unix(1_700_000_000, 0).UTC(), Node: "n1"}
	var err error
	if m.Contents, err = Write(t.Context(), files, ref, rowsOf(rows), Unpaced); err == nil {
		err = Publish(t.Context(), files, ref, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// read reads a whole snapshot as whoever loads it does.
func read(t *testing.T, files store.Files, ref Ref) (rows []pair, m Manifest, err error) {
	t.Helper()
	if m, err = Open(t.Context(), files, ref); err != nil {
		return nil, m, err
	}
	err = m.Rows(t.Context(), files, ref, Unpaced)(func(key, value []byte) error {
		rows = append(rows, pair{bytes.Clone(key), bytes.Clone(value)})
		return nil
	})
	return rows, m, err
}

func same(a, b pair) bool { return bytes.Equal(a.key, b.key) && bytes.Equal(a.value, b.value) }

// Everything written can be read, whatever the number and the size of the rows; two writers of the
// same rows write the same chunks.
func TestRoundTrip(t *testing.T) {
	for _, tc := range []struct{ count, size, chunks int }{{1, 0, 1}, {1, maxRow - 9, 1}, {5, maxRow - 9, 3}, {3000, 5000, 4}} {
		s, rows := newShelf(t), many(tc.count, tc.size)
		first, second := NewRef(3, 500), NewRef(3, 500)
		m := written(t, s, first, rows)
		got, read, err := read(t, s, first)
		if err != nil || !slices.EqualFunc(got, rows, same) {
			t.Errorf("%+v: %d rows (%v), want %d", tc, len(got), err, len(rows))
		}
		if fmt.Sprint(read) != fmt.Sprint(m) || len(m.Chunks) != tc.chunks || m.Count != int64(tc.count) {
			t.Errorf("%+v: wrote %v, read %v", tc, m, read)
		}
		if again := written(t, s, second, rows); fmt.Sprint(again.Contents) != fmt.Sprint(m.Contents) || first == second {
			t.Errorf("%+v: the chunks of %s and %s differ", tc, first, second)
		}
		digest, err := Digest(rowsOf(rows), Unpaced)
		if err != nil || digest.Digest != m.Digest || digest.Bytes != m.Bytes || digest.Count != m.Count {
			t.Errorf("%+v: digest %v (%v), want %v", tc, digest, err, m.Contents)
		}
	}
}

// A row that is too large for a chunk, and an error of the rows, end the writing.
func TestWhatIsNotWritten(t *testing.T) {
	broken := errors.New("broken")
	s := newShelf(t)
	if _, err := Write(t.Context(), s, NewRef(0, 1), rowsOf(many(1, maxRow)), Unpaced); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a row of more than %d bytes: %v", maxRow, err)
	}
	fails := func(func(key, value []byte) error) error { return broken }
	if _, err := Write(t.Context(), s, NewRef(0, 1), fails, Unpaced); !errors.Is(err, broken) {
		t.Error(err)
	}
	pace := func(int) error { return broken }
	if _, err := Write(t.Context(), s, NewRef(0, 1), rowsOf(many(1, 1)), pace); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// Any changed byte, and any missing end, is noticed before the rows are used: every byte of a small
// snapshot is tried.
func TestDamage(t *testing.T) {
	s, ref := newShelf(t), NewRef(2, 77)
	written(t, s, ref, many(3, 20))
	for _, end := range []string{".00000", manifestEnd} {
		path := s.path(t, ref.String()+end)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			changed := bytes.Clone(whole)
			changed[i] ^= 0x20
			for what, damaged := range map[string][]byte{"changed": changed, "cut off": whole[:i]} {
				if err := os.WriteFile(path, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, _, err := read(t, s, ref); !errors.Is(err, ErrDamaged) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%s, byte %d %s: %v", end, i, what, err)
				}
			}
		}
		if err := os.WriteFile(path, append(bytes.Clone(whole), 'x'), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(t, s, ref); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s with one byte more: %v", end, err)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(s.path(t, ref.String()+".00000")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t, s, ref); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("without a chunk: %v", err)
	}
}

// A manifest with a valid checksum but impossible content is refused.
func TestManifestsThatAreRefused(t *testing.T) {
	s := newShelf(t)
	good := written(t, s, NewRef(2, 77), many(3, 20))
	for name, change := range map[string]func(*Manifest){
		"a newer format":         func(m *Manifest) { m.Format++ },
		"no format":              func(m *Manifest) { m.Format = 0 },
		"another partition":      func(m *Manifest) { m.Partition = 1 },
		"another offset":         func(m *Manifest) { m.Cursor.Next++ },
		"too few partitions":     func(m *Manifest) { m.Partitions = 2 },
		"no rows":                func(m *Manifest) { m.Count = 0 },
		"one row more":           func(m *Manifest) { m.Count++ },
		"other bytes":            func(m *Manifest) { m.Bytes++ },
		"a chunk without bytes":  func(m *Manifest) { m.Chunks[0].Bytes = 0 },
		"a chunk that is large":  func(m *Manifest) { m.Chunks[0].Bytes = chunkBytes + maxRow; m.Bytes = chunkBytes + maxRow },
		"a chunk of many bytes":  func(m *Manifest) { m.Chunks[0].Stored = maxStored + 1 },
		"a chunk of less":        func(m *Manifest) { m.Chunks[0].Bytes--; m.Bytes-- },
		"another digest":         func(m *Manifest) { m.Digest[0]++ },
		"another sum of a chunk": func(m *Manifest) { m.Chunks[0].SHA256[0]++ },
	} {
		ref, m := NewRef(2, 77), good
		m.Chunks = slices.Clone(good.Chunks)
		if _, err := Write(t.Context(), s, ref, rowsOf(many(3, 20)), Unpaced); err != nil {
			t.Fatal(err)
		}
		change(&m)
		if err := Publish(t.Context(), s, ref, m); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(t, s, ref); err == nil || name != "a newer format" && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A chunk that would expand beyond its limit is not expanded.
func TestBomb(t *testing.T) {
	s, ref := newShelf(t), NewRef(2, 77)
	m := written(t, s, ref, many(3, 20))
	bomb, err := Write(t.Context(), s, NewRef(2, 78), rowsOf(many(2, maxRow-9)), Unpaced)
	if err != nil {
		t.Fatal(err)
	}
	m.Chunks[0].Stored, m.Chunks[0].SHA256 = bomb.Chunks[0].Stored, bomb.Chunks[0].SHA256
	list, err := filepath.Glob(filepath.Join(s.dir, "??", "p0002-000000000000004e-*"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	content, err := os.ReadFile(list[0])
	if err == nil {
		err = os.WriteFile(s.path(t, ref.Chunk(0)), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	visited := false
	err = m.Rows(t.Context(), s, ref, Unpaced)(func(_, _ []byte) error { visited = true; return nil })
	if !errors.Is(err, ErrDamaged) || visited {
		t.Errorf("visited %t, %v", visited, err)
	}
}

// A listing has the newest snapshot first, only those with a manifest, and what else is there by its
// age. A deleted one is gone.
func TestList(t *testing.T) {
	s := newShelf(t)
	older, newer, other := NewRef(1, 9), NewRef(1, 1<<40), NewRef(2, 9)
	for _, ref := range []Ref{older, other, newer} {
		written(t, s, ref, many(2, 2))
	}
	loose := NewRef(1, 10)
	if _, err := Write(t.Context(), s, loose, rowsOf(many(2, 2)), Unpaced); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"probe-node", "p1-9-x.manifest", "p0001-0000000000000009-0123456789abcdef.txt", "p0001-8000000000000009-0123456789abcdef.manifest"} {
		if _, err := s.Put(t.Context(), name, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	list, err := List(t.Context(), s)
	if err != nil || !slices.Equal(list.Refs[1], []Ref{newer, older}) || !slices.Equal(list.Refs[2], []Ref{other}) {
		t.Errorf("%v %v", list.Refs, err)
	}
	if names := list.Abandoned(time.Now().Add(-time.Hour)); len(names) != 0 {
		t.Errorf("%q are thought to be abandoned", names)
	}
	if names := list.Abandoned(time.Now().Add(time.Hour)); !slices.Equal(names, []string{loose.Chunk(0)}) {
		t.Errorf("%q are abandoned", names)
	}
	m, err := Open(t.Context(), s, older)
	if err == nil {
		err = Delete(t.Context(), s, older, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if list, err = List(t.Context(), s); err != nil || !slices.Equal(list.Refs[1], []Ref{newer}) {
		t.Errorf("after the deletion: %v %v", list.Refs, err)
	}
	if _, err := Open(t.Context(), s, older); !errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
}
