package node

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"platen.dev/actors/clock"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/doctor"
)

const (
	// askAgain is the pause before other nodes are asked again about a doubted clock.
	askAgain = 100 * time.Millisecond
	// sayAgain is how often the log repeats that a clock is doubted.
	sayAgain = 10 * time.Minute
)

// nodeClock is the system's clock behind a gate. Everything that a node does because of time alone follows it (docs/decisions/0056).
type nodeClock struct {
	wall func() time.Time
	// steady never jumps: Go's time.Now, by its monotonic reading.
	steady func() time.Time
	// others returns the other nodes' testimony on the system's clock, kernel whether the kernel reports it as synchronised.
	others func() clock.Testimony
	kernel func() bool
	logger *slog.Logger

	mu    sync.Mutex
	gate  *clock.Gate // nil if wall is always believed
	asked time.Time   // by the steady clock
	said  time.Time
	doubt clock.Doubt // the doubt last logged
}

// clockOf returns the clock that a node goes by.
func clockOf(o Options, logger *slog.Logger) *nodeClock {
	wall, kernel := time.Now, kernelClock
	if o.Wall != nil {
		wall, kernel = o.Wall, func() bool { return false }
	}
	if o.Synchronised != nil {
		kernel = o.Synchronised
	}
	if o.Now != nil {
		return &nodeClock{wall: o.Now, kernel: kernel, logger: logger}
	}
	return newNodeClock(wall, kernel, logger)
}

func newNodeClock(wall func() time.Time, kernel func() bool, logger *slog.Logger) *nodeClock {
	c := &nodeClock{wall: wall, steady: time.Now, kernel: kernel, logger: logger, others: func() clock.Testimony { return clock.Testimony{} }}
	c.gate = clock.New(c.read())
	return c
}

// read reads both clocks. The system's is stripped of its monotonic reading, which would hide jumps.
func (c *nodeClock) read() (steady, wall time.Time) { return c.steady(), c.wall().Round(0) }

// begin passes on the newest time on record; zero if there is none.
func (c *nodeClock) begin(newest time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	steady, wall := c.read()
	c.gate.Begin(newest, steady, wall)
	c.now()
}

// ask sets the source of the other nodes' testimony on the system's clock.
func (c *nodeClock) ask(others func() clock.Testimony) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = others
}

// Now returns the time, in UTC or local like the system's clock.
func (c *nodeClock) Now() time.Time {
	if c.gate == nil {
		return c.wall()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// Latest returns the latest that true time may be. It equals Now unless Now is held back.
func (c *nodeClock) Latest() time.Time {
	if c.gate == nil {
		return c.wall()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now()
	return c.gate.Latest()
}

func (c *nodeClock) now() time.Time {
	steady, wall := c.read()
	now, doubted := c.gate.Read(steady, wall)
	if doubted && steady.Sub(c.asked) >= askAgain {
		t := c.others()
		t.Synchronised = c.kernel()
		now, c.asked = c.gate.Judge(t), steady
	}
	c.tell(steady, now)
	return now
}

// state returns why the node does not go by the system's clock, and how far that is ahead.
func (c *nodeClock) state() (clock.Doubt, time.Duration) {
	if c.gate == nil {
		return clock.None, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now()
	return c.gate.Doubt()
}

// tell logs a changed doubt, and from time to time a lasting one.
func (c *nodeClock) tell(steady, now time.Time) {
	doubt, ahead := c.gate.Doubt()
	lasts := doubt >= clock.Held && steady.Sub(c.said) >= sayAgain
	if doubt == c.doubt && !lasts {
		return
	}
	by := ahead.Round(time.Millisecond)
	switch doubt {
	case clock.None:
		c.logger.Warn("the node follows the system clock again, after a jump or a doubt", "time", now)
	case clock.Jumped:
		c.logger.Warn("the system's clock has jumped; the node keeps the time from before", "by", by)
	case clock.Held:
		c.logger.Error("the system's clock is far ahead and nothing confirms it: the node keeps the time from before, and expires nothing early", "by", by, "time", now, "then", "platen admin clock")
	case clock.Behind:
		c.logger.Error("the system clock is behind the newest record: the node owns no partitions until it catches up", "by", -by, "then", "platen admin clock")
	}
	c.doubt, c.said = doubt, steady
}

// errClockBehind means that a node waits for its clock.
var errClockBehind = errors.New("this node's clock is behind the newest record, and nothing confirms it: keep it by NTP (chrony), and see `platen admin clock`")

// compareClock compares the system's clock with the records. It runs before anything uses the node's clock.
func compareClock(b *base, s *storage) {
	if b.clock.gate == nil || b.cfg.Dev { // on a laptop that was closed overnight nothing valuable is lost
		return
	}
	var newest time.Time
	for p := range s.log.Partitions() {
		if at := s.replica.Cursor(p).At; at > 0 && at.Time().After(newest) {
			newest = at.Time()
		}
	}
	b.clock.begin(newest)
}

// check returns why the node waits for its clock, nil if it does not.
func (c *nodeClock) check() error {
	if doubt, ahead := c.state(); doubt == clock.Behind {
		return fmt.Errorf("%w; it is %s behind", errClockBehind, -ahead.Round(time.Second))
	}
	return nil
}

// held returns how far the system's clock is ahead of the time that the node holds, or behind the newest record, in seconds; 0 if the node goes by
// it, or will within seconds.
func (c *nodeClock) held() float64 {
	if doubt, ahead := c.state(); doubt >= clock.Held {
		return ahead.Seconds()
	}
	return 0
}

// show returns the clock's state for operators.
func (c *nodeClock) show() admin.ClockState {
	doubt, ahead := c.state()
	return admin.ClockState{Node: c.Now().UTC(), System: c.wall().UTC(), Doubt: doubts[doubt], AheadSeconds: ahead.Seconds(), Synchronised: c.kernel()}
}

// accept takes the system's clock as it is.
func (c *nodeClock) accept() {
	if c.gate == nil {
		return
	}
	c.logger.Warn("an operator has accepted the system's clock", "time", c.wall())
	c.mu.Lock()
	defer c.mu.Unlock()
	steady, wall := c.read()
	c.gate.Accept(steady, wall)
	c.tell(steady, wall)
}

var doubts = map[clock.Doubt]string{clock.None: "", clock.Jumped: "jumped", clock.Held: "held", clock.Behind: "behind"}

// kernelClock reports whether the kernel says that something synchronises its clock.
func kernelClock() bool {
	state, err := doctor.KernelClock()
	return err == nil && state.Synchronised
}
