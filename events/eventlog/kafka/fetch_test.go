package kafka

import (
	"errors"
	"strings"
	"testing"

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
