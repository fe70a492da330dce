package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
)

const partitions = 2

func openLog(t *testing.T) eventlog.Log {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: partitions, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func openLedger(t *testing.T) ledger.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// faulty fails now and then, before or after it has appended.
type faulty struct {
	ledger.Ledger
	mu   sync.Mutex
	rand *rand.Rand // nil: never fails
}

var errFault = errors.New("fault of the test")

func (f *faulty) fault() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rand != nil && f.rand.IntN(4) == 0
}

func (f *faulty) Append(ctx context.Context, b ledger.Batch) error {
	if f.fault() {
		return errFault
	}
	if err := f.Ledger.Append(ctx, b); err != nil {
		return err
	}
	if f.fault() {
		return errFault
	}
	return nil
}

func (f *faulty) Next(ctx context.Context, topic string, partition int32) (int64, error) {
	if f.fault() {
		return 0, errFault
	}
	return f.Ledger.Next(ctx, topic, partition)
}

func (f *faulty) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rand = nil
}

// start runs an ingest until stop.
func start(t *testing.T, log eventlog.Log, l ledger.Ledger, begin bus.Start) *Running {
	t.Helper()
	stalls := NewStalls(time.Now, testkit.Silent())
	r, err := Start(Config{
		Ledger: l, Log: log, Stalls: stalls, Logger: testkit.Silent(), Wait: time.Millisecond, BatchesPerSecond: 100_000, Pause: time.Microsecond,
		Events: bus.NewLogSubscriber(bus.LogConfig{Log: log, Start: begin, Waiting: stalls.Reading, Pause: time.Microsecond}),
		Poison: bus.NewLogPublisher(log),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// writer appends public events, and remembers what they stand for.
type writer struct {
	t       *testing.T
	log     eventlog.Log
	rand    *rand.Rand
	number  int
	want    map[string]ledger.Entry
	poison  int
	records []eventlog.Record // of usage
}

func newWriter(t *testing.T, log eventlog.Log) *writer {
	return &writer{t: t, log: log, rand: testkit.Rand(t), want: map[string]ledger.Entry{}}
}

var noon = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

func (w *writer) event(data public.Data) eventlog.Record {
	w.t.Helper()
	w.number++
	r, err := public.Event{
		Position: public.Position{Offset: int64(w.number)}, Sequence: int64(w.number), Account: "acc_a",
		At: events.At(noon.Add(time.Duration(w.rand.IntN(1e9)) * time.Millisecond)), Subject: "x", Data: data,
	}.Record()
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *writer) put(r eventlog.Record) ledger.Source {
	w.t.Helper()
	return w.putIn(int32(w.rand.IntN(partitions)), r)
}

func (w *writer) putIn(p int32, r eventlog.Record) ledger.Source {
	w.t.Helper()
	offset, err := eventlog.AppendWait(testkit.Context(w.t), w.log, events.TopicEvents, p, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return ledger.Source{Topic: events.TopicEvents, Partition: p, Offset: offset}
}

const window = public.Time("2026-05-01T00:00:00.123Z")

// grow appends n records: usage, once or repeated, other facts, and poison.
func (w *writer) grow(n int) {
	w.t.Helper()
	for range n {
		switch w.rand.IntN(8) {
		case 0:
			w.put(w.event(public.JobStarted{Account: "acc_a", Job: "x"}))
		case 1:
			w.put(eventlog.Record{Key: []byte("acc_a"), Value: []byte("somebody else's")})
			w.poison++
		case 2:
			w.put(w.event(public.UsageDebited{Account: "acc_b", Entry: "x/debit", Window: window}))
			w.poison++
		case 3:
			if len(w.records) > 0 {
				w.put(w.records[w.rand.IntN(len(w.records))])
			}
		default:
			w.usage()
		}
	}
}

func (w *writer) usage() { w.usageIn(int32(w.rand.IntN(partitions))) }

func (w *writer) usageIn(p int32) {
	w.t.Helper()
	id := fmt.Sprintf("job-%d/debit", w.number)
	r := w.event(public.UsageDebited{
		Account: "acc_a", Entry: events.EntryID(id), Job: "x", Window: window, Usage: public.Usage{Units: 1, Bytes: w.rand.Int64N(1e12)},
		Origin: public.Origin{Key: "key_a", Operation: "html-to-pdf", Tags: public.Tags{"b": "1", "a": "2"}},
	})
	at := w.putIn(p, r)
	e, is, err := EntryOf(at.Topic, at.Partition, eventlog.Record{Offset: at.Offset, Key: r.Key, Value: r.Value, Headers: r.Headers})
	if err != nil || !is || e.Window.Nanosecond() != 0 || e.Tags[0].Name != "a" {
		w.t.Fatalf("entry %+v, %v, %v", e, is, err)
	}
	w.want[id] = e
	w.records = append(w.records, r)
}

// check compares a ledger, once it is at the end of the log, with what the log holds.
func (w *writer) check(l ledger.Ledger) {
	w.t.Helper()
	for p := range int32(partitions) {
		testkit.Eventually(w.t, "the ledger is at the end", func() bool {
			_, end, err := w.log.Bounds(w.t.Context(), events.TopicEvents, p)
			next, err2 := l.Next(w.t.Context(), events.TopicEvents, p)
			return err == nil && err2 == nil && next == end
		})
	}
	q := ledger.EntryQuery{Account: "acc_a", From: ledger.MinTime, To: ledger.MaxTime, Limit: ledger.MaxPage}
	seen := 0
	for page := (ledger.Page{Next: "more"}); page.Next != ""; q.After = page.Next {
		var err error
		if page, err = l.Entries(w.t.Context(), q); err != nil {
			w.t.Fatal(err)
		}
		for _, e := range page.Entries {
			if want, there := w.want[e.ID]; !there || want.Hash() != e.Hash() {
				w.t.Errorf("entry %+v, want %+v", e, want)
			}
			seen++
		}
	}
	if seen != len(w.want) {
		w.t.Errorf("%d entries, the log has %d", seen, len(w.want))
	}
}

// An ingest that is stopped, fails, loses answers, and begins anywhere, beside another one: at the
// end each entry is there once, and each poison record is known.
func TestIngestWithFaults(t *testing.T) {
	for round := range 6 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			log, under := openLog(t), openLedger(t)
			w := newWriter(t, log)
			l := &faulty{Ledger: under, rand: rand.New(rand.NewPCG(w.rand.Uint64(), 0))}
			begin := l.Next
			if round%2 == 1 { // as a group that has committed what was never appended
				begin = func(ctx context.Context, topic string, p int32) (int64, error) {
					_, end, err := log.Bounds(ctx, topic, p)
					return rand.Int64N(end + 1), err
				}
			}
			for range 4 {
				first, second := start(t, log, l, begin), start(t, log, l, begin)
				w.grow(60)
				stop(t, first)
				w.grow(20)
				stop(t, second)
			}
			l.heal()
			last := start(t, log, l, begin)
			for p := range int32(partitions) { // with the next usage, also what was committed and not appended is
				w.usageIn(p)
			}
			last2 := start(t, log, l, l.Next)
			w.check(under)
			stop(t, last)
			stop(t, last2)
			found, err := poisonOfAll(t, log, under)
			if err != nil || len(found) != w.poison {
				t.Errorf("%d poison records, want %d: %v", len(found), w.poison, err)
			}
		})
	}
}

func stop(t *testing.T, r *Running) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Of a batch with entries of every kind of fault, only those are left out, and each says why.
func TestPoison(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	w.usageIn(0)
	first := w.want["job-0/debit"]
	reasons := map[ledger.Source]string{
		w.put(eventlog.Record{Value: []byte("{}")}):                                                                                          "header ce_specversion",
		w.put(w.event(public.UsageDebited{Account: "acc_a", Entry: "", Window: window})):                                                     "id is empty",
		w.put(w.event(public.UsageDebited{Account: "acc_b", Entry: "b", Window: window})):                                                    `of account "acc_b"`,
		w.put(w.event(public.UsageDebited{Account: "acc_a", Entry: "c"})):                                                                    "window 0001",
		w.put(w.event(public.UsageDebited{Account: "acc_a", Entry: "c", Window: "yesterday"})):                                               "yesterday",
		w.put(w.event(public.UsageAdjusted{Account: "acc_a", Entry: "d", Window: window, Kind: "gift", Reason: "x"})):                        `kind "gift"`,
		w.put(w.event(public.UsageAdjusted{Account: "acc_a", Entry: "d", Window: window, Kind: events.Correction})):                          "needs a reason",
		w.putIn(0, w.event(public.UsageDebited{Account: "acc_a", Entry: events.EntryID(first.ID), Window: window})):                          "the ledger holds something else",
		w.put(w.event(public.UsageDebited{Account: "acc_a", Entry: events.EntryID(strings.Repeat("x", 129)), Window: window})):               "more than 128",
		w.put(w.event(public.UsageDebited{Account: "acc_a", Entry: "e", Window: window, Origin: public.Origin{Tags: public.Tags{"ä": ""}}})): "tag name",
	}
	for p := range int32(partitions) {
		w.usageIn(p)
	}
	r := start(t, log, l, l.Next)
	w.check(l)
	testkit.Eventually(t, "all poison is counted", func() bool { return r.Figures().Poisoned >= int64(len(reasons)) })
	stop(t, r)
	found, err := poisonOfAll(t, log, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		if !strings.Contains(p.Reason, reasons[p.Source]) || reasons[p.Source] == "" {
			t.Errorf("%v: %s, want %q", p.Source, p.Reason, reasons[p.Source])
		}
		if err := Retry(t.Context(), log, l, p.Source); err == nil {
			t.Errorf("%v was appended", p.Source)
		}
		delete(reasons, p.Source)
	}
	if len(reasons) > 0 {
		t.Errorf("missing: %v", reasons)
	}
	for p := range int32(partitions) {
		if err := Forget(t.Context(), log, l, p, 100); err != nil {
			t.Fatal(err)
		}
	}
	usage, err := poisonOfAll(t, log, l)
	if err != nil || len(usage) != len(found)-1 {
		t.Errorf("of %v only another program's record may be forgotten: %v, %v", found, usage, err)
	}
}

// refusing fails a number of appends, as a ledger that restarts.
type refusing struct {
	ledger.Ledger
	left atomic.Int64
}

func (r *refusing) Append(ctx context.Context, b ledger.Batch) error {
	if r.left.Add(-1) >= 0 {
		return errFault
	}
	return r.Ledger.Append(ctx, b)
}

// Poison is published once, however often its batch has to be appended, and remembered no longer than that.
func TestPoisonIsPublishedOnce(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	w.putIn(0, eventlog.Record{Value: []byte("{}")})
	w.usageIn(0)
	failing := &refusing{Ledger: l}
	failing.left.Store(5)
	r := start(t, log, failing, l.Next)
	w.check(l)
	poisoned := r.Figures().Poisoned
	stop(t, r)
	_, end, err := log.Bounds(t.Context(), events.TopicPoison, 0)
	if err != nil || end != 1 || poisoned != 1 || len(r.told) > 0 {
		t.Errorf("published %d times, counted %d times, %d remembered: %v", end, poisoned, len(r.told), err)
	}
}

// A record that is not about usage has no entry to append.
func TestRetryOfOther(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	if err := Retry(t.Context(), log, l, w.putIn(0, w.event(public.JobStarted{Account: "acc_a", Job: "x"}))); err == nil || !strings.Contains(err.Error(), "not about usage") {
		t.Error(err)
	}
}

// What is published as poison after the list was made is not forgotten with it.
func TestForgetOnlyListed(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	for range 2 {
		w.putIn(0, eventlog.Record{Value: []byte("{}")})
	}
	w.putIn(0, w.event(public.UsageDebited{Account: "acc_b", Entry: "b", Window: window}))
	r := start(t, log, l, l.Next)
	w.check(l)
	stop(t, r)
	for upTo, want := range []int64{1, 2, 2} {
		if err := Forget(t.Context(), log, l, 0, int64(upTo)); err != nil {
			t.Fatal(err)
		}
		if start, end, err := log.Bounds(t.Context(), events.TopicPoison, 0); err != nil || start != want || end != 3 {
			t.Errorf("up to %d: the poison is [%d, %d), want from %d: %v", upTo, start, end, want, err)
		}
	}
}

// A record that an older version could not read is appended by a newer one, and listed no more.
func TestRetry(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	w.usage()
	e := w.want["job-0/debit"]
	at := e.Source
	g := start(t, log, l, func(ctx context.Context, topic string, p int32) (int64, error) { // all but the entry
		next, err := l.Next(ctx, topic, p)
		if err == nil && next == 0 && p == at.Partition {
			err = l.Append(ctx, ledger.Batch{Topic: topic, Partition: p, Hi: at.Offset})
			next = at.Offset + 1
		}
		return next, err
	})
	r, err := eventlog.ReadOne(t.Context(), log, at.Topic, at.Partition, at.Offset)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.poison(t.Context(), bus.Batch{Topic: at.Topic, Partition: at.Partition}, r, errors.New(strings.Repeat("ä", maxReason))); err != nil {
		t.Fatal(err)
	}
	found, err := poisonOfAll(t, log, l)
	if err != nil || len(found) != 1 || found[0].ID != "0-1-0" || found[0].Type != "platen.usage.debited.v1" || found[0].Account != "acc_a" {
		t.Fatalf("%+v, %v", found, err)
	}
	remains := Remains{Log: log, Ledger: l, Mine: func(int32) bool { return true }}
	left := func(want int64) {
		t.Helper()
		if remains.Look(t.Context()); remains.Count() != want {
			t.Errorf("%d are left, want %d", remains.Count(), want)
		}
	}
	left(1)
	if err := Retry(t.Context(), log, l, at); err != nil {
		t.Fatal(err)
	}
	left(0)
	if found, err = poisonOfAll(t, log, l); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	w.check(l)
	stop(t, g)
}

// What is left of the poison is counted after a restart too, by the nodes whose partitions it is of, up to a bound, and until it is forgotten.
func TestRemains(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	poisoned := map[int32]int64{0: 2, 1: maxRemains + 5}
	for p, n := range poisoned {
		for range n {
			w.putIn(p, eventlog.Record{Value: []byte("{}")})
		}
	}
	r := start(t, log, l, l.Next)
	w.check(l)
	stop(t, r)
	mine := map[int32]bool{0: true, 1: true}
	remains := Remains{Log: log, Ledger: l, Mine: func(p int32) bool { return mine[p] }}
	left := func(want int64) {
		t.Helper()
		if remains.Look(t.Context()); remains.Count() != want {
			t.Errorf("%d are left, want %d", remains.Count(), want)
		}
	}
	left(2 + maxRemains)
	left(2 + maxRemains)
	if err := Forget(t.Context(), log, l, 1, 9); err != nil {
		t.Fatal(err)
	}
	left(2 + maxRemains - 5)
	mine[1] = false
	left(2)
	if err := Forget(t.Context(), log, l, 0, 1); err != nil {
		t.Fatal(err)
	}
	left(0)
}

// A gap of more than one batch is read in several.
func TestEach(t *testing.T) {
	log := openLog(t)
	w := newWriter(t, log)
	w.grow(50)
	for p := range int32(partitions) {
		_, end, err := log.Bounds(t.Context(), events.TopicEvents, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []bus.Batch
		if err := Each(t.Context(), log, events.TopicEvents, p, 3, end-2, func(b bus.Batch) error { got = append(got, b); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Lo != 3 || got[0].Hi != end-3 || !slices.IsSortedFunc(got[0].Records, func(a, b eventlog.Record) int { return int(a.Offset - b.Offset) }) {
			t.Errorf("%d batches, first [%d, %d], want [3, %d]", len(got), got[0].Lo, got[0].Hi, end-3)
		}
	}
}

// Records that the log has lost before the ledger had them are not skipped: the partition waits, and
// says so. Losing records that the ledger has does no harm.
func TestTrimmed(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	for range 3 {
		w.usageIn(0)
		w.usageIn(1)
	}
	r := start(t, log, l, l.Next)
	w.check(l)
	stop(t, r)
	for p := range int32(partitions) {
		if err := log.Trim(t.Context(), events.TopicEvents, p, 2); err != nil {
			t.Fatal(err)
		}
		w.usageIn(p)
	}
	r = start(t, log, l, l.Next)
	w.check(l)
	stop(t, r)
	w.usageIn(0)
	if err := log.Trim(t.Context(), events.TopicEvents, 0, 5); err != nil {
		t.Fatal(err)
	}
	w.usageIn(0)
	w.usageIn(1)
	r = start(t, log, l, func(ctx context.Context, topic string, p int32) (int64, error) { // where the log begins
		start, _, err := log.Bounds(ctx, topic, p)
		return start, err
	})
	testkit.Eventually(t, "the other partition goes on", func() bool {
		next, err := l.Next(t.Context(), events.TopicEvents, 1)
		return err == nil && next == 5
	})
	testkit.Eventually(t, "the failure is counted", func() bool { return r.Figures().Failures > 0 })
	if next, err := l.Next(t.Context(), events.TopicEvents, 0); err != nil || next != 4 {
		t.Errorf("the ledger is at %d, %v, want 4: offset 4 is lost", next, err)
	}
	stop(t, r)
}

func poisonOfAll(t *testing.T, log eventlog.Log, l ledger.Ledger) (all []Poisoned, err error) {
	t.Helper()
	for p := range log.Partitions() {
		found, err := Poison(t.Context(), log, l, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
