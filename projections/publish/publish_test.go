package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

func openLog(t *testing.T) eventlog.Log {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// publisher starts a publisher of the log, which tries again at once.
func publisher(t *testing.T, l eventlog.Log) *Publisher {
	t.Helper()
	p := New(Config{Log: l, Logger: testkit.Silent(), Pause: time.Nanosecond})
	t.Cleanup(p.Close)
	return p
}

// journal appends entries of every kind, accepted and void, and remembers what must be published.
type journal struct {
	t      *testing.T
	log    eventlog.Log
	rand   *rand.Rand
	cursor projections.Cursor
	facts  []public.Event
	// number is that of the last fact.
	number int64
	// marker is what the next owner announces.
	marker func() events.Marker
}

func newJournal(t *testing.T, l eventlog.Log) *journal {
	return &journal{t: t, log: l, rand: testkit.Rand(t), cursor: projections.Origin(), marker: func() events.Marker { return events.Marker{Owner: "n"} }}
}

// grow appends n records.
func (j *journal) grow(n int) {
	j.t.Helper()
	for range n {
		j.append(j.entry())
	}
}

// append appends an entry; a foreign record, if it is nil.
func (j *journal) append(entry events.Entry) {
	j.t.Helper()
	value := []byte("foreign")
	if entry != nil {
		var err error
		if value, err = events.EncodeEntry(entry); err != nil {
			j.t.Fatal(err)
		}
	}
	offset, err := eventlog.AppendWait(j.t.Context(), j.log, events.TopicJournal, 0, eventlog.Record{Value: value})
	if err != nil {
		j.t.Fatal(err)
	}
	j.expect(offset, value)
}

func (j *journal) expect(offset int64, value []byte) {
	entry, _ := events.DecodeEntry(value) // foreign records are nil
	before := j.cursor
	accepted := j.cursor.Step(offset, entry)
	var facts []public.Event
	switch e := entry.(type) {
	case events.Marker:
		if j.cursor.Timeline != before.Timeline && (offset > 0 || e.Restored) {
			facts = append(facts, public.Begun(0, offset, e, before.Timeline, j.number))
			j.number = j.cursor.Number - 1
		}
	case events.Envelope:
		if accepted {
			facts = public.Of(j.cursor.Timeline, 0, offset, e)
		}
	}
	for _, fact := range facts {
		j.number++
		fact.Sequence = j.number
		j.facts = append(j.facts, fact)
	}
}

func (j *journal) entry() events.Entry {
	id := events.NewJobID()
	e := events.Envelope{Epoch: j.cursor.Epoch, Cause: j.cursor.Cause + 1, Account: "acc", At: 1}
	switch j.rand.IntN(10) {
	case 0:
		return nil
	case 1:
		return j.marker()
	case 2:
		e.Cause++ // after a hole
	case 3:
		e.Epoch--
	case 4:
		return events.Gap{Epoch: j.cursor.Epoch, From: j.cursor.Cause + 1, To: j.cursor.Cause + 5}
	case 5: // nothing public
		e.Events = []events.Event{events.KeyUsed{Key: "k"}}
		return e
	}
	e.Events = []events.Event{events.JobDone{Job: id, Sent: true}, events.QuotaDebited{Job: id, Bytes: 7}}
	return e
}

// published reads the topic.
func published(t *testing.T, l eventlog.Log) (all []public.Received) {
	t.Helper()
	logtest.Each(t, l, events.TopicEvents, 0, func(r eventlog.Record) {
		e, err := public.Parse(r)
		if err != nil {
			t.Fatal(err)
		}
		e.Data = slices.Clone(e.Data)
		all = append(all, e)
	})
	return all
}

// complete waits until the last fact is published, and checks that none is missing and that each has
// one number and one content however often it comes. If ordered, none comes for the first time
// after a later one.
func (j *journal) complete(l eventlog.Log, ordered bool) (repeated int) {
	j.t.Helper()
	want := map[int64]public.Event{}
	for _, fact := range j.facts {
		want[fact.Sequence] = fact
	}
	last := j.number
	testkit.Eventually(j.t, "everything is published", func() bool {
		return slices.ContainsFunc(published(j.t, l), func(e public.Received) bool { return e.Sequence == last })
	})
	seen := map[int64]public.Received{}
	for _, e := range published(j.t, l) {
		before, again := seen[e.Sequence]
		switch {
		case e.Position != want[e.Sequence].Position:
			j.t.Fatalf("number %d is %s, want %s", e.Sequence, e.Position, want[e.Sequence].Position)
		case again && (before.Type != e.Type || string(before.Data) != string(e.Data)):
			j.t.Fatalf("%s differs when it is repeated", e.Position)
		case again:
			repeated++
		case ordered && e.Position != j.facts[len(seen)].Position:
			j.t.Fatalf("number %d comes after %d facts", e.Sequence, len(seen))
		}
		seen[e.Sequence] = e
	}
	if len(seen) != len(j.facts) {
		j.t.Fatalf("%d facts were published, want %d", len(seen), len(j.facts))
	}
	return repeated
}

// Everything that the journal accepts is published once, in order, by one owner after the other.
func TestPublish(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, l)
	for range 4 {
		j.grow(200)
		p := publisher(t, l)
		stop := p.Start(0)
		if n := j.complete(l, true); n != 0 {
			t.Errorf("%d facts were repeated", n)
		}
		testkit.Eventually(t, "the place is known", func() bool { return p.Next(0) == j.cursor.Next })
		j.grow(20)
		j.complete(l, true)
		stop()
		p.Close()
		if p.Next(0) != 0 {
			t.Error("a partition that is given up has a place")
		}
	}
}

// flaky loses some of an owner's appends to the topic, and the replies to others. Like the real logs, it loses everything after the first lost
// append, until the owner looks at the topic again.
type flaky struct {
	eventlog.Log
	holes bool // it does not: what is behind succeeds

	mu     sync.Mutex
	rand   *rand.Rand
	broken bool
}

var errLost = errors.New("lost")

func (f *flaky) Bounds(ctx context.Context, topic string, partition int32) (start, end int64, err error) {
	f.mu.Lock()
	f.broken = false
	f.mu.Unlock()
	return f.Log.Bounds(ctx, topic, partition)
}

func (f *flaky) Append(topic string, partition int32, r eventlog.Record, done func(int64, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := f.rand.IntN(60)
	switch {
	case f.broken || fault == 0:
		f.broken = !f.holes
		go done(0, errLost)
	case fault == 1:
		f.Log.Append(topic, partition, r, func(int64, error) { done(0, errLost) })
	default:
		f.Log.Append(topic, partition, r, done)
	}
}

// With owners that stop anywhere, two at once, and appends that fail, facts may be repeated, but none is left out, and if the log keeps their order,
// none comes too late.
func TestPublishWithFaults(t *testing.T) {
	for _, holes := range []bool{false, true} {
		t.Run(fmt.Sprintf("holes=%t", holes), func(t *testing.T) {
			l := openLog(t)
			j := newJournal(t, l)
			owner := func() *Publisher {
				return publisher(t, &flaky{Log: l, holes: holes, rand: rand.New(rand.NewPCG(j.rand.Uint64(), 0))})
			}
			for range 10 {
				j.grow(60)
				a, b := owner(), owner()
				a.Start(0)
				b.Start(0)
				from := len(published(t, l))
				some := from + j.rand.IntN(40)
				testkit.Eventually(t, "some are published", func() bool {
					n := len(published(t, l))
					return n >= some || n > 0 && published(t, l)[n-1].Sequence == j.number
				})
				a.Close()
				b.Close()
			}
			j.grow(10)
			publisher(t, l).Start(0)
			if n := j.complete(l, !holes); n == 0 {
				t.Error("no fact was repeated: no fault has struck")
			}
		})
	}
}

// full is a log that takes no public events for a reason, if it has one.
type full struct {
	eventlog.Log
	reason atomic.Pointer[error]
}

func (f *full) Append(topic string, partition int32, r eventlog.Record, done func(int64, error)) {
	if err := f.reason.Load(); err != nil && topic == events.TopicEvents {
		go done(0, *err)
		return
	}
	f.Log.Append(topic, partition, r, done)
}

// A partition that waits is tried again every second, for hours if need be. The log says why once, again if the reason changes, and once that this is over.
func TestWaitingIsSaidOnce(t *testing.T) {
	l := &full{Log: openLog(t)}
	j := newJournal(t, l)
	for len(j.facts) == 0 {
		j.grow(50)
	}
	var said testkit.Lines
	p := New(Config{Log: l, Logger: slog.New(slog.NewTextHandler(&said, nil)), Pause: time.Nanosecond})
	t.Cleanup(p.Close)
	for i, reason := range []string{"no room", "no right"} {
		err := errors.New(reason)
		l.reason.Store(&err)
		if i == 0 {
			p.Start(0)
		}
		from := p.Failures()
		testkit.Eventually(t, "it has failed often", func() bool { return p.Failures() > from+20 })
	}
	l.reason.Store(nil)
	testkit.Eventually(t, "the recovery is said", func() bool { return strings.Count(said.String(), "published again") > 0 })
	p.Close()
	for line, want := range map[string]int{"public events are waiting": 2, "no room": 1, "no right": 1, "published again": 1} {
		if got := strings.Count(said.String(), line); got != want {
			t.Errorf("%q is said %d times, want %d", line, got, want)
		}
	}
}

// A topic made from another journal is not continued, and the error says what is wrong.
func TestForeignTopic(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, l)
	for len(j.facts) == 0 {
		j.grow(50)
	}
	for name, offset := range map[string]int64{"a marker": 0, "the end": j.cursor.Next, "beyond the end": j.cursor.Next + 5} {
		other := openLog(t)
		for range j.cursor.Next {
			appendEntry(t, other, events.Marker{Owner: "n"})
		}
		fact := j.facts[0]
		fact.Offset = offset
		appendFact(t, other, fact)
		_, _, err := lastOf(t.Context(), other, 0)
		if want := fact.Position.String() + " was published last, and does not follow from the journal: the topic belongs to another journal"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	another := openLog(t)
	appendEntry(t, another, events.Envelope{Account: "acc_other"})
	fact := j.facts[0]
	fact.Offset = 0
	appendFact(t, another, fact)
	if _, _, err := lastOf(t.Context(), another, 0); !errors.Is(err, errOther) {
		t.Errorf("another account's envelope: %v", err)
	}
}

// parts notes from where the topic is read.
type parts struct {
	eventlog.Log
	from []int64
}

func (p *parts) Read(topic string, partition int32, from int64) eventlog.Reader {
	if topic == events.TopicEvents {
		p.from = append(p.from, from)
	}
	return p.Log.Read(topic, partition, from)
}

// A long topic made from another journal is read once and in parts, so that it need not fit in memory.
func TestLongForeignTopic(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, openLog(t))
	for len(j.facts) == 0 {
		j.grow(50)
	}
	fact, all := j.facts[0], tail+2*part+100
	var durable sync.WaitGroup
	for range all {
		fact.Offset, fact.Sequence = fact.Offset+1, fact.Sequence+1
		r, err := fact.Record()
		if err != nil {
			t.Fatal(err)
		}
		durable.Add(1)
		l.Append(events.TopicEvents, 0, r, func(_ int64, err error) {
			if durable.Done(); err != nil {
				t.Error(err)
			}
		})
	}
	durable.Wait()
	count := &parts{Log: l}
	_, some, err := lastOf(t.Context(), count, 0)
	if some || !errors.Is(err, errOther) || !strings.Contains(err.Error(), fact.Position.String()+" was published last") {
		t.Errorf("%t, %v", some, err)
	}
	if want := []int64{2*part + 100, part + 100, 100, 0}; !slices.Equal(count.from, want) {
		t.Errorf("it is read from %v, want %v", count.from, want)
	}
}

func appendEntry(t *testing.T, l eventlog.Log, e events.Entry) {
	t.Helper()
	value, err := events.EncodeEntry(e)
	if err == nil {
		_, err = eventlog.AppendWait(t.Context(), l, events.TopicJournal, 0, eventlog.Record{Value: value})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func appendFact(t *testing.T, l eventlog.Log, fact public.Event) {
	t.Helper()
	r, err := fact.Record()
	if err == nil {
		_, err = eventlog.AppendWait(t.Context(), l, events.TopicEvents, 0, r)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A record that no version of Platen has written does not stop the publisher, which starts over if the topic has no others.
func TestForeignRecordInTheTopic(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, l)
	for len(j.facts) == 0 {
		j.grow(50)
	}
	if _, err := eventlog.AppendWait(t.Context(), l, events.TopicEvents, 0, eventlog.Record{Value: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	at, some, err := lastOf(t.Context(), l, 0)
	if err != nil || some || at != origin(0) {
		t.Errorf("%+v %v", at, err)
	}
}

// timelines has markers name timelines.
func (j *journal) timelines(published func() int64) {
	j.marker = func() events.Marker {
		return events.Marker{
			Owner: "n", Timeline: events.NewTimelineID(), At: events.Instant(1 + j.rand.Int64N(3)),
			Published: published(), Restored: j.rand.IntN(4) == 0,
		}
	}
}

// A partition names its timelines from some moment on, and is restored now and then: the facts of each have its name, and numbers rise.
func TestTimelines(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, l)
	j.grow(100)
	j.timelines(func() int64 { return 0 })
	for range 4 {
		j.grow(100)
		p := publisher(t, l)
		p.Start(0)
		j.complete(l, true)
		p.Close()
	}
	last, begun := int64(0), 0
	for _, e := range published(t, l) {
		if e.Sequence <= last || e.After() < 0 && e.Sequence != last+1 {
			t.Errorf("number %d comes after %d", e.Sequence, last)
		}
		if last = e.Sequence; e.After() >= 0 {
			begun++
		}
	}
	if begun < 2 {
		t.Errorf("%d timelines have begun", begun)
	}
}

// counting counts the looks at the bounds and the readers of the journal.
type counting struct {
	eventlog.Log
	looks *int
}

func (c counting) Bounds(ctx context.Context, topic string, p int32) (start, end int64, err error) {
	if topic == events.TopicJournal {
		*c.looks++
	}
	return c.Log.Bounds(ctx, topic, p)
}

func (c counting) Read(topic string, p int32, from int64) eventlog.Reader {
	if topic == events.TopicJournal {
		*c.looks++
	}
	return c.Log.Read(topic, p, from)
}

// Published facts that the journal has lost cost no look at the log each, which may be one at a broker far away: there may be a million.
func TestLostFactsAreCheap(t *testing.T) {
	l := openLog(t)
	j := newJournal(t, l)
	j.timelines(func() int64 { return 0 })
	j.append(j.marker())
	for len(j.facts) == 0 {
		j.grow(20)
	}
	for _, fact := range j.facts {
		appendFact(t, l, fact)
	}
	lost := j.facts[len(j.facts)-1]
	for range 5 * tail {
		lost.Offset, lost.Sequence = lost.Offset+1, lost.Sequence+1
		lost.Offset = max(lost.Offset, j.cursor.Next)
		appendFact(t, l, lost)
	}
	looks := 0
	at, some, err := lastOf(t.Context(), counting{l, &looks}, 0)
	if err != nil || !some || at.last != j.facts[len(j.facts)-1].Position || looks > 10 {
		t.Errorf("after %d looks it continues at %+v, %t, %v", looks, at.last, some, err)
	}
}

// A journal that has lost its end continues in another timeline: published facts of that end are left behind, no later one is missing, and no number
// or id stands for two facts. more is the number of lost facts beyond those that a publisher looks at first.
func TestTruncatedJournal(t *testing.T) {
	for name, lost := range map[string]int{"a little": 20, "more than the tail": 3 * tail} {
		t.Run(name, func(t *testing.T) {
			whole := openLog(t)
			j := newJournal(t, whole)
			j.timelines(func() int64 { return 0 })
			j.append(j.marker()) // or lost facts might be of no timeline, which no journal of ours has
			j.grow(50)
			kept := j.cursor.Next
			after := *j
			after.facts = slices.Clone(j.facts)
			j.grow(lost)
			p := publisher(t, whole)
			p.Start(0)
			j.complete(whole, true)
			p.Close()

			short := openLog(t) // what is left, beside everything that was published
			logtest.Each(t, whole, events.TopicJournal, 0, func(r eventlog.Record) {
				if r.Offset < kept {
					appendRecord(t, short, events.TopicJournal, r)
				}
			})
			logtest.Each(t, whole, events.TopicEvents, 0, func(r eventlog.Record) { appendRecord(t, short, events.TopicEvents, r) })
			seen, err := Last(t.Context(), short, 0)
			if err != nil || seen != j.number {
				t.Fatalf("the last number is %d, want %d: %v", seen, j.number, err)
			}
			after.log = short
			after.timelines(func() int64 { return seen })
			after.append(after.marker())
			after.timelines(func() int64 { return 0 })
			after.grow(60)
			p = publisher(t, short)
			p.Start(0)
			testkit.Eventually(t, "everything is published", func() bool {
				all := published(t, short)
				return all[len(all)-1].Sequence == after.number
			})
			p.Close()
			byNumber, byID, unfolded := map[int64]string{}, map[string]string{}, len(after.facts)
			for _, e := range published(t, short) {
				content := fmt.Sprint(e.Position, e.Type, string(e.Data), e.Account)
				if had, again := byNumber[e.Sequence]; again && had != content {
					t.Errorf("number %d stands for %s and %s", e.Sequence, had, content)
				}
				if had, again := byID[e.Position.String()]; again && had != content {
					t.Errorf("the id %s stands for %s and %s", e.Position, had, content)
				}
				byNumber[e.Sequence], byID[e.Position.String()] = content, content
			}
			for _, fact := range after.facts {
				if _, there := byNumber[fact.Sequence]; !there {
					t.Errorf("number %d of %d facts is missing", fact.Sequence, unfolded)
				}
			}
		})
	}
}

func appendRecord(t *testing.T, l eventlog.Log, topic string, r eventlog.Record) {
	t.Helper()
	r.Key, r.Value, r.Headers = slices.Clone(r.Key), slices.Clone(r.Value), slices.Clone(r.Headers)
	if _, err := eventlog.AppendWait(t.Context(), l, topic, 0, r); err != nil {
		t.Fatal(err)
	}
}

// A number that no clock gives, which somebody else has written, says nothing about the journal: the numbers of a timeline that began above it would not
// fit into 64 bits, and every look would find the journal short of events again.
func TestLastIgnoresImpossibleNumbers(t *testing.T) {
	l := openLog(t)
	fact := public.Of("", 0, 3, events.Envelope{Account: "acc", At: 1, Events: []events.Event{events.PlanChanged{Plan: events.PlanPro}}})[0]
	for _, number := range []int64{7, math.MaxInt64} {
		fact.Sequence = number
		appendFact(t, l, fact)
	}
	if number, err := Last(t.Context(), l, 0); err != nil || number != 7 {
		t.Errorf("the last number is %d: %v", number, err)
	}
	c := projections.Origin()
	c.Step(0, events.Marker{Owner: "n", Timeline: events.NewTimelineID(), At: 1})
	if c.Step(1, events.Marker{Owner: "n", Timeline: events.NewTimelineID(), Published: maxNumber}); c.Number <= maxNumber {
		t.Errorf("a timeline after %d begins at %d", int64(maxNumber), c.Number)
	}
}
