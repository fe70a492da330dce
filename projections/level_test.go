package projections

import (
	"testing"

	"platen.dev/events"
)

// The level is that of the partition's first marker, or what it was raised to since; later markers
// say only what their owners could read.
func TestLevelOfAPartition(t *testing.T) {
	raise := func(epoch, cause int64, level events.Level) events.Envelope {
		return events.Envelope{Epoch: epoch, Cause: cause, Events: []events.Event{events.LevelRaised{Level: level}}}
	}
	for name, tc := range map[string]struct {
		entries []events.Entry
		want    events.Level
	}{
		"nothing":                   {nil, 1},
		"a marker that names none":  {[]events.Entry{events.Marker{}}, 1},
		"begun with a level":        {[]events.Entry{events.Marker{Level: 2}}, 2},
		"a later owner reads more":  {[]events.Entry{events.Marker{}, events.Marker{Level: 2}}, 1},
		"raised":                    {[]events.Entry{events.Marker{}, raise(0, 0, 2)}, 2},
		"raised by a zombie":        {[]events.Entry{events.Marker{}, events.Marker{}, raise(0, 0, 2)}, 1},
		"never lowered":             {[]events.Entry{events.Marker{Level: 2}, raise(0, 0, 1)}, 2},
		"not by what has no effect": {[]events.Entry{events.Marker{}, raise(0, 5, 2)}, 1},
	} {
		c := Origin()
		for offset, e := range tc.entries {
			c.Step(int64(offset), e)
		}
		if got := c.Level(); got != tc.want {
			t.Errorf("%s: level %d, want %d", name, got, tc.want)
		}
	}
}
