package node

import (
	"context"
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
	// askAgain is the pause before others are asked once more about a clock that is doubted.
	askAgain = 100 * time.Millisecond
	// sayAgain is how often the log says that a clock is doubted.
	sayAgain = 10 * time.Minute
)

// nodeClock is the system's clock behind a gate. All that time alone makes a node do goes by it (docs/decisions/0056).
type nodeClock struct {
	wall func() time.Time
	// steady never jumps: Go's time.Now, by its monotonic reading.
	steady func() time.Time
	// others is what other nodes say about the system's clock, kernel whether the kernel says that something keeps it.
	others func() clock.Testimony
	kernel func() bool
	logger *slog.Logger

	mu    sync.Mutex
	gate  *clock.Gate
	asked time.Time // by the steady clock
	said  time.Time
	doubt clock.Doubt // that was logged
}

func newNodeClock(wall func() time.Time, kernel func() bool, logger *slog.Logger) *nodeClock {
	c := &nodeClock{wall: wall, steady: time.Now, kernel: kernel, logger: logger, others: func() clock.Testimony { return clock.Testimony{} }}
	c.gate = clock.New(c.read())
	return c
}

// read reads both clocks. The system's is stripped of its monotonic reading, by which jumps would not show.
func (c *nodeClock) read() (steady, wall time.Time) { return c.steady(), c.wall().Round(0) }

// begin tells the newest time on record; zero if there is none.
func (c *nodeClock) begin(newest time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	steady, wall := c.read()
	c.gate.Begin(newest, steady, wall)
	c.now()
}

// ask says who knows what other nodes say about the system's clock.
func (c *nodeClock) ask(others func() clock.Testimony) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = others
}

// Now returns the time, in UTC or local as the system's clock does.
func (c *nodeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// Latest returns the latest that true time may be.
func (c *nodeClock) Latest() time.Time {
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

// accept takes the system's clock as it is.
func (c *nodeClock) accept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	steady, wall := c.read()
	c.gate.Accept(steady, wall)
	c.tell(steady, wall)
}

// state returns why the node does not go by the system's clock, and how far that is ahead.
func (c *nodeClock) state() (clock.Doubt, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now()
	return c.gate.Doubt()
}

// tell logs a doubt that has changed, and now and then one that lasts.
func (c *nodeClock) tell(steady, now time.Time) {
	doubt, ahead := c.gate.Doubt()
	lasts := doubt >= clock.Held && steady.Sub(c.said) >= sayAgain
	if doubt == c.doubt && !lasts {
		return
	}
	by := ahead.Round(time.Millisecond)
	switch doubt {
	case clock.None:
		c.logger.Warn("the node takes over the time of the system's clock, which had jumped or was doubted", "time", now)
	case clock.Jumped:
		c.logger.Warn("the system's clock has jumped; the node goes on by the time from before", "by", by)
	case clock.Held:
		c.logger.Error("the system's clock is far ahead and nothing confirms it: the node goes on by the time from before, and expires nothing early", "by", by, "time", now, "then", "platen admin clock")
	case clock.Behind:
		c.logger.Error("the system's clock is behind the newest record: the node owns no partitions until it is there", "by", -by, "then", "platen admin clock")
	}
	c.doubt, c.said = doubt, steady
}

// errClockBehind means that a node waits for its clock.
var errClockBehind = errors.New("this node's clock is behind the newest record, and nothing confirms it: keep it by NTP (chrony), and see `platen admin clock`")

// startTime compares the system's clock with the records. Nothing before it goes by the node's clock.
func (n *Node) startTime(context.Context) error {
	if n.steady == nil || n.cfg.Dev { // on a laptop that was closed overnight nothing of worth is lost
		return nil
	}
	var newest time.Time
	for p := range n.log.Partitions() {
		if at := n.replica.Cursor(p).At; at > 0 && at.Time().After(newest) {
			newest = at.Time()
		}
	}
	n.steady.begin(newest)
	return nil
}

// doubt returns why the node does not go by the system's clock, and how far that is ahead.
func (n *Node) doubt() (clock.Doubt, time.Duration) {
	if n.steady == nil {
		return clock.None, 0
	}
	return n.steady.state()
}

// checkClock returns why the node waits for its clock, nil if it does not.
func (n *Node) checkClock() error {
	if doubt, ahead := n.doubt(); doubt == clock.Behind {
		return fmt.Errorf("%w; it is %s behind", errClockBehind, -ahead.Round(time.Second))
	}
	return nil
}

// clockHeld is how far the system's clock is ahead of the time that the node holds, or behind the newest record, in seconds;
// 0 if the node goes by it, or will within seconds.
func (n *Node) clockHeld() float64 {
	if doubt, ahead := n.doubt(); doubt >= clock.Held {
		return ahead.Seconds()
	}
	return 0
}

// Clock implements admin.Clock.
func (n *Node) Clock() admin.ClockState {
	doubt, ahead := n.doubt()
	return admin.ClockState{Node: n.now().UTC(), System: n.wall().UTC(), Doubt: doubts[doubt], AheadSeconds: ahead.Seconds(), Synchronised: n.kernel()}
}

// AcceptClock implements admin.Clock.
func (n *Node) AcceptClock() admin.ClockState {
	if n.steady != nil {
		n.logger.Warn("an operator has accepted the system's clock", "time", n.wall())
		n.steady.accept()
	}
	return n.Clock()
}

var doubts = map[clock.Doubt]string{clock.None: "", clock.Jumped: "jumped", clock.Held: "held", clock.Behind: "behind"}

// kernelClock reports whether the kernel says that something keeps its clock.
func kernelClock() bool {
	state, err := doctor.KernelClock()
	return err == nil && state.Synchronised
}
