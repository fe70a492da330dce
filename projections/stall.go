package projections

import (
	"context"
	"fmt"
	"time"

	"platen.dev/events"
)

// A follower may stand still without an error, when a reader hangs. So every stallInterval the
// replica compares its followers with the ends of their journals, and fails after stallLimit
// consecutive checks without progress. It counts checks, not time, because a process that was
// paused must be given time to continue.
const (
	stallInterval = 5 * time.Second
	stallLimit    = 6
)

// ErrStalled means that a follower reads nothing although its journal grows.
var ErrStalled = fmt.Errorf("no record was read for %d s", stallLimit*stallInterval/time.Second)

// Stall observes a reader of a partition. The zero value has seen nothing yet.
type Stall struct {
	next   int64 // the next offset to read, at the last check
	checks int   // consecutive checks at which it was the same, and behind the end
}

// Check reports whether the reader, which reads next in a partition that ends at end, has stood
// still for limit consecutive checks.
func (s *Stall) Check(next, end int64, limit int) bool {
	if next >= end || next != s.next {
		s.next, s.checks = next, 0
		return false
	}
	s.checks++
	return s.checks >= limit
}

// watchStalls checks the followers at every tick, until ctx ends or one has stalled.
func (r *Replica) watchStalls(ctx context.Context, ticks <-chan time.Time) {
	stalls := make([]Stall, len(r.followers))
	var last look
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		lag, this := int64(0), look{at: r.cfg.Now()}
		for p, f := range r.followers {
			next := f.position().Next
			_, end, err := r.cfg.Log.Bounds(ctx, events.TopicJournal, int32(p))
			if err != nil { // the log does not answer: that may be why nothing is read
				continue
			}
			this.ends = append(this.ends, end)
			lag += max(0, end-next)
			if f.halt() != nil || f.restoring.Load() {
				stalls[p] = Stall{}
			} else if stalls[p].Check(next, end, stallLimit) {
				f.fail(fmt.Errorf("journal %d ends at offset %d, the replica is at %d: %w", p, end, next, ErrStalled))
				return
			}
		}
		r.lag.Store(lag)
		r.noteCurrent(last)
		last = this
	}
}

// look records when the ends of all journals were looked at, and where they were.
type look struct {
	at   time.Time
	ends []int64
}

// noteCurrent records that everything in the journal at a look is folded, if it is.
func (r *Replica) noteCurrent(then look) {
	if len(then.ends) < len(r.followers) {
		return
	}
	for p, f := range r.followers {
		if f.position().Next < then.ends[p] {
			return
		}
	}
	r.current.Store(then.at.Unix())
}

// Current returns the latest time, in whole seconds, for which everything then in the journal is
// known to be folded; zero before the second look.
func (r *Replica) Current() time.Time {
	if at := r.current.Load(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// Lag returns how many records of the journal the replica had not read at the last look, which
// happens every few seconds.
func (r *Replica) Lag() int64 { return r.lag.Load() }
