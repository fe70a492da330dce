package node

import (
	"testing"

	"platen.dev/events"
)

// Bodies get a sixteenth of the memory, and at least 256 MiB.
func TestBodyBytes(t *testing.T) {
	for memory, want := range map[int64]int64{0: leastBodies, 4 << 30: leastBodies, 4<<30 + 16: leastBodies + 1, 64 << 30: 4 << 30} {
		if got := bodyBytes(memory); got != want {
			t.Errorf("of %d bytes got %d for bodies, want %d", memory, got, want)
		}
	}
}

// A node that only its own process calls counts no requests.
func TestUnlimited(t *testing.T) {
	unlimited := serving{unlimited: true} // without a limiter
	for n := range 2 {
		if rate := unlimited.count("acc", events.PlanBusiness); !rate.Allowed || rate.Limit == 0 || rate.Remaining != rate.Limit {
			t.Errorf("request %d: %+v", n, rate)
		}
	}
}
