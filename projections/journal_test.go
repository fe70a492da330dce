package projections_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// identified is a log whose topics have an id.
type identified struct {
	eventlog.Log
	id string
}

func (l identified) TopicID(string) string { return l.id }

// A replica of a re-created journal is refused, even if the new one is longer: its rows belong to the other one. They are left alone.
func TestReplicaOfAnotherJournal(t *testing.T) {
	f, other := newFixture(t), newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 20)
	other.writeJobs(rand.New(rand.NewPCG(2, 0)), 80)
	open := func(of *fixture, id string) (map[string]string, error) {
		cfg := f.config("replica")
		cfg.Log = identified{of.log, id}
		r, err := projections.Open(t.Context(), cfg)
		if err != nil {
			return nil, err
		}
		defer closed(t, r)
		r.Start()
		of.catchUp(r)
		return dump(t, r), nil
	}
	first, err := open(f, "") // of a version that did not note it, or with a log without ids
	if err != nil {
		t.Fatal(err)
	}
	if again, err := open(f, "first"); err != nil || len(again) != len(first) {
		t.Errorf("opened again: %d rows of %d (%v)", len(again), len(first), err)
	}
	if _, err := open(other, "second"); err == nil || !strings.Contains(err.Error(), "from first, and the log has second") {
		t.Errorf("with another journal: %v", err)
	}
	if again, err := open(f, "first"); err != nil || len(again) != len(first) {
		t.Errorf("with its own again: %d rows of %d (%v)", len(again), len(first), err)
	}
}

// widened is a log to whose topics partitions were added.
type widened struct {
	identified
	by int32
}

func (w widened) Partitions() int32 { return w.identified.Partitions() + w.by }

// A replica does not follow a log to whose topics partitions were added, even if the configuration agrees: accounts would be in others than theirs.
func TestPartitionsWereAdded(t *testing.T) {
	f := newFixture(t)
	open := func(by int32) error {
		cfg := f.config("replica")
		cfg.Log = widened{identified{f.log, "the id"}, by}
		r, err := projections.Open(t.Context(), cfg)
		if err == nil {
			closed(t, r)
		}
		return err
	}
	if err := open(0); err != nil {
		t.Fatal(err)
	}
	if err := open(2); err == nil || !strings.Contains(err.Error(), "they had 2, and have 4") || !strings.Contains(err.Error(), "partitions = 2") {
		t.Errorf("with two more partitions: %v", err)
	}
	if err := open(0); err != nil {
		t.Errorf("opened again: %v", err)
	}
}
