package node

import (
	"testing"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/events/testkit"
)

// A jump of the system's clock is believed after it has lasted, unless other nodes speak against
// it. Small steps are followed at once.
func TestSteadyClock(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var passed, ahead time.Duration // since the start; of the system's clock
	word := cluster.Unknown
	c := &steadyClock{
		steady: func() time.Time { return start.Add(passed) },
		wall:   func() time.Time { return start.Add(passed + ahead) },
		others: func() cluster.ClockWord { return word }, logger: testkit.Silent(),
	}
	c.at, c.last = start, start
	expect := func(what string, wait, want time.Duration) {
		t.Helper()
		passed += wait
		if got := c.Now().Sub(start.Add(passed)); got != want {
			t.Errorf("%s: the clock is %s ahead, want %s", what, got, want)
		}
	}
	expect("at rest", time.Hour, 0)
	ahead = maxStep
	expect("after a step", time.Second, maxStep)
	ahead += maxStep + 1
	expect("after a jump", time.Second, maxStep)
	expect("shortly before it is believed", settleAfter-1, maxStep)
	expect("when it is believed", 1, ahead)
	ahead -= 26 * time.Hour
	expect("after a jump back", time.Second, 2*maxStep+1)
	ahead += 26 * time.Hour
	expect("when it was a mistake", 20*time.Second, ahead)
	ahead += 26 * time.Hour
	expect("after another jump", time.Second, 2*maxStep+1)
	word = cluster.Doubted
	expect("as long as others speak against it", time.Hour, 2*maxStep+1)
	word = cluster.Unknown
	expect("when they do not any more", time.Second, ahead)
	ahead -= 50 * time.Hour
	expect("after a jump back to the time of the others", time.Second, ahead+50*time.Hour)
	word = cluster.Backed
	expect("when they are asked", time.Second, ahead)
}
