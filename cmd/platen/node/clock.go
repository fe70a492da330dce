package node

import (
	"log/slog"
	"sync"
	"time"

	"platen.dev/actors/cluster"
)

const (
	// maxStep is how far the system's clock may step without being doubted: NTP slews it, or
	// steps it by less.
	maxStep = time.Second
	// settleAfter is how long a clock that has jumped must go on from there before the node
	// believes it. A cluster has compared its clocks long before.
	settleAfter = 30 * time.Second
)

// steadyClock is the system's clock, except that a jump is believed only when other nodes go by
// that time, or after a while if none speaks against it: for one second of a wrong time all files
// would be expired and deleted, and accounts moved to other quota windows. Until then time goes on
// steadily from before the jump.
type steadyClock struct {
	wall func() time.Time
	// steady never jumps: Go's time.Now, by its monotonic reading.
	steady func() time.Time
	// others is what other nodes say about the system's clock.
	others func() cluster.ClockWord
	logger *slog.Logger

	mu sync.Mutex
	// last is the time at the last reading, and at is when that was.
	last, at time.Time
	jumped   time.Time // when the jump was first seen; zero without one
}

func newSteadyClock(wall func() time.Time, logger *slog.Logger) *steadyClock {
	c := &steadyClock{wall: wall, steady: time.Now, others: func() cluster.ClockWord { return cluster.Unknown }, logger: logger}
	c.at, c.last = c.steady(), wall().Round(0)
	return c
}

// ask says who knows what other nodes say about the system's clock.
func (c *steadyClock) ask(others func() cluster.ClockWord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = others
}

// Now returns the time, in UTC or local as the system's clock does.
func (c *steadyClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, wall := c.steady(), c.wall().Round(0)
	now := c.last.Add(at.Sub(c.at))
	step := wall.Sub(now)
	switch {
	case step.Abs() <= maxStep:
		now, c.jumped = wall, time.Time{}
	case c.jumped.IsZero():
		c.jumped = at
		c.logger.Warn("the system's clock has jumped; the node goes on by the time from before", "by", step.Round(time.Millisecond))
	case c.believes(at):
		c.logger.Warn("the node takes over the time of the system's clock, which has jumped", "by", step.Round(time.Millisecond))
		now, c.jumped = wall, time.Time{}
	}
	c.last, c.at = now, at
	return now
}

// believes reports whether a jump is to be followed.
func (c *steadyClock) believes(at time.Time) bool {
	word := c.others()
	return word == cluster.Backed || word == cluster.Unknown && at.Sub(c.jumped) >= settleAfter
}
