package node

import (
	"errors"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// loggedHealth is a log of a given health.
type loggedHealth struct {
	eventlog.Log
	health error
}

func (l loggedHealth) Health() error { return l.health }

// A node is ready if its log can be relied on.
func TestReadyAsksTheLog(t *testing.T) {
	for _, want := range []error{nil, errors.New("retention.ms is 1000")} {
		s := &storage{replica: &projections.Replica{}, log: measuredLog{Log: loggedHealth{health: want}}}
		h := health{clock: &nodeClock{}, storage: s, engine: &engine{drain: &drainer{}}}
		if err := h.check(); !errors.Is(err, want) {
			t.Errorf("health: %v, want %v", err, want)
		}
	}
}
