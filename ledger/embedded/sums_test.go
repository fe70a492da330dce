package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/ledgertest"
)

// small has sums of every account, made of few entries at a time.
var small = limits{fold: 1, chunk: 3, least: 1, wide: 3}

// openSlow opens a ledger that makes sums only when catchUp is called.
func openSlow(t testing.TB, path string, l limits) *Ledger {
	t.Helper()
	opened, err := open(testkit.Context(t), path, options{slog.New(slog.DiscardHandler), l})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

func catchUp(t testing.TB, l *Ledger) {
	t.Helper()
	if err := l.sums.catchUp(testkit.Context(t)); err != nil {
		t.Fatal(err)
	}
}

// eager makes the sums of each batch, unless that is huge or empty, before anything else is asked.
type eager struct{ *Ledger }

func (l eager) Append(ctx context.Context, b ledger.Batch) error {
	if err := l.Ledger.Append(ctx, b); err != nil || len(b.Entries) > 10_000 || len(b.Entries) == 0 {
		return err
	}
	return l.sums.catchUp(ctx)
}

// The contract holds when sums answer.
func TestSuiteWithSums(t *testing.T) {
	ledgertest.Run(t, func(t testing.TB) ledgertest.Storage {
		path := filepath.Join(t.TempDir(), "ledger.db")
		return ledgertest.Storage{Open: func(t testing.TB) ledger.Ledger {
			limits := small
			limits.chunk = 20_000
			return eager{openSlow(t, path, limits)}
		}}
	})
}

// books are a ledger whose sums are compared with its entries.
type books struct {
	*testing.T
	rand    *rand.Rand
	path    string
	limits  limits
	ledger  *Ledger
	next    [2]int64 // by partition
	skipped []ledger.Entry
	ids     int
}

func newBooks(t *testing.T) *books {
	b := &books{T: t, rand: testkit.Rand(t), path: filepath.Join(t.TempDir(), "ledger.db"), limits: small}
	b.ledger = openSlow(t, b.path, b.limits)
	return b
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

// append adds a batch, of which some records are not understood yet.
func (b *books) append() {
	partition := int32(b.rand.IntN(2))
	lo := b.next[partition]
	batch := ledger.Batch{Topic: "t", Partition: partition, Lo: lo, Hi: lo + int64(b.rand.IntN(20))}
	for offset := lo; offset <= batch.Hi; offset++ {
		understood := true // one record of an offset at most is not: what comes late is a batch of its own
		for range b.rand.IntN(3) {
			e := b.entry(offset, partition)
			if understood && b.rand.IntN(10) == 0 {
				b.skipped, understood = append(b.skipped, e), false
			} else {
				batch.Entries = append(batch.Entries, e)
			}
		}
	}
	b.next[partition] = batch.Hi + 1
	b.put(batch)
}

func (b *books) put(batch ledger.Batch) {
	b.Helper()
	if err := b.ledger.Append(testkit.Context(b), batch); err != nil {
		b.Fatal(err)
	}
}

// late adds an entry whose offset was appended before.
func (b *books) late() {
	if len(b.skipped) == 0 {
		return
	}
	e := b.skipped[0]
	b.skipped = b.skipped[1:]
	b.put(ledger.Batch{Topic: "t", Partition: e.Source.Partition, Lo: e.Source.Offset, Hi: e.Source.Offset, Entries: []ledger.Entry{e}})
}

// older has a program that does not know the sums do something.
func (b *books) older(do func()) {
	b.reopen()
	hidden := b.path + ".sums.hidden"
	if err := os.Rename(b.path+".sums", hidden); err != nil && !os.IsNotExist(err) {
		b.Fatal(err)
	}
	do()
	if err := b.ledger.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(hidden, b.path+".sums"); err != nil && !os.IsNotExist(err) {
		b.Fatal(err)
	}
	b.ledger = openSlow(b, b.path, b.limits)
}

func (b *books) reopen() {
	b.Helper()
	if err := b.ledger.Close(); err != nil {
		b.Fatal(err)
	}
	b.ledger = openSlow(b, b.path, b.limits)
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
	if err := eachPart(testkit.Context(b), b.ledger.reader, q, occurred(q.Account, q.From.Unix(), q.To.Unix()), fold.Add); err != nil {
		b.Fatal(err)
	}
	rows, err := fold.Rows()
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// compare asks some questions, and returns how many of them the sums answered.
func (b *books) compare(questions int) (bySums int) {
	b.Helper()
	for range questions {
		q := b.query()
		fold, err := ledger.NewFold(q)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := b.ledger.sums.parts(testkit.Context(b), q, fold.Cover(sizes...)); ok {
			bySums++
		}
		got, err := b.ledger.Usage(testkit.Context(b), q)
		if err != nil {
			b.Fatal(err)
		}
		if want := b.byEntries(q); !reflect.DeepEqual(got, want) {
			b.Fatalf("%+v:\ngot  %+v\nwant %+v", q, got, want)
		}
	}
	return bySums
}

// Sums answer as the entries do, whatever happens between batches: folds that stop anywhere, entries that come
// late, the ledger opened again, and an older version that appends.
func TestSumsAreThoseOfTheEntries(t *testing.T) {
	b := newBooks(t)
	b.limits = limits{fold: 1, chunk: 7, least: 15, wide: 4}
	b.reopen()
	steps := []func(){
		b.append, b.append, b.append, b.late, b.reopen,
		func() { catchUp(t, b.ledger) },
		func() { catchUp(t, b.ledger) },
		func() { // a fold of a part
			if err := b.ledger.sums.prepare(testkit.Context(t)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.ledger.sums.fold(testkit.Context(t)); err != nil {
				t.Fatal(err)
			}
		},
		func() { b.older(b.append) },
		func() { b.older(b.late) },
	}
	bySums := 0
	for range 80 {
		steps[b.rand.IntN(len(steps))]()
		bySums += b.compare(6)
	}
	catchUp(t, b.ledger)
	bySums += b.compare(60)
	if bySums < 50 {
		t.Errorf("the sums answered %d of 540 questions", bySums)
	}
}

// total is what an account was charged, and whether the sums say so.
func (b *books) total(account string) (units int64, bySums bool) {
	b.Helper()
	q := ledger.Query{Account: account, From: ledger.MinTime, To: ledger.MaxTime}
	fold, err := ledger.NewFold(q)
	if err != nil {
		b.Fatal(err)
	}
	parts, bySums := b.ledger.sums.parts(testkit.Context(b), q, fold.Cover(sizes...))
	for _, p := range parts {
		if err := fold.Add(p); err != nil {
			b.Fatal(err)
		}
	}
	rows, err := fold.Rows()
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range rows {
		units += r.Units
	}
	return units, bySums
}

func (b *books) wantTotal(account string, want int64) {
	b.Helper()
	if units, bySums := b.total(account); units != want || !bySums {
		b.Errorf("%s: %d units, by sums: %t, want %d", account, units, bySums, want)
	}
}

// An account gets sums once it has enough entries, all of them.
func TestSumsBeginWithEnoughEntries(t *testing.T) {
	b := newBooks(t)
	b.limits.least = 10
	b.reopen()
	b.put(rows(0, 95)) // the accounts 5 to 9 have nine entries
	catchUp(t, b.ledger)
	b.wantTotal("acc_4", 10)
	if _, bySums := b.total("acc_5"); bySums {
		t.Error("nine entries have sums")
	}
	b.put(rows(95, 5))
	b.wantTotal("acc_4", 10)
	catchUp(t, b.ledger)
	b.wantTotal("acc_5", 10)
	b.put(rows(100, 10)) // behind the marks
	b.wantTotal("acc_5", 11)
}

// Files of sums that do not fit are made anew: damaged ones, those of another kind or version, and those
// of other entries.
func TestSumsThatDoNotFit(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"deleted": func(t *testing.T, path string) { remove(t, path+".sums") },
		"text": func(t *testing.T, path string) {
			write(t, path+".sums", "no database, but long enough to be read as one")
		},
		"newer":   func(t *testing.T, path string) { execute(t, path+".sums", "PRAGMA user_version = 2") },
		"changed": func(t *testing.T, path string) { execute(t, path+".sums", "DROP TABLE sums_wide") },
		"an entry": func(t *testing.T, path string) {
			execute(t, path, "DELETE FROM usage_ledger WHERE entry_id = '21/debit'; UPDATE ledger_batch SET hi = 0")
		},
		"a mark": func(t *testing.T, path string) {
			execute(t, path+".sums", "UPDATE sums_mark SET entries = entries + 1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t)
			b.put(rows(0, 100))
			catchUp(t, b.ledger)
			b.wantTotal("acc_1", 10)
			if err := b.ledger.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, b.path)
			b.ledger = openSlow(t, b.path, b.limits)
			if _, bySums := b.total("acc_1"); bySums {
				t.Error("sums answered before they were compared")
			}
			catchUp(t, b.ledger)
			b.put(rows(1, 101)) // what is lost comes back
			catchUp(t, b.ledger)
			b.wantTotal("acc_1", 11)
			if n := b.compare(10); n == 0 {
				t.Error("no sums answer")
			}
		})
	}
}

// An entry that was lost and appended again counts once, although the sums had it all the time.
func TestRepairedEntriesCountOnce(t *testing.T) {
	b := newBooks(t)
	b.put(rows(0, 100))
	catchUp(t, b.ledger)
	execute(t, b.path, "DELETE FROM usage_ledger WHERE entry_id = '21/debit'")
	b.put(rows(0, 100))
	if _, bySums := b.total("acc_1"); bySums {
		t.Error("sums that are to be made anew answer")
	}
	catchUp(t, b.ledger)
	b.wantTotal("acc_1", 10)
	b.reopen()
	catchUp(t, b.ledger)
	b.wantTotal("acc_1", 10)
}

// Open does not wait for sums: they are made meanwhile, and are there once enough entries have come.
func TestSumsAreMadeMeanwhile(t *testing.T) {
	b := newBooks(t)
	b.put(rows(0, 100))
	b.reopen()
	b.ledger.sums.start()
	testkit.Eventually(t, "the sums are there", func() bool {
		units, bySums := b.total("acc_1")
		return bySums && units == 10
	})
	b.put(rows(100, 50))
	b.wantTotal("acc_1", 15)
}

// A ledger whose sums cannot be written answers by its entries.
func TestSumsCannotBeWritten(t *testing.T) {
	b := newBooks(t)
	if err := os.Mkdir(b.path+".sums", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(b.path+".sums", "x"), "so that it cannot be removed")
	b.put(rows(0, 100))
	if err := b.ledger.sums.catchUp(testkit.Context(t)); err == nil {
		t.Error("a directory became sums")
	}
	b.put(rows(100, 10))
	b.compare(10)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A file of sums that is damaged while it is in use is replaced, whether a query or a fold finds that, and the answers are right all the time.
func TestSumsDamagedInUse(t *testing.T) {
	for name, find := range map[string]func(b *books){
		"by a query": func(b *books) { b.total("acc_1") },
		"by a fold": func(b *books) {
			b.put(rows(1, 101))
			if err := b.ledger.sums.catchUp(testkit.Context(b)); err != nil {
				b.ledger.sums.fail(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t)
			b.put(rows(0, 100))
			catchUp(t, b.ledger)
			execute(t, b.path+".sums", "PRAGMA wal_checkpoint(TRUNCATE)")
			content, err := os.ReadFile(b.path + ".sums")
			if err != nil {
				t.Fatal(err)
			}
			for i := 4096; i < len(content); i++ {
				content[i] = 0xa5
			}
			write(t, b.path+".sums", string(content))
			execute(t, b.path+".sums", "SELECT 1") // another process, so that nothing is read from memory
			b.ledger.sums.reader.SetMaxIdleConns(0)
			b.ledger.sums.writer.SetMaxIdleConns(0)
			find(b)
			if !b.ledger.sums.damaged.Load() && b.ledger.sums.usable.Load() {
				t.Fatal("the damage was not found")
			}
			b.ledger.sums.fail(errors.New("again")) // an error of another kind changes nothing
			catchUp(t, b.ledger)
			b.put(rows(1, 101))
			catchUp(t, b.ledger)
			b.wantTotal("acc_1", 11)
			if n := b.compare(10); n == 0 {
				t.Error("no sums answer")
			}
		})
	}
}
