package projections

import (
	"context"
	"errors"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

// A reader has stalled once it has stood still before the end for limit consecutive checks, and not
// one check earlier.
func TestStall(t *testing.T) {
	const limit = 6
	var s Stall
	still := func(checks int) (stalled bool) {
		for range checks {
			stalled = s.Check(7, 9, limit)
		}
		return stalled
	}
	s.Check(7, 9, limit)
	if still(limit - 1) {
		t.Error("stalled too early")
	}
	if s.Check(8, 9, limit) || still(1) || still(limit-1) {
		t.Error("stalled in spite of progress")
	}
	if s.Check(7, 7, limit) || still(1) || still(limit-2) {
		t.Error("stalled at the end of the journal")
	}
	if !still(limit) {
		t.Error("not stalled")
	}
}

// unbounded cannot tell, a number of times, where its partitions end.
type unbounded struct {
	eventlog.Log
	times int
}

func (u *unbounded) Bounds(ctx context.Context, topic string, partition int32) (start, end int64, err error) {
	if u.times > 0 {
		u.times--
		return 0, 0, errors.New("no leader")
	}
	return u.Log.Bounds(ctx, topic, partition)
}

// A replica that reads nothing fails after stallLimit checks. Checks at which the log cannot
// be asked do not count.
func TestAStalledReplicaFails(t *testing.T) {
	ctx := testkit.Context(t)
	l, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := eventlog.AppendWait(ctx, l, events.TopicJournal, 0, eventlog.Record{Value: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	log, failed := &unbounded{Log: l}, make(chan error, 2)
	r, err := Open(ctx, Config{Dir: t.TempDir(), Log: log, Logger: testkit.Silent(), Failed: func(err error) { failed <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // it was never started, so nothing is read
	const unknown = 3
	log.times = unknown
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() { defer close(ended); r.watchStalls(ctx, ticks) }()
	for i := range unknown + stallLimit {
		if len(failed) > 0 {
			t.Fatalf("failed before check %d", i+1)
		}
		ticks <- time.Time{} // taken when the check before it is over
	}
	<-ended
	if err := <-failed; !errors.Is(err, ErrStalled) || !errors.Is(r.Err(), ErrStalled) {
		t.Errorf("failed with %v, Err is %v", err, r.Err())
	}
}

// A follower that has failed keeps its first reason: it stands still because of that.
func TestTheFirstFailureStays(t *testing.T) {
	f := &follower{replica: &Replica{}, moved: make(chan struct{})}
	first := errors.New("disk full")
	f.fail(first)
	f.fail(ErrStalled)
	if err := f.failure(); !errors.Is(err, first) {
		t.Errorf("failed with %v, want %v", err, first)
	}
}
