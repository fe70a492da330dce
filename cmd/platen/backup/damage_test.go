package backup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/projections/snapshot"
)

// spoiled returns a copy of a place.
func spoiled(place *files) *files {
	copied := newFiles()
	maps.Copy(copied.all, place.all)
	maps.Copy(copied.stored, place.stored)
	return copied
}

// read opens a backup and verifies it.
func readBackup(t *testing.T, place *files, ref backup.Ref) error {
	t.Helper()
	m, err := backup.Open(t.Context(), place, ref)
	if err == nil {
		err = verify(t, place, m)
	}
	return err
}

// Any changed byte, truncated file or missing file is found, in every file.
func TestDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.steps(150)
	place := newFiles()
	ref := w.take(place, 0).Ref
	must(t, readBackup(t, place, ref))
	for name, content := range place.all {
		for what, damaged := range map[string][]byte{
			"flipped": append(append(bytes.Clone(content[:len(content)/2]), content[len(content)/2]^1), content[len(content)/2+1:]...),
			"short":   content[:len(content)-1],
			"longer":  append(bytes.Clone(content), 0),
			"empty":   {},
			"gone":    nil,
		} {
			bad := spoiled(place)
			if bad.all[name] = damaged; damaged == nil {
				delete(bad.all, name)
			}
			err := readBackup(t, bad, ref)
			if gone := name == string(ref) && damaged == nil; err == nil || !gone && !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("%s is %s: %v", name, what, err)
			}
		}
	}
}

// A manifest with a valid checksum but impossible content is refused, with the reason.
func TestForgedManifest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21)
	w.steps(400)
	w.settled()
	place := newFiles()
	r := w.take(place, 0)
	p := slices.IndexFunc(r.Partitions, func(p backup.Partition) bool {
		return p.Base != nil && len(p.Ledger) > 0 && p.Files.Count > 0 && len(p.Commands) > 0
	})
	if p < 0 {
		t.Fatal("no partition has everything")
	}
	for want, forge := range map[string]func(*backup.Manifest, *backup.Partition){
		"":                       func(*backup.Manifest, *backup.Partition) {},
		"newer version of Plate": func(m *backup.Manifest, _ *backup.Partition) { m.Format++ },
		"format 0":               func(m *backup.Manifest, _ *backup.Partition) { m.Format = 0 },
		"with 0 partitions":      func(m *backup.Manifest, _ *backup.Partition) { m.Partitions = nil },
		"with 4097 partitions":   func(m *backup.Manifest, _ *backup.Partition) { m.Partitions = make([]backup.Partition, 4097) },
		"the cursor":             func(_ *backup.Manifest, p *backup.Partition) { p.Cursor.Epoch = p.Cursor.Next },
		"the journal ends at":    func(_ *backup.Manifest, p *backup.Partition) { p.Cursor.Next++ },
		"the schema 0":           func(_ *backup.Manifest, p *backup.Partition) { p.Schema = 0 },
		"the level":              func(_ *backup.Manifest, p *backup.Partition) { p.Cursor.Raised = 99 },
		"there is no snapshot":   func(_ *backup.Manifest, p *backup.Partition) { p.Base = nil },
		"of another partition":   func(_ *backup.Manifest, p *backup.Partition) { p.Base.ID = "../../../etc/pass" },
		"the snapshot ends at":   func(_ *backup.Manifest, p *backup.Partition) { p.Base.Manifest.Cursor.Next = 1 << 40 },
		"does not follow":        func(_ *backup.Manifest, p *backup.Partition) { p.Journal.Segments[0].Start++ },
		"the records end at":     func(_ *backup.Manifest, p *backup.Partition) { p.Events.Segments = nil },
		"records from -1":        func(_ *backup.Manifest, p *backup.Partition) { p.Poison.Start = -1 },
		"platen.commands":        func(_ *backup.Manifest, p *backup.Partition) { p.Commands[0].End = p.Cursor.Cause + 2 },
		"the ledger's entries end": func(_ *backup.Manifest, p *backup.Partition) {
			p.Ledger = p.Ledger[:len(p.Ledger)-1]
		},
		"a chunk is said to have":             func(_ *backup.Manifest, p *backup.Partition) { p.Files.Index[0].Stored = 1 << 40 },
		"a chunk is said to have 6291456":     func(_ *backup.Manifest, p *backup.Partition) { p.Files.Index[0].Bytes = snapshot.MaxChunk },
		"bytes, not 6291455":                  func(_ *backup.Manifest, p *backup.Partition) { p.Files.Index[0].Bytes = snapshot.MaxChunk - 1 },
		"the rebuilt rows are":                func(_ *backup.Manifest, p *backup.Partition) { p.Rows.Digest[0] ^= 1 },
		"the rebuilt cursor is":               func(_ *backup.Manifest, p *backup.Partition) { p.Cursor.Owner = "n2" },
		"is of another journal":               func(_ *backup.Manifest, p *backup.Partition) { p.Base.Manifest.Last[0] ^= 1 },
		"not those that were written":         func(_ *backup.Manifest, p *backup.Partition) { entries(p).Figures.Units++ },
		"the index has":                       func(_ *backup.Manifest, p *backup.Partition) { p.Files.Count++ },
		"invalid file name":                   func(_ *backup.Manifest, p *backup.Partition) { p.Files.Missing = []string{"../../a.pdf"} },
		"the last record of the segment from": func(_ *backup.Manifest, p *backup.Partition) { p.Journal.Segments[0].Last[0] ^= 1 },
	} {
		var m backup.Manifest // a copy of its own
		b, err := json.Marshal(r.Manifest)
		must(t, err)
		must(t, json.Unmarshal(b, &m))
		forge(&m, &m.Partitions[:max(len(m.Partitions), 1)][min(p, max(len(m.Partitions)-1, 0))])
		bad := spoiled(place)
		must(t, snapshot.PutDocument(t.Context(), bad, string(r.Ref), m))
		err = readBackup(t, bad, r.Ref)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// entries are the first of a partition that are not none.
func entries(p *backup.Partition) *backup.Entries {
	return &p.Ledger[slices.IndexFunc(p.Ledger, func(e backup.Entries) bool { return e.Bytes > 0 })]
}

// An index with a valid checksum is refused if it names a file outside of a store, a file twice, or another size.
func TestForgedIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 22)
	w.steps(150)
	place := newFiles()
	r := w.take(place, 0)
	p := slices.IndexFunc(r.Partitions, func(p backup.Partition) bool { return p.Files.Count > 1 })
	packer, err := snapshot.NewPacker()
	must(t, err)
	for text, want := range map[string]string{
		`{"name":"../a.pdf","bytes":0,"chunks":[]}`:                                                                           "invalid file name",
		`{"name":"a/b.pdf","bytes":0,"chunks":[]}`:                                                                            "invalid file name",
		`{"name":"","bytes":0,"chunks":[]}`:                                                                                   "invalid file name",
		`{"name":"a.pdf","bytes":0,"chunks":[]}{"name":"a.pdf","bytes":0,"chunks":[]}`:                                        "does not follow",
		`{"name":"a.pdf","bytes":7,"chunks":[]}`:                                                                              "have 0 bytes, not 7",
		`{"name":"a.pdf","bytes":-1,"chunks":[{"bytes":-1,"stored":1,"sha256":"` + strings.Repeat("0", 64) + `"}]}`:           "a chunk is said to have -1",
		`{"name":"a.pdf","bytes":9,"chunks":[{"bytes":9,"stored":9,"sha256":"` + strings.Repeat("0", 64) + `"}]}`:             "does not exist",
		`{"name":"a.pdf","bytes":9,"chunks":[{"bytes":9,"stored":9,"sha256":"../../../../` + strings.Repeat("0", 52) + `"}]}`: "an index of files",
		`{"name":"a.pdf"`: "an index of files",
		`nonsense`:        "an index of files",
	} {
		bad, m := spoiled(place), r.Manifest
		m.Partitions = slices.Clone(m.Partitions)
		c, stored := packer.Pack([]byte(text))
		_, err := bad.Put(t.Context(), "chunk-"+c.SHA256.String(), bytes.NewReader(stored), 1<<20)
		must(t, err)
		m.Partitions[p].Files = backup.Files{Count: 1, Index: []snapshot.Chunk{c}}
		if strings.Contains(text, `"bytes":9`) {
			m.Partitions[p].Files.Bytes = 9
		}
		must(t, snapshot.PutDocument(t.Context(), bad, string(r.Ref), m))
		if err := readBackup(t, bad, r.Ref); !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q: %v", text, want, err)
		}
	}
}

// Find finds only names of backups, whatever else is at the place.
func TestFind(t *testing.T) {
	t.Parallel()
	place := newFiles()
	for _, name := range []string{"backup-", "backup-20260101T000000.000Z-0000000g", "backup-20260101T000000.000Z-00000000.old", "chunk-0", "a.pdf"} {
		put(t, place, name)
	}
	if _, _, err := backup.Find(t.Context(), place, ""); !errors.Is(err, backup.ErrNone) {
		t.Errorf("a place without backups: %v", err)
	}
	w := newWorld(t, 23)
	first, second := w.take(place, 0), w.take(place, 0)
	for name, want := range map[string]backup.Ref{"": second.Ref, string(first.Ref): first.Ref, string(second.Ref): second.Ref} {
		if ref, m, err := backup.Find(t.Context(), place, name); err != nil || ref != want || len(m.Partitions) != partitions {
			t.Errorf("%q: found %s (%v)", name, ref, err)
		}
	}
	for _, name := range []string{"a.pdf", "../" + string(first.Ref), fmt.Sprint(first.Ref, "0")} {
		if _, _, err := backup.Find(t.Context(), place, name); !errors.Is(err, backup.ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
	all, err := backup.DescribeAll(t.Context(), place)
	if err != nil || len(all) != 2 || all[0].Ref != second.Ref || all[0].Rows == 0 || all[0].Error != "" {
		t.Errorf("listed %+v (%v)", all, err)
	}
	place.all[string(first.Ref)][100] ^= 1
	if all, err := backup.DescribeAll(t.Context(), place); err != nil || len(all) != 2 || !strings.Contains(all[1].Error, "checksum") {
		t.Errorf("with a damaged one: %+v (%v)", all, err)
	}
}

// damage flips a byte in each chunk at a place but one, and returns how many.
func damage(place *files) (n int) {
	for _, name := range slices.Sorted(maps.Keys(place.all)) {
		content := place.all[name]
		if !strings.HasPrefix(name, "chunk-") {
			continue
		}
		if n++; n > 1 {
			bad := bytes.Clone(content)
			bad[len(bad)/2] ^= 1
			place.all[name] = bad
		}
	}
	return n - 1
}

// Damaged chunks do not spoil all later backups: a backup that rereads everything is whole, and so is, without being asked, one of the next sixteen,
// each of which rereads a share.
func TestDamageIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21)
	w.steps(150)
	place := newFiles()
	w.take(place, 0)
	damaged := damage(place)
	if damaged < 5 {
		t.Fatalf("%d chunks are damaged", damaged)
	}
	if err := verify(t, place, w.take(place, 0).Manifest); damaged > 16 && err == nil {
		t.Error("one share has mended everything")
	}
	r := w.take(place, 0, func(c *backup.Config) { c.Reread = true })
	if err := verify(t, place, r.Manifest); err != nil || r.Sent.Damaged == 0 {
		t.Errorf("after all was read again, %d damaged: %v", r.Sent.Damaged, err)
	}
	damage(place)
	var last backup.Report
	for range 16 {
		last = w.take(place, 0)
	}
	if err := verify(t, place, last.Manifest); err != nil {
		t.Errorf("after sixteen backups: %v", err)
	}
}

// shorten cuts the last byte off each chunk at a place but one, and returns how many.
func shorten(place *files) (n int) {
	for _, name := range slices.Sorted(maps.Keys(place.all)) {
		if content := place.all[name]; strings.HasPrefix(name, "chunk-") {
			if n++; n > 1 {
				place.all[name] = content[:len(content)-1]
			}
		}
	}
	return n - 1
}

// Truncated chunks do not count as present: the next backup writes all of them again, whichever share it rereads.
func TestShortChunksAreWrittenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 24)
	w.steps(150)
	place := newFiles()
	w.take(place, 0)
	short := int64(shorten(place))
	r := w.take(place, 0)
	if err := verify(t, place, r.Manifest); err != nil || r.Sent.Chunks == 0 || r.Sent.Damaged != short {
		t.Errorf("of %d short chunks %d were found and %d written again: %v", short, r.Sent.Damaged, r.Sent.Chunks, err)
	}
}

// If a chunk is truncated while its backup is taken, no manifest is written.
func TestChunkCutShortMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 25)
	w.steps(50)
	place := newFiles()
	_, err := backup.Take(t.Context(), w.config(), shortening{place}, 0)
	if refs, _ := backup.List(t.Context(), place); err == nil || !strings.Contains(err.Error(), "is not what was written") || len(refs) > 0 {
		t.Errorf("%v, with %d backups", err, len(refs))
	}
}

// shortening is a place whose listing shows chunks shorter than they were written.
type shortening struct{ *files }

func (s shortening) Each(ctx context.Context, visit func(string, int64, time.Time) error) error {
	return s.files.Each(ctx, func(name string, size int64, stored time.Time) error { return visit(name, size-1, stored) })
}
