package shard

import (
	"testing"
	"time"
)

// Hosts that do not last are followed ever more slowly, up to a bound; one that lasts forgives.
func TestStrikes(t *testing.T) {
	now := time.UnixMilli(1_770_000_000_000)
	s := &supervisor{cfg: Config{Now: func() time.Time { return now }}, spawns: map[int32]spawned{7: {at: now}}}
	for _, want := range []time.Duration{500, 1000, 2000, 4000, 8000, 8000} {
		if got := s.strike(7); got != want*time.Millisecond {
			t.Errorf("waits %s, want %dms", got, want)
		}
	}
	now = now.Add(calm)
	if got := s.strike(7); got != respawnDelay {
		t.Errorf("after a calm, waits %s, want %s", got, respawnDelay)
	}
}
