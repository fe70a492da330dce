package ingest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// The longest stall is shown with its latest reason and the number of all, until nothing keeps the ledger from the partition: another one's success, or
// an append while it cannot be read on, does not end it. The log has one line for all.
func TestStalls(t *testing.T) {
	var lines bytes.Buffer
	now := noon
	s := NewStalls(func() time.Time { return now }, slog.New(slog.NewTextHandler(&lines, nil)))
	want := func(want Stall) {
		t.Helper()
		if got, _ := s.longest(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	s.Reading(3, nil)
	s.appending(3, context.Canceled)
	want(Stall{})
	s.Reading(6, errors.New("hole"))
	now = now.Add(time.Minute)
	s.appending(2, errors.New("down"))
	s.Reading(6, errors.New("still a hole"))
	s.appending(6, nil)
	s.Reading(3, nil)
	want(Stall{For: time.Minute, Partition: 6, Partitions: 2, Reason: "still a hole"})
	if s.Check(6, time.Minute) != nil || s.Check(6, time.Minute-1) == nil || s.Check(3, 0) != nil {
		t.Errorf("after a minute: %v, %v", s.Check(6, time.Minute-1), s.Check(3, 0))
	}
	s.Reading(6, nil)
	want(Stall{Partition: 2, Partitions: 1, Reason: "down"})
	s.appending(2, nil)
	want(Stall{})
	if _, failures := s.longest(); failures != 4 {
		t.Errorf("%d failures", failures)
	}
	if waiting, recovered := strings.Count(lines.String(), "is waiting"), strings.Count(lines.String(), "recovered"); waiting != 1 || recovered != 1 {
		t.Errorf("the log has %s", lines.String())
	}
}

// A stall of which nothing more is heard is of a partition that another node has taken.
func TestStallsAreForgotten(t *testing.T) {
	now := noon
	s := NewStalls(func() time.Time { return now }, slog.New(slog.DiscardHandler))
	s.appending(2, errors.New("down"))
	for range 3 {
		now = now.Add(abandoned)
		s.Reading(6, errors.New("hole"))
		if s.Check(6, -1) == nil {
			t.Error("a stall that lasts is forgotten")
		}
	}
	if got, _ := s.longest(); got.Partition != 6 || got.Partitions != 1 || got.For != 2*abandoned || s.Check(2, 0) != nil {
		t.Errorf("%+v, %v", got, s.Check(2, 0))
	}
	now = now.Add(abandoned + 1)
	if got, _ := s.longest(); got != (Stall{}) {
		t.Errorf("%+v", got)
	}
}

// A partition that cannot be read counts as stalled, though the others are appended.
func TestUnreadablePartitionStalls(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	w.usageIn(0)
	r := start(t, log, l, func(ctx context.Context, topic string, p int32) (int64, error) {
		if p == 1 {
			return 0, errFault
		}
		return l.Next(ctx, topic, p)
	})
	defer stop(t, r)
	testkit.Eventually(t, "the other partition is appended", func() bool { return r.Figures().Entries == 1 })
	testkit.Eventually(t, "it is stalled", func() bool { return r.Figures().Stalled.Reason == errFault.Error() })
	if f := r.Figures(); f.Stalled.Partition != 1 || f.Stalled.Partitions != 1 || f.Failures == 0 {
		t.Errorf("figures %+v", f)
	}
}
