package browserpool

import "testing"

// A process gets a slot's share of the machine, within bounds.
func TestDataBound(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		memory int64
		slots  int
		want   int64
	}{
		{2 * gib, 5, gib},
		{5 * gib, 5, gib},
		{5*gib + 5, 5, gib + 1},
		{10 * gib, 5, 2 * gib},
		{15*gib - 5, 5, 3*gib - 1},
		{15 * gib, 5, 3 * gib},
		{256 * gib, 65, 3 * gib},
	} {
		if got := dataBound(c.memory, c.slots); got != c.want {
			t.Errorf("%d bytes for %d slots: got %d, want %d", c.memory, c.slots, got, c.want)
		}
	}
	if got := machineMemory(); got < gib/4 {
		t.Errorf("this machine has %d bytes", got)
	}
}
