package timeline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// journal is a journal that a test writes.
type journal struct {
	t   *testing.T
	log eventlog.Log
	end int64
}

func newJournal(t *testing.T) *journal {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &journal{t: t, log: l}
}

// put appends an entry and returns its offset.
func (j *journal) put(e events.Entry) int64 {
	j.t.Helper()
	offset, err := eventlog.AppendWait(testkit.Context(j.t), j.log, events.TopicJournal, 0, j.record(e))
	if err != nil {
		j.t.Fatal(err)
	}
	j.end = offset + 1
	return offset
}

// putAll appends many entries at once.
func (j *journal) putAll(all []events.Entry) {
	j.t.Helper()
	var written sync.WaitGroup
	for _, e := range all {
		written.Add(1)
		j.log.Append(events.TopicJournal, 0, j.record(e), func(_ int64, err error) {
			if err != nil {
				j.t.Error(err)
			}
			written.Done()
		})
	}
	written.Wait()
}

func (j *journal) record(e events.Entry) eventlog.Record {
	j.t.Helper()
	b, err := events.EncodeEntry(e)
	if err != nil {
		j.t.Fatal(err)
	}
	var key []byte
	if envelope, ok := e.(events.Envelope); ok {
		key = []byte(envelope.Account)
	}
	return eventlog.Record{Key: key, Value: b}
}

// submitted is a job with the offset of its command.
type submitted struct {
	account events.AccountID
	job     events.JobID
	cause   int64
}

// random writes owners that decide random commands of two accounts about jobs. Some owners write on after they have been
// replaced, which is void.
func random(rng *rand.Rand, j *journal) (jobs []submitted) {
	type owner struct{ epoch, cause int64 }
	var stale *owner
	now := owner{epoch: j.put(events.Marker{Owner: "n0"}), cause: -1}
	decide := func(o *owner, counts bool) {
		o.cause++
		account := events.AccountID(fmt.Sprintf("acc_%d", rng.IntN(2)))
		e := events.Envelope{Epoch: o.epoch, Cause: o.cause, Account: account, At: events.Instant(1_000 + o.cause)}
		switch s := pick(rng, jobs, account); {
		case s == nil || rng.IntN(4) == 0:
			id := events.NewJobID()
			e.Events = []events.Event{events.QuotaReserved{Job: id}, events.JobQueued{Job: id, Content: o.cause}}
			if counts {
				jobs = append(jobs, submitted{account, id, o.cause})
			}
		case rng.IntN(5) > 0:
			e.Events = []events.Event{[]events.Event{
				events.RenderStarted{Job: s.job, Node: "n1"}, events.RenderRequeued{Job: s.job}, events.RenderReleased{Job: s.job}, events.JobDone{Job: s.job}, events.DownloadBegun{Job: s.job},
			}[rng.IntN(5)]}
		}
		j.put(e)
	}
	for range 150 {
		switch n := rng.IntN(30); {
		case n == 0:
			before := now
			stale = &before
			now.epoch = j.put(events.Marker{Owner: "n"})
		case n < 6 && stale != nil:
			decide(stale, false)
		default:
			decide(&now, true)
		}
	}
	return jobs
}

func pick(rng *rand.Rand, all []submitted, account events.AccountID) *submitted {
	for range 3 {
		if n := len(all); n > 0 {
			if s := &all[rng.IntN(n)]; s.account == account {
				return s
			}
		}
	}
	return nil
}

// folded is the timeline of every job by the rule of package projections, from the journal's first record on.
func folded(t *testing.T, j *journal) map[events.JobID][]Step {
	t.Helper()
	all := map[events.JobID][]Step{}
	c := projections.Origin()
	r := j.log.Read(events.TopicJournal, 0, 0)
	defer r.Close()
	for c.Next < j.end {
		records, err := r.Next(testkit.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			entry, err := events.DecodeEntry(record.Value)
			if err != nil {
				t.Fatal(err)
			}
			e, ok := entry.(events.Envelope)
			if !c.Step(record.Offset, entry) || !ok {
				continue
			}
			for _, ev := range e.Events {
				if id, ok := events.JobOf(ev); ok {
					all[id] = append(all[id], Step{e.At, ev, e.Cause})
				}
			}
		}
	}
	return all
}

// Every job of random journals, with owners that write on after they were replaced, has the steps that the rule accepts.
func TestRead(t *testing.T) {
	rng := testkit.Rand(t)
	for range 20 {
		j := newJournal(t)
		jobs := random(rng, j)
		want := folded(t, j)
		for _, s := range jobs {
			got, err := Read(testkit.Context(t), j.log, Query{Account: s.account, Job: s.job, Submitted: s.cause})
			if err != nil {
				t.Fatalf("job of command %d: %v", s.cause, err)
			}
			if !got.Whole || !reflect.DeepEqual(got.Steps, want[s.job]) {
				t.Fatalf("job of command %d: whole %v,\n%v\nwant\n%v", s.cause, got.Whole, got.Steps, want[s.job])
			}
		}
	}
}

// plain writes n commands of one owner, each with a job of its own, and returns the jobs. Causes begin at first.
func plain(j *journal, first int64, n int) (all []submitted) {
	epoch := j.put(events.Marker{Owner: "n"})
	if first > 0 {
		j.put(events.Gap{Epoch: epoch, From: 0, To: first})
	}
	var entries []events.Entry
	for i := range n {
		s := submitted{"acc_a", events.NewJobID(), first + int64(i)}
		entries = append(entries, events.Envelope{
			Epoch: epoch, Cause: s.cause, Account: s.account, At: events.Instant(1 + i), Events: []events.Event{events.JobQueued{Job: s.job}},
		})
		all = append(all, s)
	}
	j.putAll(entries)
	return all
}

func (s submitted) query() Query { return Query{Account: s.account, Job: s.job, Submitted: s.cause} }

// A job whose beginning is trimmed, or has not come, is told from others; the first one left is found. Causes that begin
// far from where the journal does, as after a gap, are found all the same.
func TestGone(t *testing.T) {
	j := newJournal(t)
	jobs := plain(j, 1_000_000, 50)
	if err := j.log.Trim(t.Context(), events.TopicJournal, 0, 12); err != nil { // 0 is the marker, 1 the gap
		t.Fatal(err)
	}
	for i, s := range jobs {
		got, err := Read(testkit.Context(t), j.log, s.query())
		if gone := errors.Is(err, ErrGone); gone != (i < 10) || !gone && (err != nil || len(got.Steps) != 1) {
			t.Errorf("job %d: %v, %v", i, got, err)
		}
	}
	later := submitted{"acc_a", events.NewJobID(), jobs[49].cause + 1}
	if _, err := Read(testkit.Context(t), j.log, later.query()); !errors.Is(err, ErrGone) {
		t.Errorf("a job that has yet to come: %v", err)
	}
	if _, err := Read(testkit.Context(t), newJournal(t).log, later.query()); !errors.Is(err, ErrGone) {
		t.Errorf("an empty journal: %v", err)
	}
}

// The beginning is found wherever it is in a long journal, behind many owners too.
func TestFar(t *testing.T) {
	j := newJournal(t)
	jobs := plain(j, 70_000, 3*slack)
	j.putAll(slices.Repeat([]events.Entry{events.Marker{Owner: "n"}}, 2*slack))
	jobs = append(jobs, plain(j, 70_000+int64(len(jobs)), 10)...)
	for _, i := range []int{0, 1, slack + 1, 3*slack - 1, 3 * slack, 3*slack + 9} {
		if got, err := Read(testkit.Context(t), j.log, jobs[i].query()); err != nil || len(got.Steps) != 1 || !got.Whole {
			t.Errorf("job %d: %+v, %v", i, got, err)
		}
	}
}

// Another account's job, and another job of the same command, are not found.
func TestForeign(t *testing.T) {
	j := newJournal(t)
	s := plain(j, 0, 3)[1]
	for name, q := range map[string]Query{
		"account": {Account: "acc_b", Job: s.job, Submitted: s.cause},
		"job":     {Account: s.account, Job: events.NewJobID(), Submitted: s.cause},
	} {
		if got, err := Read(testkit.Context(t), j.log, q); !errors.Is(err, ErrGone) {
			t.Errorf("another %s: %v, %v", name, got.Steps, err)
		}
	}
}

// At the bound of records a timeline is whole, and beyond it the time is told until which it was read.
func TestBound(t *testing.T) {
	j := newJournal(t)
	first := plain(j, 0, 10)[0]
	for most, want := range map[int]Timeline{11: {Whole: true, Read: 10}, 10: {Read: 9}} {
		got, err := read(testkit.Context(t), j.log, first.query(), most)
		if err != nil || got.Whole != want.Whole || got.Read != want.Read {
			t.Errorf("%d records: %+v, %v", most, got, err)
		}
	}
}

// A job to which a great deal happens has as many steps as there may be, and is whole with one less.
func TestManySteps(t *testing.T) {
	for n, whole := range map[int]bool{maxSteps - 1: true, maxSteps + 1: false} {
		j := newJournal(t)
		s := plain(j, 0, 1)[0]
		e := events.Envelope{Cause: 1, Account: s.account, At: 5}
		e.Events = slices.Repeat([]events.Event{events.WebhookRedelivered{Job: s.job}}, n-1)
		j.put(e)
		if !whole {
			e.Cause, e.Events = 2, nil
			j.put(e)
		}
		if got, err := Read(testkit.Context(t), j.log, s.query()); err != nil || got.Whole != whole || len(got.Steps) != n {
			t.Errorf("%d events: %d steps, whole %v, %v", n, len(got.Steps), got.Whole, err)
		}
	}
}

// A record that nobody can read is skipped, as every reader does.
func TestForeignRecord(t *testing.T) {
	j := newJournal(t)
	s := plain(j, 0, 1)[0]
	if _, err := eventlog.AppendWait(testkit.Context(t), j.log, events.TopicJournal, 0, eventlog.Record{Value: []byte("no entry")}); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(testkit.Context(t), j.log, s.query()); err != nil || len(got.Steps) != 1 || !got.Whole {
		t.Errorf("%+v, %v", got, err)
	}
}
