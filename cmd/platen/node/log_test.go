package node

import (
	"errors"
	"testing"
	"time"

	"platen.dev/events/eventlog"
)

// refusingLog fails appends with its error, nil for none.
type refusingLog struct {
	eventlog.Log
	err error
}

func (l *refusingLog) Append(_ string, _ int32, _ eventlog.Record, done func(int64, error)) {
	done(0, l.err)
}

// A failed append is known for two minutes. Records that are too large, and the end of the log, do not count as failures.
func TestRefusedAppends(t *testing.T) {
	below := &refusingLog{}
	counted := 0
	l := measuredLog{below, &appends{observe: func(string, int, time.Duration) {}, failed: func(string) { counted++ }, now: time.Now}}
	for _, below.err = range []error{nil, eventlog.ErrTooLarge, eventlog.ErrClosed} {
		l.Append("topic", 0, eventlog.Record{}, func(int64, error) {})
	}
	if why, _ := l.appends.refused(time.Now()); why != "" || counted > 0 {
		t.Errorf("without a failure: %q, %d counted", why, counted)
	}
	below.err = errors.New("no right")
	l.Append("topic", 0, eventlog.Record{}, func(int64, error) {})
	at := l.appends.failure.Load().at
	for after, want := range map[time.Duration]string{0: "no right", recentFailure: "no right", recentFailure + 1: ""} {
		if why, ago := l.appends.refused(at.Add(after)); why != want || want != "" && ago != after {
			t.Errorf("%s after: %q, %s ago", after, why, ago)
		}
	}
	if counted != 1 {
		t.Errorf("%d failures were counted", counted)
	}
}

// hangingLog ends appends when it is told to.
type hangingLog struct {
	eventlog.Log
	under []func(int64, error)
}

func (l *hangingLog) Append(_ string, _ int32, _ eventlog.Record, done func(int64, error)) {
	l.under = append(l.under, done)
}

// The oldest append that has not ended is known with its age and place, whichever of the others have ended.
func TestPendingAppends(t *testing.T) {
	below, now, took := &hangingLog{}, time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC), time.Duration(0)
	l := measuredLog{below, &appends{observe: func(_ string, _ int, d time.Duration) { took = d }, failed: func(string) {}, now: func() time.Time { return now }}}
	want := func(want string, after time.Duration) {
		t.Helper()
		if what, lasts := l.appends.hangs("the disk"); what != want || lasts != after {
			t.Errorf("%q for %s, want %q for %s", what, lasts, want, after)
		}
	}
	want("", 0)
	for p := range int32(3) {
		l.Append("topic", p, eventlog.Record{}, func(int64, error) {})
		now = now.Add(time.Second)
	}
	want("topic/0 on the disk", 3*time.Second)
	below.under[1](0, nil)
	want("topic/0 on the disk", 3*time.Second)
	below.under[0](0, errors.New("broken"))
	want("topic/2 on the disk", time.Second)
	below.under[2](0, nil)
	want("", 0)
	if took != time.Second {
		t.Errorf("the last append took %s", took)
	}
}
