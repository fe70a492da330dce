package embedded

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

// books are a ledger whose rollup is compared with its entries.
type books struct {
	*testing.T
	rand   *rand.Rand
	path   string
	ledger *Ledger
	log    [2][][]ledger.Entry // by partition and offset
	ids    int
}

func newBooks(t *testing.T) *books {
	path := filepath.Join(t.TempDir(), "ledger.db")
	return &books{T: t, rand: testkit.Rand(t), path: path, ledger: mustOpen(t, path)}
}

var someTags = []string{"team", "project"}

func (b *books) entry(offset int64, partition int32) ledger.Entry {
	b.ids++
	// Near the change of Berlin's clock, often on a full quarter.
	at := time.Date(2026, 3, 29, 0, 15*b.rand.IntN(300), b.rand.IntN(3)*b.rand.IntN(900), 0, time.UTC)
	e := ledger.Entry{
		ID: fmt.Sprintf("%d/debit", b.ids), Account: fmt.Sprint("acc_", b.rand.IntN(3)), Kind: ledger.Debit, Operation: fmt.Sprint("op-", b.rand.IntN(3)), Key: fmt.Sprint("key_", b.rand.IntN(2)),
		Occurred: at, Window: time.Date(2026, 3, 1+b.rand.IntN(2), 7, 0, 0, 0, time.UTC), Units: 1, Bytes: b.rand.Int64N(1 << 40),
		Source: ledger.Source{Topic: "t", Partition: partition, Offset: offset},
	}
	if b.rand.IntN(6) == 0 {
		e.Kind, e.Reason, e.Key, e.Operation, e.Units, e.Bytes = ledger.Adjust, "wrong", "", "", -int64(b.rand.IntN(5)), -e.Bytes
	}
	for _, name := range someTags {
		if b.rand.IntN(2) == 0 {
			e.Tags = append(e.Tags, ledger.Tag{Name: name, Value: []string{"", "red", "blue"}[b.rand.IntN(3)]})
		}
	}
	if b.rand.IntN(4) == 0 {
		e.Tags = append(e.Tags, ledger.Tag{Name: "unique", Value: e.ID})
	}
	return e
}

// append adds a batch of new offsets. It skips some entries, like a reader that does not understand them.
func (b *books) append() {
	partition := int32(b.rand.IntN(2))
	batch := b.read(partition, len(b.log[partition]))
	batch.Entries = slices.DeleteFunc(batch.Entries, func(ledger.Entry) bool { return b.rand.IntN(10) == 0 })
	b.put(batch)
}

// repeat adds a batch that begins at an offset that was appended before, with all entries.
func (b *books) repeat() {
	partition := int32(b.rand.IntN(2))
	b.put(b.read(partition, b.rand.IntN(len(b.log[partition])+1)))
}

// read returns what some offsets hold, the last ones perhaps new.
func (b *books) read(partition int32, lo int) ledger.Batch {
	hi := lo + b.rand.IntN(20)
	batch := ledger.Batch{Topic: "t", Partition: partition, Lo: int64(lo), Hi: int64(hi)}
	for offset := lo; offset <= hi; offset++ {
		if offset == len(b.log[partition]) {
			b.log[partition] = append(b.log[partition], b.record(partition, int64(offset)))
		}
		batch.Entries = append(batch.Entries, b.log[partition][offset]...)
	}
	return batch
}

func (b *books) record(partition int32, offset int64) (entries []ledger.Entry) {
	for range b.rand.IntN(3) {
		entries = append(entries, b.entry(offset, partition))
	}
	return entries
}

// lose deletes an entry behind the ledger's back.
func (b *books) lose() {
	execute(b.T, b.path, "DELETE FROM usage_ledger WHERE entry_id = (SELECT max(entry_id) FROM usage_ledger)")
}

// older makes the file one of a version that had no rollup.
func (b *books) older() {
	execute(b.T, b.path, "DROP TRIGGER usage_ledger_lost; DROP VIEW usage_line; DROP TABLE usage_rollup; PRAGMA user_version = 1")
	b.reopen()
}

func (b *books) reopen() {
	b.Helper()
	if err := b.ledger.Close(); err != nil {
		b.Fatal(err)
	}
	b.ledger = mustOpen(b, b.path)
}

func (b *books) put(batch ledger.Batch) {
	b.Helper()
	if err := b.ledger.Append(testkit.Context(b), batch); err != nil {
		b.Fatal(err)
	}
}

func (b *books) query() ledger.Query {
	zone, err := time.LoadLocation([]string{"UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu"}[b.rand.IntN(4)])
	if err != nil {
		b.Fatal(err)
	}
	from := time.Date(2026, 3, 28, 22, 15*b.rand.IntN(100), b.rand.IntN(2)*b.rand.IntN(900), 0, time.UTC)
	q := ledger.Query{
		Account: fmt.Sprint("acc_", b.rand.IntN(3)), From: from, To: from.Add(time.Duration(1+b.rand.IntN(4*86400)) * time.Second), Location: zone,
		Bucket: ledger.Bucket(b.rand.IntN(5)),
	}
	if b.rand.IntN(4) == 0 {
		q.From, q.To = time.Date(2026, 3, 1, 0, 0, 0, 0, zone), time.Date(2026, 5, 1, 0, 0, 0, 0, zone)
	}
	for _, d := range []ledger.Dimension{ledger.ByKey, ledger.ByOperation, ledger.ByTag("team"), ledger.ByTag("unique"), ledger.ByTag("none")} {
		if b.rand.IntN(5) == 0 && len(q.GroupBy) < ledger.MaxGroupBy {
			q.GroupBy = append(q.GroupBy, d)
		}
	}
	return q
}

// byEntries answers a query by the entries alone, which the suite has compared with a model.
func (b *books) byEntries(q ledger.Query) []ledger.Row {
	b.Helper()
	fold, err := ledger.NewFold(q)
	if err != nil {
		b.Fatal(err)
	}
	all := []ledger.Span{{From: q.From.Unix(), To: q.To.Unix()}}
	if err := within(testkit.Context(b), b.ledger.reader, func(tx *sql.Tx) error {
		return eachPart(testkit.Context(b), tx, q, all, fold.Add)
	}); err != nil {
		b.Fatal(err)
	}
	rows, err := fold.Rows()
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// compare asks some questions.
func (b *books) compare(questions int) {
	b.Helper()
	for range questions {
		q := b.query()
		got, err := b.ledger.Usage(testkit.Context(b), q)
		if err != nil {
			b.Fatal(err)
		}
		if want := b.byEntries(q); !reflect.DeepEqual(got, want) {
			b.Fatalf("%+v:\ngot  %+v\nwant %+v", q, got, want)
		}
	}
}

// rollup returns the rows of the rollup that sum up anything.
func rollup(t testing.TB, l *Ledger) (rows []string) {
	t.Helper()
	err := each(testkit.Context(t), l.reader, func(r *sql.Rows) error {
		var text string
		err := r.Scan(&text)
		rows = append(rows, text)
		return err
	}, `SELECT concat_ws(' ', account, tag, at, window_start, key_id, operation, value, units_high, units_low, bytes_high, bytes_low, entries)
FROM usage_rollup WHERE entries <> 0 ORDER BY account, tag, at, window_start, key_id, operation, value`)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Whatever happens to the entries, the rollup gives the same answers, and equals one made of all of them at once: batches are repeated, entries come
// late, or are deleted and come back. A file of a version without a rollup gets one.
func TestRollupIsThatOfTheEntries(t *testing.T) {
	b := newBooks(t)
	steps := []func(){b.append, b.append, b.append, b.repeat, b.repeat, b.lose, b.reopen}
	for range 80 {
		steps[b.rand.IntN(len(steps))]()
		b.compare(6)
	}
	kept := rollup(t, b.ledger)
	b.older()
	if made := rollup(t, b.ledger); !slices.Equal(kept, made) || len(made) == 0 {
		t.Fatalf("kept %d rows:\n%q\nmade %d:\n%q", len(kept), kept, len(made), made)
	}
	for range 5 {
		b.repeat()
	}
	b.compare(60)
}

// Whole hours are read from the rollup, and the edges of a time from the entries.
func TestUsageReadsTheRollup(t *testing.T) {
	b := newBooks(t)
	b.put(rows(0, 3*hour))
	execute(t, b.path, "UPDATE usage_rollup SET units_low = units_low + 1000")
	for _, c := range []struct {
		from, to time.Duration
		want     int64
	}{{0, time.Hour, 360 + 1000}, {time.Second, 2 * time.Hour, 719 + 1000}, {time.Second, 3*time.Hour - time.Second, 1079 + 1000}, {time.Second, 59 * time.Minute, 353}} {
		rows, err := b.ledger.Usage(testkit.Context(t), ledger.Query{Account: "acc_0", From: ledger.MinTime.Add(c.from), To: ledger.MinTime.Add(c.to)})
		if err != nil || len(rows) != 1 || rows[0].Units != c.want {
			t.Errorf("from %s to %s: %+v, %v, want %d", c.from, c.to, rows, err, c.want)
		}
	}
}

// An entry that was deleted and appended again counts once, and until then it does not count.
func TestRepairedEntriesCountOnce(t *testing.T) {
	b := newBooks(t)
	total := func(want int64) {
		t.Helper()
		rows, err := b.ledger.Usage(testkit.Context(t), ledger.Query{Account: "acc_1", From: ledger.MinTime, To: ledger.MaxTime})
		if err != nil || len(rows) != 1 || rows[0].Units != want || rows[0].Entries != want {
			t.Errorf("%+v, %v, want %d", rows, err, want)
		}
	}
	b.put(rows(0, 100))
	total(10)
	execute(t, b.path, "DELETE FROM usage_ledger WHERE entry_id = '21/debit'")
	total(9)
	b.put(rows(0, 100))
	total(10)
	execute(t, b.path, "DELETE FROM usage_ledger")
	b.put(rows(1, 101))
	total(11)
}
