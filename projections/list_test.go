package projections_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// shown is a job of a test, and what the list should say about it.
type shown struct {
	at events.Instant
	id events.JobID
	projections.Summary
}

// someJob is a job of an account with all that lists are filtered by, in one of its states.
func (f *fixture) someJob(rng *rand.Rand, account events.AccountID, at events.Instant) shown {
	s := shown{at: at, id: events.NewJobID(), Summary: projections.Summary{
		Operation: events.Operations()[rng.IntN(len(events.Operations()))], Key: events.KeyID(fmt.Sprint("key_", rng.IntN(3))),
		Status: events.StatusQueued, Test: rng.IntN(2) == 0,
	}}
	for _, name := range []string{"customer", "order"}[:rng.IntN(3)] {
		s.Tags = append(s.Tags, events.Tag{Name: name, Value: fmt.Sprint(rng.IntN(2))})
	}
	f.writeAt(account, at, events.JobQueued{Job: s.id, Key: s.Key, Operation: s.Operation, Test: s.Test, Tags: s.Tags})
	switch rng.IntN(4) {
	case 0:
		s.Status, s.Error = events.StatusFailed, []events.ErrorCode{events.PageTimeout, events.SSRFBlocked}[rng.IntN(2)]
		f.writeAt(account, at+7, events.JobFailed{Job: s.id, Code: s.Error})
	case 1:
		s.Status = events.StatusRendering
		f.writeAt(account, at+3, events.RenderStarted{Job: s.id, Attempt: events.NewAttemptID(), Node: "n1", Deadline: at + 600_000})
	case 2:
		s.Status = events.StatusDone
		f.writeAt(account, at+9, events.JobDone{Job: s.id, File: events.File{Name: "f", Size: 1}, Expires: at + 100})
		f.writeAt(account, at+200, events.FileExpired{Job: s.id})
	}
	return s
}

func (f *fixture) writeAt(account events.AccountID, at events.Instant, evs ...events.Event) {
	e := f.envelope(account, nil, evs...)
	e.At = at
	f.append(events.Partition(account, 2), e)
}

// someFilter filters by one, two or three criteria.
func someFilter(rng *rand.Rand, last events.Instant) (f projections.Filter) {
	test := rng.IntN(2) == 0
	for range 1 + rng.IntN(3) {
		switch rng.IntN(8) {
		case 0:
			f.Status = []events.Status{events.StatusQueued, events.StatusRendering, events.StatusDone, events.StatusFailed}[rng.IntN(4)]
		case 1:
			f.Operation = events.Operations()[rng.IntN(len(events.Operations()))]
		case 2:
			f.Key = events.KeyID(fmt.Sprint("key_", rng.IntN(3)))
		case 3:
			f.Test = &test
		case 4:
			f.Error = events.PageTimeout
		case 5:
			f.Tags = []events.Tag{{Name: "customer", Value: fmt.Sprint(rng.IntN(2))}}
		case 6:
			f.From = events.Instant(rng.Int64N(int64(last)))
		case 7:
			f.To = events.Instant(rng.Int64N(int64(last)))
		}
	}
	return f
}

// expected is what a list should have, by looking at all jobs.
func expected(all []shown, f projections.Filter) (ids []events.JobID) {
	slices.SortFunc(all, func(a, b shown) int {
		return cmp.Or(cmp.Compare(b.at, a.at), bytes.Compare(a.id[:], b.id[:]))
	})
	for _, s := range all {
		tagged := len(f.Tags) == 0 || slices.Contains(s.Tags, f.Tags[0])
		if s.at < f.From || f.To > 0 && s.at >= f.To || f.Status != "" && s.Status != f.Status || f.Operation != "" && s.Operation != f.Operation ||
			f.Key != "" && s.Key != f.Key || f.Test != nil && s.Test != *f.Test || f.Error != "" && s.Error != f.Error || !tagged {
			continue
		}
		ids = append(ids, s.id)
	}
	return ids
}

// pages reads a list page by page.
func pages(t *testing.T, r *projections.Replica, account events.AccountID, f projections.Filter, most int) (ids []events.JobID) {
	t.Helper()
	var after *projections.Place
	for {
		page, err := r.Jobs(account, f, after, most)
		if err != nil || len(page.Jobs) > most {
			t.Fatalf("a page of %d jobs, %v", len(page.Jobs), err)
		}
		for _, j := range page.Jobs {
			ids = append(ids, j.ID)
		}
		if page.Next == nil {
			return ids
		}
		after = page.Next
	}
}

// A list has exactly the jobs of its account that its filter wants, the newest first, however it is cut into pages.
func TestJobs(t *testing.T) {
	rng := testkit.Rand(t)
	f := newFixture(t)
	all := map[events.AccountID][]shown{}
	const span = 100
	for range 300 {
		// acc_a and acc_ab begin alike; times repeat.
		account := []events.AccountID{"acc_a", "acc_ab", "acc_c"}[rng.IntN(3)]
		all[account] = append(all[account], f.someJob(rng, account, 1+events.Instant(rng.IntN(span))))
	}
	r := f.open("r")
	defer closed(t, r)
	for range 200 {
		account := []events.AccountID{"acc_a", "acc_ab", "acc_c", "acc_unknown"}[rng.IntN(4)]
		filter, most := someFilter(rng, span), 1+rng.IntN(40)
		if got, want := pages(t, r, account, filter, most), expected(all[account], filter); !slices.Equal(got, want) {
			t.Errorf("%s, %+v, %d a page: got %d jobs, want %d", account, filter, most, len(got), len(want))
		}
	}
	page, err := r.Jobs("acc_a", projections.Filter{}, nil, 1)
	if first := expected(all["acc_a"], projections.Filter{})[0]; err != nil || page.Jobs[0].ID != first || page.Jobs[0].Account != "acc_a" || page.Jobs[0].Key == "" {
		t.Errorf("the newest job is %+v (%v)", page.Jobs[0], err)
	}
}

// Jobs of an account are found by eight or more digits of their ids.
func TestFindJobs(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	one, two := events.NewJobID(), events.NewJobID()
	copy(two[:], one[:4])
	one[4], two[4] = 0x1a, 0x1b
	others := two
	others[15]++
	f.write("acc_a", events.JobQueued{Job: one, Key: "key"}, events.JobQueued{Job: two, Key: "key"}, events.JobQueued{Job: events.NewJobID(), Key: "key"})
	f.write("acc_ab", events.JobQueued{Job: others, Key: "key"})
	f.catchUp(r)
	whole := one.String()
	for typed, want := range map[string][]events.JobID{
		whole: {one}, strings.ToUpper(whole): {one}, strings.ReplaceAll(whole, "-", ""): {one}, whole[:11]: {one}, two.String(): {two},
		whole[:8]: {one, two}, whole[:9]: {one, two}, whole[:10]: {one, two}, others.String(): nil,
		whole[:7]: nil, whole + "0": nil, whole + "00": nil, whole[:8] + "x": nil, whole[:8] + "xx": nil, "": nil, "-": nil, "ü": nil, strings.Repeat("0", 1000): nil,
	} {
		found, err := r.FindJobs("acc_a", typed)
		var got []events.JobID
		for _, j := range found {
			got = append(got, j.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v (%v), want %v", typed, got, err, want)
		}
	}
}

// A job that is forgotten is in no list any more, and leaves nothing.
func TestForgottenJobsAreNotListed(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	s := f.someJob(testkit.Rand(t), "acc_a", 5)
	f.catchUp(r)
	if got := pages(t, r, "acc_a", projections.Filter{}, 10); len(got) != 1 {
		t.Fatalf("%d jobs are listed", len(got))
	}
	f.write("acc_a", events.JobForgotten{Job: s.id})
	f.catchUp(r)
	for key := range dump(t, r) {
		if key[0] == 'l' || key[0] == 'j' {
			t.Errorf("the row %q is left", key)
		}
	}
}

// For one page a bounded number of jobs is looked at. The list continues behind them.
func TestPagesAreBounded(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	old := events.NewJobID()
	f.writeAt("acc_a", 1, events.JobQueued{Job: old, Key: "old"})
	many := func(n int) {
		for n > 0 {
			evs := make([]events.Event, min(n, 1000))
			for i := range evs {
				evs[i] = events.JobQueued{Job: events.NewJobID(), Key: "key"}
			}
			f.writeAt("acc_a", 2, evs...)
			n -= len(evs)
		}
		f.catchUp(r)
	}
	wanted := projections.Filter{Key: "old"}
	many(projections.MaxListed - 1)
	if page, err := r.Jobs("acc_a", wanted, nil, 5); err != nil || len(page.Jobs) != 1 || page.Next != nil {
		t.Errorf("as the last that is looked at: %d jobs, next %v, %v", len(page.Jobs), page.Next, err)
	}
	many(1)
	page, err := r.Jobs("acc_a", wanted, nil, 5)
	if err != nil || len(page.Jobs) != 0 || page.Next == nil {
		t.Fatalf("behind the last that is looked at: %d jobs, next %v, %v", len(page.Jobs), page.Next, err)
	}
	if page, err = r.Jobs("acc_a", wanted, page.Next, 5); err != nil || len(page.Jobs) != 1 || page.Next != nil {
		t.Errorf("on the next page: %d jobs, next %v, %v", len(page.Jobs), page.Next, err)
	}
}

// BenchmarkJobs reads pages of 50 jobs from an account that has a million of them, one of ten thousand of which has failed.
func BenchmarkJobs(b *testing.B) {
	const (
		jobs = 1_000_000
		each = 2_000 // in an envelope
	)
	f := newFixture(b)
	for n := 0; n < jobs; n += each {
		evs := make([]events.Event, 0, each+1)
		for range each {
			evs = append(evs, events.JobQueued{Job: events.NewJobID(), Key: "key_1f0e", Operation: events.HTMLToPDF, Tags: []events.Tag{{Name: "customer", Value: fmt.Sprint(n)}}})
		}
		if n%10_000 == 0 {
			evs = append(evs, events.JobFailed{Job: evs[0].(events.JobQueued).Job, Code: events.PageTimeout})
		}
		f.writeAt("acc_a", events.Instant(n+1), evs...)
	}
	cfg := f.config("r")
	cfg.Projections = []table.Projection{projections.ReadModels{}}
	r, err := projections.Open(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	r.Start()
	f.catchUp(r)
	defer closed(b, r)
	middle := &projections.Place{Created: jobs / 2}
	for _, page := range []struct {
		what   string
		filter projections.Filter
		after  *projections.Place
	}{
		{"newest", projections.Filter{}, nil},
		{"middle", projections.Filter{}, middle},
		{"rare", projections.Filter{Status: events.StatusFailed}, middle},
		{"none", projections.Filter{Tags: []events.Tag{{Name: "customer", Value: "nobody"}}}, middle},
	} {
		b.Run(page.what, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Jobs("acc_a", page.filter, page.after, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
