package nemesis

import (
	"path/filepath"
	"testing"
	"time"
)

func TestShift(t *testing.T) {
	for _, by := range []time.Duration{0, time.Second, -time.Second, 26 * time.Hour, -26 * time.Hour} {
		before := time.Now()
		moved := shift(before, by)
		if got, want := moved.UnixNano(), before.UnixNano()+int64(by); got != want {
			t.Errorf("shifted by %s, the wall clock is off by %s", by, time.Duration(got-want))
		}
		if got := moved.Sub(before); got != 0 {
			t.Errorf("shifted by %s, the monotonic clock moved by %s", by, got)
		}
	}
}

// A node reads in its own process what the test sets in another one.
func TestClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	set, err := NewClock(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadClock(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, ahead := range []time.Duration{0, time.Hour, -time.Minute} {
		if err := set.Set(ahead); err != nil {
			t.Fatal(err)
		}
		earliest := time.Now().UnixNano() + int64(ahead)
		got := read.Now().UnixNano()
		if latest := time.Now().UnixNano() + int64(ahead); got < earliest || got > latest {
			t.Errorf("%s ahead, the clock shows %d, want %d to %d", ahead, got, earliest, latest)
		}
	}
}
