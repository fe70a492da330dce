package projections

import (
	"testing"

	"platen.dev/events"
)

// A partition names its timeline with the first marker that has one, and begins another after a restore, and where the journal lacks published facts.
// Numbers count the facts of the journal, and rise over timelines.
func TestTimelineOfAPartition(t *testing.T) {
	marker := func(id events.TimelineID, published int64, restored bool) events.Marker {
		return events.Marker{Timeline: id, At: 5, Published: published, Restored: restored}
	}
	facts := func(epoch, cause int64) events.Envelope { // two of them
		return events.Envelope{Epoch: epoch, Cause: cause, At: 5, Events: []events.Event{events.AccountCreated{}, events.KeyUsed{}, events.WindowOpened{}}}
	}
	for name, tc := range map[string]struct {
		entries  []events.Entry
		timeline events.TimelineID
		number   int64
	}{
		"nothing":                           {nil, "", 0},
		"behind a marker that was salvaged": {[]events.Entry{events.Marker{}, facts(0, 0)}, "", 0},
		"a new one":                         {[]events.Entry{marker("a", 0, false), facts(0, 0)}, "a", 2},
		"void facts do not count":           {[]events.Entry{marker("a", 0, false), facts(0, 0), facts(0, 5), facts(1, 1)}, "a", 2},
		"the next owner names another":      {[]events.Entry{marker("a", 0, false), facts(0, 0), marker("b", 0, false), facts(2, 1)}, "a", 4},
		"named by a later owner":            {[]events.Entry{events.Marker{}, facts(0, 0), marker("b", 0, false), facts(2, 1)}, "b", 5003},
		"restored":                          {[]events.Entry{marker("a", 0, false), facts(0, 0), marker("b", 0, true), facts(2, 1)}, "b", 5003},
		"all that is published":             {[]events.Entry{marker("a", 0, false), facts(0, 0), marker("b", 2, false), facts(2, 1)}, "a", 4},
		"less than is published":            {[]events.Entry{marker("a", 0, false), facts(0, 0), marker("b", 3, false), facts(2, 1)}, "b", 5003},
		"more than the clock counts":        {[]events.Entry{marker("a", 0, false), facts(0, 0), marker("b", 1e15, false), facts(2, 1)}, "b", 1e15 + 3},
	} {
		c := Origin()
		for offset, e := range tc.entries {
			c.Step(int64(offset), e)
		}
		if c.Timeline != tc.timeline || c.Number != tc.number {
			t.Errorf("%s: timeline %q and number %d, want %q and %d", name, c.Timeline, c.Number, tc.timeline, tc.number)
		}
	}
}
