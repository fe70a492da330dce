package logtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var busyCases = []testCase{
	{"append never waits: what has no room is ErrBusy and not appended", busyTopic},
	{"an unbounded topic is never busy, and keeps its order without a gap", unboundedTopic},
	{"trim gives up with its context while the log hangs", heldTrim},
}

// held opens a log whose appends are held up.
func held(t *testing.T, s Storage) (l eventlog.Log, release func()) {
	t.Helper()
	if s.OpenHeld == nil {
		t.Skip("this storage cannot be held up")
	}
	return s.OpenHeld(t)
}

// outcome is the result that an append has called back with.
type outcome struct {
	number int
	offset int64
	err    error
}

// appendAll appends n numbers to partition 0 without waiting for any.
func appendAll(l eventlog.Log, topic string, n int) <-chan outcome {
	outcomes := make(chan outcome, n)
	for i := range n {
		l.Append(topic, 0, eventlog.Record{Value: fmt.Appendf(nil, "%100d", i)}, func(offset int64, err error) {
			outcomes <- outcome{i, offset, err}
		})
	}
	return outcomes
}

func await(t *testing.T, outcomes <-chan outcome) outcome {
	t.Helper()
	select {
	case o := <-outcomes:
		return o
	case <-testkit.Context(t).Done():
		t.Fatal("an append was never called back")
		return outcome{}
	}
}

// busyTopic floods a topic while the log hangs. The surplus is refused at once. When the log
// continues, exactly the accepted records are there, in their order.
func busyTopic(t *testing.T, s Storage) {
	const n = 10_000
	l, release := held(t, s)
	room := HeldBytes / eventlog.Size(&eventlog.Record{Value: make([]byte, 100)})
	outcomes := appendAll(l, s.Topic, n)
	refused := map[int]bool{}
	for range n - room {
		o := await(t, outcomes)
		if !errors.Is(o.err, eventlog.ErrBusy) {
			t.Fatalf("append %d: %v, want ErrBusy", o.number, o.err)
		}
		refused[o.number] = true
	}
	if len(outcomes) > 0 {
		t.Fatalf("%d appends were completed although the log hangs", len(outcomes))
	}
	release()
	for range room {
		if o := await(t, outcomes); o.err != nil {
			t.Fatalf("append %d: %v", o.number, o.err)
		}
	}
	next := 0
	for _, r := range readFrom(t, l, s.Topic, 0, 0, room) {
		for refused[next] {
			next++
		}
		if want := fmt.Sprintf("%100d", next); string(r.Value) != want {
			t.Fatalf("record %d holds %s, want %d", r.Offset, r.Value, next)
		}
		next++
	}
	if offset := appendOne(t, l, s.Topic, 0, "again"); offset != int64(room) {
		t.Fatalf("offset %d after %d accepted records", offset, room)
	}
}

// unboundedTopic appends far more than the room of a topic to one that has no bound, while
// another topic is full.
func unboundedTopic(t *testing.T, s Storage) {
	const n = 5_000 // more than ten times HeldBytes
	l, release := held(t, s)
	full := appendAll(l, s.Topic, n)
	outcomes := appendAll(l, s.Unbounded, n)
	if o := await(t, full); !errors.Is(o.err, eventlog.ErrBusy) {
		t.Fatalf("append to the full topic: %v, want ErrBusy", o.err)
	}
	release()
	for i := range n {
		if o := await(t, outcomes); o.err != nil || o.number != i || o.offset != int64(i) {
			t.Fatalf("append %d: number %d, offset %d, %v", i, o.number, o.offset, o.err)
		}
	}
	for range n - 1 {
		await(t, full)
	}
}

func heldTrim(t *testing.T, s Storage) {
	before := open(t, s)
	appendOne(t, before, s.Topic, 1, "to be trimmed")
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	l, release := held(t, s)
	defer release()
	outcomes := appendAll(l, s.Topic, 10_000)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Trim(ctx, s.Topic, 1, 1) }()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("trim: %v, want context.Canceled", err)
		}
	case <-testkit.Context(t).Done():
		t.Fatal("trim waits for ever")
	}
	release()
	for range cap(outcomes) {
		await(t, outcomes)
	}
}
