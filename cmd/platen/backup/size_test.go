package backup_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/projections/snapshot"
)

// noise returns bytes that cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Records of maximum size, more ledger entries than one answer has, some of one event, and files larger than a chunk are copied in chunks of bounded
// size, and restored unchanged.
func TestLargeThings(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	c := newCluster(t)
	largest := noise(eventlog.MaxRecord)
	for i := range 9 {
		value := largest[i:]
		_, err := eventlog.AppendWait(t.Context(), c.log, events.TopicPoison, 1, eventlog.Record{Key: []byte{byte(i)}, Value: value})
		must(t, err)
	}
	file := noise(9<<20 + 1)
	_, err := c.results.Put(t.Context(), "large.pdf", bytes.NewReader(file), 1<<30)
	must(t, err)
	must(t, c.log.Begin(t.Context(), events.TopicEvents, 0, 12_000))
	c.append12000(t)
	c.run()
	place := newFiles()
	m := c.take(place, 0).Manifest
	if n := len(m.Partitions[1].Poison.Segments); n != 3 { // of four MiB and one record, but for the last
		t.Errorf("nine records of one MiB are in %d segments", n)
	}
	if n := len(m.Partitions[0].Ledger); n < 2 {
		t.Errorf("12,000 entries with long reasons are in %d chunks", n)
	}
	must(t, verify(t, place, m))
	restored := newCluster(t)
	must(t, backup.Restore(t.Context(), place, m, restored.target()))
	for i := range int64(9) {
		r, err := eventlog.ReadOne(t.Context(), restored.log, events.TopicPoison, 1, i)
		if err != nil || !bytes.Equal(r.Value, largest[i:]) || !bytes.Equal(r.Key, []byte{byte(i)}) {
			t.Errorf("record %d has %d bytes (%v)", i, len(r.Value), err)
		}
	}
	want, err := c.ledger.RowsOf(t.Context(), events.TopicEvents, 0, 0, 1<<40)
	must(t, err)
	former := ledger.StoredTopic(events.TopicEvents, c.log.TopicID(events.TopicEvents))
	if got, err := restored.ledger.RowsOf(t.Context(), former, 0, 0, 1<<40); err != nil || got != want || got.Entries != 12_001 {
		t.Errorf("the ledger has %+v, the original %+v (%v)", got, want, err)
	}
}

// append12000 fills the ledger with entries of events that are trimmed, at the most the longest that there can be.
func (c *cluster) append12000(t *testing.T) {
	t.Helper()
	b := ledger.Batch{Topic: events.TopicEvents, Partition: 0, Lo: 0, Hi: 11_999}
	for i := range 12_001 {
		offset := int64(i)
		if i >= ledger.MaxSourced { // the last entry of the first answer and the one behind it are of one event
			offset--
		}
		id := fmt.Sprintf("job-%05d", i)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: id + "/debit", Account: "acc_0", Job: id, Kind: ledger.Adjust, Reason: strings.Repeat("\x01", ledger.MaxReason),
			Occurred: begin.Add(time.Duration(i) * time.Second), Window: begin, Units: 1, Bytes: 5,
			Source: ledger.Source{Topic: events.TopicEvents, Partition: 0, Offset: offset},
		})
	}
	must(t, c.ledger.Append(t.Context(), b))
}

// A file of exactly one chunk, of one byte more, and an empty one.
func TestFileSizes(t *testing.T) {
	t.Parallel()
	for size, chunks := range map[int]int{0: 0, 1: 1, 4 << 20: 1, 4<<20 + 1: 2} {
		w := newWorld(t, 31)
		w.submit()
		j := w.jobs[0]
		w.finish(j)
		content := noise(size)
		_, err := w.results.Put(t.Context(), j.file, bytes.NewReader(content), 1<<30)
		must(t, err)
		w.catchUp()
		place := newFiles()
		r := w.take(place, 0)
		restored := newCluster(t)
		must(t, verify(t, place, r.Manifest))
		must(t, backup.Restore(t.Context(), place, r.Manifest, restored.target()))
		if got, there := read(t, restored.results, j.file); !there || got != string(content) {
			t.Errorf("a file of %d bytes has %d", size, len(got))
		}
		large := 0
		for name, stored := range place.all {
			if strings.HasPrefix(name, "chunk-") && (len(stored) > 1<<20 || size == 1 && bytes.Contains(stored, content)) {
				large++
			}
			if len(stored) > snapshot.MaxChunk {
				t.Errorf("%s has %d bytes", name, len(stored))
			}
		}
		if size > 4<<20 {
			large++ // the second has one byte
		}
		if size > 1 && large != chunks {
			t.Errorf("a file of %d bytes is in %d chunks, want %d", size, large, chunks)
		}
	}
}
