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
	l := measuredLog{below, &appends{observe: func(string, int, time.Duration) {}, failed: func(string) { counted++ }}}
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
