package reconcile

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	sqlite "platen.dev/ledger/embedded"
	"platen.dev/ledger/ingest"
)

const (
	topic  = events.TopicEvents
	window = public.Time("2026-05-01T00:00:00.000Z")
)

var noon = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

// books are a log of one partition with the ledger that was filled from it.
type books struct {
	*testing.T
	rand   *rand.Rand
	log    eventlog.Log
	ledger ledger.Ledger
	db     *sql.DB
	poison map[int64]bool
	usage  []eventlog.Record
	number int64
}

func newBooks(t *testing.T) *books {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	kept, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = db.Close(), kept.Close(), l.Close() })
	return &books{T: t, rand: testkit.Rand(t), log: l, ledger: kept, db: db, poison: map[int64]bool{}}
}

func (b *books) put(r eventlog.Record) int64 {
	b.Helper()
	offset, err := eventlog.AppendWait(testkit.Context(b), b.log, topic, 0, r)
	if err != nil {
		b.Fatal(err)
	}
	return offset
}

func (b *books) event(data public.Data) eventlog.Record {
	b.Helper()
	b.number++
	r, err := public.Event{
		Position: public.Position{Offset: b.number}, Sequence: b.number, Account: "acc_a",
		At: events.At(noon.Add(time.Duration(b.number) * time.Hour)), Subject: "x", Data: data,
	}.Record()
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// grow appends usage, some of it repeated; other facts; and poison.
func (b *books) grow(n int) {
	for range n {
		switch b.rand.IntN(6) {
		case 0:
			b.put(b.event(public.JobStarted{Account: "acc_a"}))
		case 1:
			b.poison[b.put(eventlog.Record{Value: []byte("foreign")})] = true
		case 2:
			if len(b.usage) > 0 {
				b.put(b.usage[b.rand.IntN(len(b.usage))])
			}
		default:
			b.charge()
		}
	}
}

func (b *books) charge() {
	r := b.event(public.UsageDebited{Account: "acc_a", Entry: events.EntryID(fmt.Sprintf("%d/debit", b.number)), Job: "x", Window: window, Usage: public.Usage{Units: 1, Bytes: b.rand.Int64N(1e9)}})
	b.put(r)
	b.usage = append(b.usage, r)
}

// fill appends what the ledger lacks, in batches of at most size offsets.
func (b *books) fill(size int64) {
	b.Helper()
	if err := b.tryFill(size); err != nil {
		b.Fatal(err)
	}
}

func (b *books) tryFill(size int64) error {
	_, end, err := b.log.Bounds(b.Context(), topic, 0)
	if err != nil {
		return err
	}
	next, err := b.ledger.Next(b.Context(), topic, 0)
	for ; err == nil && next < end; next += size {
		err = ingest.Each(b.Context(), b.log, topic, 0, next, min(next+size, end), func(read bus.Batch) error {
			batch := ledger.Batch{Topic: topic, Lo: read.Lo, Hi: read.Hi}
			for _, r := range read.Records {
				if e, is, err := ingest.EntryOf(topic, 0, r); is && err == nil {
					batch.Entries = append(batch.Entries, e)
				}
			}
			return b.ledger.Append(b.Context(), batch)
		})
	}
	return err
}

func (b *books) exec(query string, args ...any) {
	b.Helper()
	if result, err := b.db.Exec(query, args...); err != nil {
		b.Fatal(err)
	} else if n, _ := result.RowsAffected(); n == 0 {
		b.Fatalf("%s: no row", query)
	}
}

func (b *books) config() Config {
	return Config{Ledger: b.ledger, Log: b.log, Topic: topic, Repair: true, Poison: b.poison}
}

func (b *books) compare(c Config) Report {
	b.Helper()
	r, err := Partition(b.Context(), c, 0)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// mustEqual checks that ledger and log agree about everything that was charged.
func (b *books) mustEqual() Report {
	b.Helper()
	r := b.compare(b.config())
	if len(r.Differences) > 0 || r.Behind > 0 || r.Log != r.Ledger || r.Log.Entries != int64(len(b.usage)) || r.Poison != len(b.poison) {
		b.Fatalf("%+v, want %d entries", r, len(b.usage))
	}
	return r
}

// The appended entries equal the log, however they were divided into batches, and with two writers
// as well.
func TestEqual(t *testing.T) {
	b := newBooks(t)
	if r := b.mustEqual(); r.End != 0 {
		t.Errorf("%+v", r)
	}
	b.grow(30)
	b.fill(10)
	for range 20 {
		b.grow(30)
		b.fill(1 + b.rand.Int64N(40))
		if r := b.mustEqual(); r.Accounts != 1 && len(b.usage) > 0 {
			t.Errorf("%+v", r)
		}
	}
	b.exec("INSERT INTO ledger_batch SELECT src_topic, src_part, hi + 5, lo, entries, render_units, bytes, xor_hash, inserted_at FROM ledger_batch WHERE lo = 0")
	b.mustEqual() // a marker that overlaps
}

// Missing entries are named, and repaired unless the run only checks.
func TestRepair(t *testing.T) {
	b := newBooks(t)
	b.grow(200)
	b.charge()
	b.fill(17)
	var offset int64
	if err := b.db.QueryRow("SELECT src_offset FROM usage_ledger ORDER BY src_offset DESC LIMIT 1 OFFSET 20").Scan(&offset); err != nil {
		t.Fatal(err)
	}
	b.exec("DELETE FROM usage_ledger WHERE src_offset = ?", offset)
	look := b.config()
	look.Repair = false
	for range 2 {
		r := b.compare(look)
		if len(r.Differences) != 2 || r.Equal() || r.Log == r.Ledger {
			t.Fatalf("%+v", r)
		}
		if d := r.Differences[0]; d.Lo > offset || d.Hi < offset || d.Hi-d.Lo != 16 || d.Log.Entries-d.Ledger.Entries != 1 || d.Repaired || d.Error != "" {
			t.Errorf("%s, want offset %d", d, offset)
		}
		if d := r.Differences[1]; d.Account != "acc_a" || d.What != "sum" {
			t.Errorf("%s", d)
		}
	}
	if r := b.compare(b.config()); len(r.Differences) != 1 || !r.Differences[0].Repaired || !r.Equal() || r.Log != r.Ledger {
		t.Errorf("%+v", r)
	}
	b.mustEqual()
}

// Differences that appending cannot repair stay, and say why.
func TestAlarm(t *testing.T) {
	for name, c := range map[string]struct{ harm, want string }{
		"other content": {"UPDATE usage_ledger SET row_hash = 1 WHERE entry_id = '0/debit'", "the ledger holds something else"},
		"other amount":  {"UPDATE usage_ledger SET bytes = bytes + 1 WHERE entry_id = '0/debit'", "does not have"},
		"invented":      {"INSERT INTO usage_ledger SELECT account, occurred_at, 'invented', job_id, kind, key_id, operation, tags, window_start, render_units, bytes, ref_entry, reason, schema_v, src_topic, src_part, src_offset, row_hash, ingested_at FROM usage_ledger WHERE entry_id = '0/debit'", "does not have"},
		"marker":        {"UPDATE ledger_batch SET bytes = 0 WHERE lo = 0", "by the marker"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t)
			b.charge()
			b.charge()
			b.fill(1)
			b.exec(c.harm)
			r := b.compare(b.config())
			if r.Equal() || !strings.Contains(fmt.Sprint(r.Differences), c.want) {
				t.Errorf("%v, want %q", r.Differences, c.want)
			}
		})
	}
}

// A range without a marker, and a ledger that is ahead of its log, are errors.
func TestBroken(t *testing.T) {
	b := newBooks(t)
	b.charge()
	b.charge()
	b.fill(1)
	if err := b.ledger.Append(t.Context(), ledger.Batch{Topic: topic, Lo: 2, Hi: 9}); err != nil {
		t.Fatal(err)
	}
	if _, err := Partition(t.Context(), b.config(), 0); err == nil || !strings.Contains(err.Error(), "has lost its end") {
		t.Error(err)
	}
	b.exec("DELETE FROM ledger_batch WHERE lo = 2")
	b.exec("DELETE FROM ledger_batch WHERE lo = 0")
	if _, err := Partition(t.Context(), b.config(), 0); err == nil || !strings.Contains(err.Error(), "have no marker") {
		t.Error(err)
	}
}

// Entries that are not appended yet are counted. Poison that was appended later is not a difference.
func TestBehind(t *testing.T) {
	b := newBooks(t)
	b.charge()
	b.fill(1)
	b.charge()
	b.charge()
	if r := b.compare(b.config()); r.Behind != 2 || !r.Equal() || r.End != 1 {
		t.Errorf("%+v", r)
	}
	if err := b.ledger.Append(t.Context(), ledger.Batch{Topic: topic, Lo: 1, Hi: 1}); err != nil { // as if it were poison
		t.Fatal(err)
	}
	b.poison[1] = true
	b.fill(1)
	if r := b.compare(b.config()); r.Behind != 0 || !r.Equal() || r.Log.Entries != 2 || r.Poison != 1 {
		t.Errorf("%+v", r)
	}
	if err := ingest.Retry(t.Context(), b.log, b.ledger, ledger.Source{Topic: topic, Offset: 1}); err != nil {
		t.Fatal(err)
	}
	delete(b.poison, 1)
	b.mustEqual()
}

// Sums are compared within a time, and of one account.
func TestTimes(t *testing.T) {
	b := newBooks(t)
	for range 10 {
		b.charge()
	}
	b.fill(3)
	b.exec("UPDATE usage_ledger SET render_units = 2 WHERE entry_id = '7/debit'")
	b.exec("UPDATE usage_rollup SET units_low = units_low + 1 WHERE at = ?", noon.Add(8*time.Hour).Unix())
	for name, c := range map[string]struct {
		change func(*Config)
		want   int // differences
	}{
		"all":      {func(*Config) {}, 2},
		"its hour": {func(c *Config) { c.From, c.To = noon.Add(8*time.Hour), noon.Add(9*time.Hour) }, 2},
		"before":   {func(c *Config) { c.To = noon.Add(8 * time.Hour) }, 1},
		"after":    {func(c *Config) { c.From = noon.Add(9 * time.Hour) }, 1},
		"account":  {func(c *Config) { c.Account = "acc_a" }, 2},
		"other":    {func(c *Config) { c.Account = "acc_b" }, 1},
	} {
		config := b.config()
		c.change(&config)
		if r := b.compare(config); len(r.Differences) != c.want {
			t.Errorf("%s: %v, want %d differences", name, r.Differences, c.want)
		}
	}
}

// asked is a ledger that something happens to before each answer.
type asked struct {
	ledger.Ledger
	asks   int
	before func(ask int)
}

func (a *asked) Usage(ctx context.Context, q ledger.Query) ([]ledger.Row, error) {
	a.asks++
	a.before(a.asks)
	return a.Ledger.Usage(ctx, q)
}

// The rows of a batch without a marker, which is still to come or whose writer was killed, are not a difference. What else differs beside them is one.
func TestWithoutMarker(t *testing.T) {
	for name, tc := range map[string]struct {
		before func(b *books, ask int)
		want   string
		asks   int
	}{
		"marker never comes": {func(*books, int) {}, "", 1},
		"row is lost": {func(b *books, ask int) {
			if ask == 1 {
				b.exec("DELETE FROM usage_rollup WHERE at < ?", noon.Add(2*time.Hour).Unix())
			}
		}, "1 differences", 2},
		"marker comes": {func(b *books, ask int) {
			switch {
			case ask < 3:
				b.exec("UPDATE usage_rollup SET units_low = units_low + 1")
			case ask == 3:
				b.exec("UPDATE usage_rollup SET units_low = units_low - 2")
				b.fill(1)
			}
		}, "", 4},
		"changes all the time": {func(b *books, _ int) { b.exec("UPDATE usage_rollup SET units_low = units_low + 1") }, "try again", tries},
	} {
		b := newBooks(t)
		b.charge()
		b.charge()
		b.fill(1)
		b.exec("DELETE FROM ledger_batch WHERE lo = 1")
		c, a := b.config(), &asked{b.ledger, 0, func(ask int) { tc.before(b, ask) }}
		c.Pause, c.Ledger = time.Nanosecond, a
		report, err := Partition(t.Context(), c, 0)
		said := ""
		if !report.Equal() {
			said = fmt.Sprintf("%d differences", len(report.Differences))
		}
		if err != nil {
			said = err.Error()
		}
		if !strings.HasSuffix(said, tc.want) || (said == "") != (tc.want == "") || a.asks != tc.asks {
			t.Errorf("%s: %q after %d questions, want %q after %d", name, said, a.asks, tc.want, tc.asks)
		}
	}
}
