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
	for _, health := range []error{nil, errors.New("retention.ms is 1000")} {
		n := &Node{replica: &projections.Replica{}, log: loggedHealth{health: health}}
		if err := n.health(); !errors.Is(err, health) {
			t.Errorf("health: %v, want %v", err, health)
		}
	}
}
