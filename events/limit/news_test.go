package limit_test

import (
	"testing"
	"time"

	"platen.dev/events/limit"
)

// A reason is said once, again after a while, and at once if it is another. That it is over is said as often.
func TestNews(t *testing.T) {
	var n limit.News
	if n.Over() {
		t.Error("something is over that was never said")
	}
	begin := time.Unix(1000, 0)
	for i, step := range []struct {
		reason string // "" if it is over
		after  time.Duration
		want   bool
	}{
		{"full", 0, true},
		{"full", 59 * time.Second, false},
		{"gone", 59 * time.Second, true},
		{"gone", 60 * time.Second, false},
		{"gone", 119 * time.Second, true},
		{"", 120 * time.Second, true},
		{"", 121 * time.Second, false},
		{"gone", 122 * time.Second, false},
		{"", 123 * time.Second, false}, // works and fails in turn
		{"gone", 179 * time.Second, true},
		{"", 180 * time.Second, true},
	} {
		got := false
		if now := begin.Add(step.after); step.reason == "" {
			got = n.Over()
		} else {
			got = n.Is(step.reason, now, time.Minute)
		}
		if got != step.want {
			t.Errorf("step %d, %q: %v", i, step.reason, got)
		}
	}
}
