package logtest

import (
	"context"
	"errors"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var lifecycleCases = []testCase{
	{"a closed log returns ErrClosed", closedLog},
	{"a closed reader returns ErrClosed", closedReader},
	{"close ends waiting readers", closeEndsReaders},
	{"close completes pending appends", closeCompletesAppends},
	{"close revokes", closeRevokes},
	{"another partition count is refused", partitionCount},
	{"a log opened for reading only changes nothing", readOnly},
}

func closedLog(t *testing.T, s Storage) {
	l := open(t, s)
	if err := l.Health(); err != nil {
		t.Errorf("health: %v", err)
	}
	appendOne(t, l, s.Topic, 0, "value")
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	ctx := testkit.Context(t)
	_, appendErr := eventlog.AppendWait(ctx, l, s.Topic, 0, eventlog.Record{})
	_, _, boundsErr := l.Bounds(ctx, s.Topic, 0)
	_, readErr := eventlog.ReadOne(ctx, l, s.Topic, 0, 0)
	_, ownErr := l.Own("group", s.Topic, newHoldings(t).owner("a"))
	for call, err := range map[string]error{
		"append": appendErr, "bounds": boundsErr, "read": readErr, "own": ownErr, "trim": l.Trim(ctx, s.Topic, 0, 0),
	} {
		if !errors.Is(err, eventlog.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", call, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func closedReader(t *testing.T, s Storage) {
	l := open(t, s)
	appendOne(t, l, s.Topic, 0, "value")
	r := l.Read(s.Topic, 0, 0)
	r.Close()
	if _, err := r.Next(testkit.Context(t)); !errors.Is(err, eventlog.ErrClosed) {
		t.Fatalf("next: %v, want ErrClosed", err)
	}
}

func closeEndsReaders(t *testing.T, s Storage) {
	l := open(t, s)
	ended := make(chan error, Partitions)
	for partition := range int32(Partitions) {
		go func() {
			r := l.Read(s.Topic, partition, 0)
			defer r.Close()
			_, err := r.Next(context.Background())
			ended <- err
		}()
	}
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	for range Partitions {
		if err := <-ended; !errors.Is(err, eventlog.ErrClosed) {
			t.Fatalf("next: %v, want ErrClosed", err)
		}
	}
}

// closeCompletesAppends checks that every callback has run when Close returns, and that
// the acknowledged records are there.
func closeCompletesAppends(t *testing.T, s Storage) {
	const n = 500
	l := open(t, s)
	results := make(chan error, n)
	for range n {
		l.Append(s.Topic, 0, eventlog.Record{Value: []byte("value")}, func(_ int64, err error) { results <- err })
	}
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if len(results) != n {
		t.Fatalf("%d of %d appends were completed before Close returned", len(results), n)
	}
	acked := int64(0)
	for range n {
		if err := <-results; err == nil {
			acked++
		}
	}
	_, end, err := open(t, s).Bounds(testkit.Context(t), s.Topic, 0)
	if err != nil || end < acked {
		t.Fatalf("end %d after %d acknowledged appends (%v)", end, acked, err)
	}
}

func closeRevokes(t *testing.T, s Storage) {
	l := open(t, s)
	h := newHoldings(t)
	a := h.owner("a")
	m := join(t, l, s, a)
	h.await(a)
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if held := h.heldBy(a); len(held) != 0 {
		t.Fatalf("still holds %v after the log was closed", held)
	}
	leave(t, m)
}

func partitionCount(t *testing.T, s Storage) {
	if err := open(t, s).Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	for _, count := range []int32{Partitions - 1, Partitions + 1} {
		l, err := s.Open(count)
		if err == nil {
			_ = l.Close()
		}
		var mismatch *eventlog.PartitionCountError
		if !errors.As(err, &mismatch) || mismatch.Have != Partitions || mismatch.Want != count {
			t.Fatalf("open with %d partitions: %v, want PartitionCountError{Have: %d}", count, err, Partitions)
		}
	}
	open(t, s)
}

func readOnly(t *testing.T, s Storage) {
	if _, err := s.OpenReadOnly(); err == nil {
		t.Error("a log that does not exist can be read")
	}
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 1, 5)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	reading, err := s.OpenReadOnly()
	if err != nil {
		t.Fatal(err)
	}
	if got := reading.Partitions(); got != Partitions {
		t.Errorf("%d partitions, want %d", got, Partitions)
	}
	readFrom(t, reading, s.Topic, 1, 0, 5)
	ctx := testkit.Context(t)
	_, appendErr := eventlog.AppendWait(ctx, reading, s.Topic, 1, eventlog.Record{})
	_, ownErr := reading.Own("group", s.Topic, newHoldings(t).owner("a"))
	for call, err := range map[string]error{"append": appendErr, "own": ownErr, "trim": reading.Trim(ctx, s.Topic, 1, 3)} {
		if !errors.Is(err, eventlog.ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", call, err)
		}
	}
	if err := reading.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	l = open(t, s)
	wantBounds(t, l, s.Topic, 1, 0, 5)
}
