package node

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/clock"
)

// A node's clock logs its doubt once and then every ten minutes, and asks others at most ten times a second.
func TestNodeClock(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var passed, ahead time.Duration // since the start; of the system's clock
	var said strings.Builder
	asked, synchronised := 0, false
	c := newNodeClock(func() time.Time { return start.Add(passed + ahead) }, func() bool { return synchronised }, slog.New(slog.NewTextHandler(&said, nil)))
	c.steady = func() time.Time { return start.Add(passed) }
	c.gate = clock.New(c.read())
	c.ask(func() clock.Testimony { asked++; return clock.Testimony{} })
	expect := func(what string, wait, want time.Duration, questions, lines int) {
		t.Helper()
		passed += wait
		if got := c.Now().Sub(start.Add(passed)); got != want || asked != questions || strings.Count(said.String(), "\n") != lines {
			t.Errorf("%s: the clock is %s ahead, want %s; %d questions, want %d; lines, want %d:\n%s", what, got, want, asked, questions, lines, said.String())
		}
	}
	c.begin(start)
	expect("at rest", time.Hour, 0, 0, 0)
	ahead = 25 * time.Hour
	expect("after a jump", time.Second, 0, 1, 1)
	expect("at once again", askAgain-1, 0, 1, 1)
	expect("a little later", 1, 0, 2, 1)
	expect("before it says so again", sayAgain-askAgain-1, 0, 3, 1)
	expect("when it does", 1, 0, 3, 2)
	synchronised = true
	expect("when it is confirmed", time.Second, ahead, 4, 3)
	ahead -= 2 * time.Second
	expect("after a small jump", time.Second, ahead+2*time.Second, 5, 4)
	expect("before that has settled", clock.SettleAfter-1, ahead+2*time.Second, 6, 4)
	expect("when it has", time.Second, ahead, 7, 5)
}
