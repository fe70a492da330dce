package render

import (
	"time"

	"platen.dev/events"
)

// Report is how an attempt went, as far as it came.
type Report struct {
	Operation events.Operation
	Lane      events.Lane
	// Code is the error that ended the attempt; "" when there is a file.
	Code events.ErrorCode
	// Wait is from the job's acceptance until the attempt had its page; negative for
	// an attempt that needed none.
	Wait time.Duration
	// Load is what the page took to load, Made to be printed or captured, Finish what
	// came after in this process, Store until the file was durable. A step that was
	// not reached has 0.
	Load, Made, Finish, Store time.Duration
	// Size is the file's in bytes, Pages how many it has; zero for images.
	Size  int64
	Pages int
}

// noteWait notes how long a job waited for its page, by the clock of the node that
// accepted it and by this one's.
func (a *attempt) noteWait(submit events.Submission) {
	a.report.Operation = submit.Operation
	a.report.Wait = max(0, a.started.Sub(a.accepted))
	if submit.Test || a.accepted.IsZero() {
		a.report.Wait = -1
	}
}

func (a *attempt) observe(code events.ErrorCode) {
	a.report.Code = code
	if a.cfg.Observe != nil {
		a.cfg.Observe(a.report)
	}
}

// Counts are of jobs that were rendered elsewhere than where they belong.
type Counts struct {
	// HandedOver were taken by another node, Refused were not; TakenBack were handed
	// over, and not begun before the node was gone or the patience at its end.
	HandedOver, Refused, TakenBack int64
	// TakenOver were taken from another node.
	TakenOver int64
}

// Figures is a renderer at one moment. The counts never go down.
type Figures struct {
	Load   Load
	Counts Counts
}

// load is this node's.
func (d *dispatcher) load() Load {
	l := Load{Slots: d.cfg.Slots, Draining: d.retiring, Taken: d.counts.TakenOver}
	for in := range lanes {
		l.Running[in], l.Queued[in] = d.runningIn(in), len(d.queues[in])
	}
	return l
}

// report publishes the figures, and tells the other nodes of another load.
func (d *dispatcher) report() {
	l := d.load()
	d.figures.Store(&Figures{l, d.counts})
	if d.cfg.Peers != nil && l != d.told {
		d.told = l
		d.cfg.Peers.Tell(l)
	}
}
