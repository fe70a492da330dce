package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var crashCases = []testCase{
	{"an append that stops at any step is repeated", everyStep},
	{"an append that stops at any step is repeated in other batches", everyStepRecut},
	{"two writers of the same batches", sameWriters},
	{"two writers of overlapping batches", overlappingWriters},
}

// straddle returns a batch over three months, which has as many steps as possible.
func straddle() ledger.Batch {
	var entries []ledger.Entry
	for i := range 12 {
		entries = append(entries, debit(i, noon.AddDate(0, i%3, 0)))
	}
	return batchAt(0, entries...)
}

// errFault is the error of faulty steps.
var errFault = errors.New("the step failed")

// stopAt appends a batch to a ledger that stops at step number n, if it gets that far.
func stopAt(t *testing.T, s Storage, n int, b ledger.Batch) (stopped string) {
	t.Helper()
	count := 0
	l := s.OpenFaulty(t, func(step string) error {
		if stopped != "" {
			return errFault // it does not come back
		}
		if count++; count == n {
			stopped = step
			return errFault
		}
		return nil
	})
	err := l.Append(testkit.Context(t), b)
	if (stopped == "") != (err == nil) {
		t.Fatalf("stopped at %q: %v", stopped, err)
	}
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	return stopped
}

// eachStep stops an append at each of its steps in turn, and has repair continue. Each turn uses
// its own topic.
func eachStep(t *testing.T, s Storage, repair func(t *testing.T, l ledger.Ledger, b ledger.Batch)) {
	if s.OpenFaulty == nil {
		t.Skip("this back end changes everything in one step")
	}
	for n := 1; ; n++ {
		b := straddle()
		b.Topic = fmt.Sprint("topic ", n)
		for i := range b.Entries {
			b.Entries[i].Source.Topic, b.Entries[i].Account = b.Topic, b.Topic
			b.Entries[i].ID += b.Topic
		}
		stopped := stopAt(t, s, n, b)
		t.Logf("stopped at %q", stopped)
		l := s.Open(t)
		repair(t, l, b)
		wantSame(t, len(entriesOf(t, l, b.Topic)), len(b.Entries))
		rows := usage(t, l, always(b.Topic))
		wantSame(t, [2]int64{rows[0].Units, rows[0].Entries}, [2]int64{12, 12})
		if f, err := l.RowsOf(testkit.Context(t), b.Topic, partition, 0, b.Hi); err != nil || f != figuresOf(t, b.Entries...) {
			t.Fatalf("rows %+v, %v", f, err)
		}
		if stopped == "" {
			wantMoreThan(t, n, 8) // three months and the marker, before and after
			return
		}
	}
}

func wantMoreThan(t *testing.T, n, least int) {
	t.Helper()
	if n <= least {
		t.Errorf("%d steps, want more than %d", n, least)
	}
}

func everyStep(t *testing.T, s Storage) {
	eachStep(t, s, func(t *testing.T, l ledger.Ledger, b ledger.Batch) {
		next, err := l.Next(testkit.Context(t), b.Topic, partition)
		if err != nil || next != 0 && next != b.Hi+1 {
			t.Fatalf("next %d, %v: a part of a batch was marked", next, err)
		}
		mustAppend(t, l, b, b)
	})
}

func everyStepRecut(t *testing.T, s Storage) {
	eachStep(t, s, func(t *testing.T, l ledger.Ledger, b ledger.Batch) {
		for _, cut := range [][2]int64{{0, 4}, {3, 6}, {7, 11}} {
			part := b
			part.Lo, part.Hi, part.Entries = cut[0], cut[1], b.Entries[cut[0]:cut[1]+1]
			mustAppend(t, l, part)
		}
	})
}

// race has writers append at the same time, each through its own ledger. A failed append is
// repeated from Next on, as a reader of the log does.
func race(t *testing.T, s Storage, all []ledger.Entry, lengths ...int) {
	t.Helper()
	var group sync.WaitGroup
	for _, length := range lengths {
		l := s.Open(t)
		group.Go(func() { follow(t, l, all, length) })
	}
	group.Wait()
	l := s.Open(t)
	wantNext(t, l, int64(len(all)))
	wantTotal(t, l, int64(len(all)), int64(1000*len(all)), int64(len(all)))
	wantSame(t, entriesOf(t, l, account), batchAt(0, all...).Entries)
	wantSame(t, rowsOf(t, l, 0, int64(len(all))), figuresOf(t, all...))
	for _, m := range markers(t, l) {
		wantSame(t, m.Figures, figuresOf(t, all[m.Lo:m.Hi+1]...))
	}
}

// follow appends the entries after Next in batches of the given length until all are there. Each
// batch begins one offset early.
func follow(t *testing.T, l ledger.Ledger, all []ledger.Entry, length int) {
	failures := 0
	for {
		next, err := l.Next(testkit.Context(t), topic, partition)
		if err != nil || next == int64(len(all)) {
			if err != nil {
				t.Errorf("next: %v", err)
			}
			return
		}
		lo := max(0, int(next)-1)
		err = l.Append(testkit.Context(t), batchAt(int64(lo), all[lo:min(lo+length, len(all))]...))
		if err == nil {
			continue
		}
		if failures++; failures > 1000 || errors.Is(err, ledger.ErrConflict) || errors.Is(err, ledger.ErrHole) {
			t.Errorf("append: %v", err)
			return
		}
	}
}

func sameWriters(t *testing.T, s Storage)        { race(t, s, debits(0, 200), 20, 20) }
func overlappingWriters(t *testing.T, s Storage) { race(t, s, debits(0, 200), 30, 17, 2) }
