package logtest

import (
	"errors"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var beginCases = []testCase{
	{"an empty partition begins at an offset, also after reopen", beginAt},
	{"a partition that has or had records does not begin", beginNotEmpty},
}

func beginAt(t *testing.T, s Storage) {
	l := open(t, s)
	const at = 123_457
	for range 2 { // repeated, it changes nothing
		mustBegin(t, l, s.Topic, 0, at)
		wantBounds(t, l, s.Topic, 0, at, at)
	}
	mustBegin(t, l, s.Topic, 1, 0)
	wantBounds(t, l, s.Topic, 1, 0, 0)
	mustBegin(t, l, s.Topic, 0, at+1) // one that was interrupted may have begun earlier
	wantNext(t, l, s.Topic, at, eventlog.ErrTrimmed)
	l = reopen(t, s, l)
	wantBounds(t, l, s.Topic, 0, at+1, at+1)
	wantBounds(t, l, s.Topic, 2, 0, 0)
	if offset := appendOne(t, l, s.Topic, 0, "first"); offset != at+1 {
		t.Fatalf("the first record has the offset %d, want %d", offset, at+1)
	}
	l = reopen(t, s, l)
	wantBounds(t, l, s.Topic, 0, at+1, at+2)
	if got := readFrom(t, l, s.Topic, 0, at+1, 1); string(got[0].Value) != "first" {
		t.Fatalf("the first record holds %q", got[0].Value)
	}
}

func beginNotEmpty(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 0, 3)
	appendNumbers(t, l, s.Topic, 1, 3)
	mustTrim(t, l, s.Topic, 1, 3)
	for _, c := range []struct {
		partition int32
		at        int64
	}{{0, 2}, {0, 3}, {0, 9}, {1, 2}} {
		if err := l.Begin(testkit.Context(t), s.Topic, c.partition, c.at); !errors.Is(err, eventlog.ErrNotEmpty) {
			t.Errorf("begin partition %d at %d: %v, want ErrNotEmpty", c.partition, c.at, err)
		}
	}
	wantBounds(t, l, s.Topic, 0, 0, 3)
	wantBounds(t, l, s.Topic, 1, 3, 3)
}

func mustBegin(t *testing.T, l eventlog.Log, topic string, partition int32, at int64) {
	t.Helper()
	if err := l.Begin(testkit.Context(t), topic, partition, at); err != nil {
		t.Fatalf("begin: %v", err)
	}
}
