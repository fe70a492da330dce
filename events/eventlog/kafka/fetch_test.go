package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
)

// A missing record is an error that says where it is, by the offsets of the log, unless it was trimmed, or good records come before it.
func TestGap(t *testing.T) {
	journal := &topic{name: "platen.journal", bases: map[int32]int64{5: 1000}}
	err := journal.gapError(5, 66, 67, 0, 0)
	if !errors.Is(err, errGap) || transient(err) || !strings.HasPrefix(err.Error(), "record 1066 of platen.journal/5 is missing, 1067 follows: ") {
		t.Errorf("without a record: %v", err)
	}
	if err := journal.gapError(5, 66, 67, 67, 0); !errors.Is(err, eventlog.ErrTrimmed) {
		t.Errorf("of trimmed records: %v", err)
	}
	if err := journal.gapError(5, 66, 67, 0, 1); err != nil {
		t.Errorf("after a good record: %v", err)
	}
}

// The queue of a slow reader is bounded by the whole size of its records, with keys and headers.
func TestQueueIsBounded(t *testing.T) {
	s := &subscription{wake: make(chan struct{}, 1)}
	for offset := range int64(100) {
		s.deliver([]*kgo.Record{{Offset: offset, Headers: []kgo.RecordHeader{{Key: "x", Value: make([]byte, queueBytes/8)}}}}, nil)
	}
	records, _, ended := s.take()
	if len(records) < 8 || len(records) > 10 || !ended {
		t.Errorf("%d records wait, and the subscription has ended: %t", len(records), ended)
	}
}
