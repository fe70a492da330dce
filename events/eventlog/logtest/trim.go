package logtest

import (
	"errors"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var trimCases = []testCase{
	{"trim deletes the records below an offset and nothing else", trimBelow},
	{"trim below start does nothing, above end is ErrBeyondEnd", trimLimits},
	{"offsets continue after everything was trimmed, also after reopen", trimAll},
	{"trimming a partition leaves the others alone", trimOthers},
}

func trimBelow(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 0, 100)
	mustTrim(t, l, s.Topic, 0, 40)
	check := func(l eventlog.Log) {
		wantBounds(t, l, s.Topic, 0, 40, 100)
		wantNext(t, l, s.Topic, 0, eventlog.ErrTrimmed)
		wantNext(t, l, s.Topic, 39, eventlog.ErrTrimmed)
		if got := readFrom(t, l, s.Topic, 0, 40, 60); string(got[0].Value) != "40" {
			t.Fatalf("record 40 holds %q", got[0].Value)
		}
	}
	check(l)
	check(reopen(t, s, l))
}

func trimLimits(t *testing.T, s Storage) {
	l := open(t, s)
	mustTrim(t, l, s.Topic, 0, 0)
	appendNumbers(t, l, s.Topic, 0, 10)
	mustTrim(t, l, s.Topic, 0, 5)
	for _, before := range []int64{0, 3, 5} {
		mustTrim(t, l, s.Topic, 0, before)
		wantBounds(t, l, s.Topic, 0, 5, 10)
	}
	if err := l.Trim(testkit.Context(t), s.Topic, 0, 11); !errors.Is(err, eventlog.ErrBeyondEnd) {
		t.Fatalf("trim below 11 of 10: %v, want ErrBeyondEnd", err)
	}
	wantBounds(t, l, s.Topic, 0, 5, 10)
}

func trimAll(t *testing.T, s Storage) {
	l := open(t, s)
	end := int64(0)
	for range 3 {
		appendNumbers(t, l, s.Topic, 0, 10)
		end += 10
		mustTrim(t, l, s.Topic, 0, end)
		wantBounds(t, l, s.Topic, 0, end, end)
		if offset := appendOne(t, l, s.Topic, 0, "directly"); offset != end {
			t.Fatalf("offset %d after trimming everything, want %d", offset, end)
		}
		end++
		mustTrim(t, l, s.Topic, 0, end)
		l = reopen(t, s, l)
		wantBounds(t, l, s.Topic, 0, end, end)
		wantNext(t, l, s.Topic, end-1, eventlog.ErrTrimmed)
		if offset := appendOne(t, l, s.Topic, 0, "after reopen"); offset != end {
			t.Fatalf("offset %d after reopen, want %d", offset, end)
		}
		readFrom(t, l, s.Topic, 0, end, 1)
		end++
	}
}

func trimOthers(t *testing.T, s Storage) {
	l := open(t, s)
	for partition := range int32(3) {
		appendNumbers(t, l, s.Topic, partition, 10)
	}
	mustTrim(t, l, s.Topic, 1, 10)
	l = reopen(t, s, l)
	for _, partition := range []int32{0, 2} {
		wantBounds(t, l, s.Topic, partition, 0, 10)
		readFrom(t, l, s.Topic, partition, 0, 10)
	}
}
