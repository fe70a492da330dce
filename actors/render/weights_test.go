package render

import (
	"testing"
	"time"

	"platen.dev/events"
)

// A weight is looked up once within its life, and again after it.
func TestWeights(t *testing.T) {
	asked, plan, now := 0, 2, time.Now()
	w := newWeights(func(events.AccountID) int { asked++; return plan })
	w.now = func() time.Time { return now }
	for range 3 {
		if got := w.get("acc"); got != 2 {
			t.Errorf("the weight is %d", got)
		}
	}
	plan = 8
	if now = now.Add(weightLife); w.get("acc") != 2 || asked != 1 {
		t.Errorf("it is forgotten too early: asked %d times", asked)
	}
	if now = now.Add(1); w.get("acc") != 8 || asked != 2 {
		t.Errorf("it is remembered too long: asked %d times", asked)
	}
	if got := newWeights(nil).get("acc"); got != 1 {
		t.Errorf("without weights, all have %d", got)
	}
}
