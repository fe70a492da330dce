// Package clock decides which time a node goes by. A node deletes files, forgets jobs and moves quota windows by its clock, and none of that can be
// undone: one wrong reading would be enough. The Gate therefore follows the system's clock only in small steps, and believes a larger one only once
// it is confirmed.
package clock

import "time"

const (
	// MaxStep is how far the system's clock may step without being doubted: NTP slews it, or steps it by less.
	MaxStep = time.Second
	// SettleAfter is how long a clock that has jumped must run on steadily before it is believed. A cluster has
	// compared its clocks long before.
	SettleAfter = 30 * time.Second
	// MaxUnproven is how far ahead of the proven time a clock may be without being confirmed. A real-time clock kept in local time is off by an hour or
	// more; a restart takes less than half an hour.
	MaxUnproven = 30 * time.Minute
	// MaxLatest bounds how much a held clock may advance Latest: a file made meanwhile is kept for that much longer.
	MaxLatest = 30 * 24 * time.Hour
	// MaxBehind is how far a clock may be behind the newest record: the clocks of owners differ a little.
	MaxBehind = 5 * time.Second
)

// Word is the verdict of the other nodes on a system's clock.
type Word int

// Unknown means that no other node was measured, or that the nodes disagree. A Doubted clock differs from those of most other nodes; a Backed one
// shows the time that most others go by.
const (
	Unknown Word = iota
	Doubted
	Backed
)

// Testimony is the evidence about the system's clock at a moment, besides its reading.
type Testimony struct {
	Word Word
	// Others is how far the time of the other nodes is ahead of the system's clock, if Known is set.
	Others time.Duration
	Known  bool
	// Synchronised is set if the kernel reports that something synchronises the clock.
	Synchronised bool
}

// Doubt is why a node does not simply go by the system's clock.
type Doubt int

// A clock that has Jumped is believed once it has settled. One that is Held is so far ahead of the node's time that it
// has to be confirmed. One that is Behind the newest record is waited for.
const (
	None Doubt = iota
	Jumped
	Held
	Behind
)

// Gate decides the time, without a clock or I/O. It is fed the readings of two clocks: the system's, and a steady one that never jumps. When in
// doubt, its time is early, never late: things expire late rather than early.
type Gate struct {
	now, at time.Time     // the time at the last reading, and the steady clock then
	ahead   time.Duration // of the system's clock, at the last reading
	doubt   Doubt
	since   time.Time // by the steady clock: since when the system's clock has run steadily
	first   bool      // nothing has confirmed a clock since the start
	newest  time.Time // the newest record, which a clock that is Behind has to reach
}

// New returns a gate that believes its first reading, until Begin.
func New(steady, wall time.Time) *Gate { return &Gate{now: wall, at: steady} }

// Begin compares the first reading with the newest time on record, which true time has reached at least. The zero time means that there are no
// records, and so nothing to lose.
func (g *Gate) Begin(newest, steady, wall time.Time) {
	g.follow(steady, wall)
	switch ahead := wall.Sub(newest); {
	case newest.IsZero():
	case ahead < -MaxBehind:
		g.doubt, g.newest, g.ahead, g.since = Behind, newest, ahead, steady
	case ahead > MaxUnproven:
		g.hold(newest, steady, wall)
	}
}

// hold continues from a time that records prove.
func (g *Gate) hold(from, steady, wall time.Time) {
	*g = Gate{now: from, at: steady, doubt: Held, ahead: wall.Sub(from), first: true}
	g.since = steady.Add(-SettleAfter) // the clock was at this reading before anybody looked
}

// Read takes a reading and returns the time to go by. If the system's clock is doubted, Judge may know a better time.
func (g *Gate) Read(steady, wall time.Time) (now time.Time, doubted bool) {
	if g.doubt == Behind {
		return g.await(steady, wall)
	}
	g.now, g.at = g.now.Add(steady.Sub(g.at)), steady
	ahead := wall.Sub(g.now)
	switch moved := ahead - g.ahead; {
	case ahead.Abs() <= MaxStep:
		g.follow(steady, wall)
		return g.now, false
	case g.doubt == None || moved.Abs() > MaxStep:
		g.since = steady
	}
	g.ahead, g.doubt = ahead, Jumped
	if ahead > MaxUnproven {
		g.doubt = Held
	}
	return g.now, true
}

// await goes by the system's clock until it has reached the newest record: a waiting node owns nothing. A clock that jumps far beyond the record is
// held.
func (g *Gate) await(steady, wall time.Time) (now time.Time, doubted bool) {
	g.now, g.at, g.ahead = wall, steady, wall.Sub(g.newest)
	proven := g.newest.Add(steady.Sub(g.since))
	switch {
	case g.ahead < -MaxBehind:
	case wall.Sub(proven) > MaxUnproven:
		g.hold(proven, steady, wall)
	default:
		g.follow(steady, wall)
	}
	return g.now, g.doubt != None
}

// Judge weighs the evidence about the system's clock as of the last reading, and returns the time to go by.
func (g *Gate) Judge(t Testimony) (now time.Time) {
	switch {
	case g.doubt == None:
	case g.believes(t):
		g.follow(g.at, g.system())
	case g.first && g.doubt == Held && t.Known:
		g.joinOthers(t.Others)
	}
	return g.now
}

func (g *Gate) believes(t Testimony) bool {
	switch {
	case t.Word != Unknown:
		return t.Word == Backed
	case g.doubt == Jumped:
		return g.settled()
	case g.doubt == Held:
		return t.Synchronised && g.settled()
	}
	return t.Synchronised
}

func (g *Gate) settled() bool { return g.at.Sub(g.since) >= SettleAfter }

// joinOthers takes over the time of nodes that started earlier and are also holding their clocks: it is later than the records prove, and staying
// behind it would set the nodes apart.
func (g *Gate) joinOthers(ahead time.Duration) {
	if step := g.system().Add(ahead).Sub(g.now); step > MaxStep && ahead < 0 {
		g.now, g.ahead = g.now.Add(step), g.ahead-step
	}
}

// Latest returns the latest that true time may be, as of the last reading: the time itself or, if the clock is held, that clock's reading. Anything
// made now must last its full time even if the held clock turns out to be right.
func (g *Gate) Latest() time.Time {
	if g.doubt != Held {
		return g.now
	}
	return g.now.Add(min(g.ahead, MaxLatest))
}

// Accept takes the system's clock as it is, regardless of evidence.
func (g *Gate) Accept(steady, wall time.Time) { g.follow(steady, wall) }

func (g *Gate) follow(steady, wall time.Time) {
	*g = Gate{now: wall, at: steady}
}

// system is the system's clock at the last reading.
func (g *Gate) system() time.Time {
	if g.doubt == Behind {
		return g.now
	}
	return g.now.Add(g.ahead)
}

// Doubt returns why the node does not go by the system's clock, as of the last reading, and how far that clock is ahead of the node's time. If the
// clock is Behind, the difference is to the newest record, and negative.
func (g *Gate) Doubt() (Doubt, time.Duration) { return g.doubt, g.ahead }
