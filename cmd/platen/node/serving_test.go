package node

import "testing"

// Bodies get a sixteenth of the memory, and at least 256 MiB.
func TestBodyBytes(t *testing.T) {
	for memory, want := range map[int64]int64{0: leastBodies, 4 << 30: leastBodies, 4<<30 + 16: leastBodies + 1, 64 << 30: 4 << 30} {
		if got := bodyBytes(memory); got != want {
			t.Errorf("of %d bytes got %d for bodies, want %d", memory, got, want)
		}
	}
}
