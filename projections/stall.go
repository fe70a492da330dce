package projections

import (
	"context"
	"fmt"
	"time"

	"platen.dev/events"
)

// A follower may stand still without an error, when a reader hangs. Then the replica
// compares its followers with the ends of their journals, every stallInterval, and fails
// after stallLimit checks in a row without progress. It counts checks, not time, because a
// process that was paused must be given time to continue.
const (
	stallInterval = 5 * time.Second
	stallLimit    = 6
)

// ErrStalled means that a follower reads nothing although its journal continues.
var ErrStalled = fmt.Errorf("no record was read for %d s", stallLimit*stallInterval/time.Second)

// Stall observes a reader of a partition. The zero value has seen nothing yet.
type Stall struct {
	next   int64 // the next offset to read, at the last check
	checks int   // in a row at which it was the same, and behind the end
}

// Check reports whether the reader, with the offset next to read in a partition that ends at end,
// has stood still for limit checks in a row.
func (s *Stall) Check(next, end int64, limit int) bool {
	if next >= end || next != s.next {
		s.next, s.checks = next, 0
		return false
	}
	s.checks++
	return s.checks >= limit
}

// watchStalls checks the followers with every tick, until ctx ends or one has stalled.
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
			if err != nil { // the log cannot be asked: that may be why nothing is read
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

// look is when the ends of all journals were looked at, and where they were.
type look struct {
	at   time.Time
	ends []int64
}

// noteCurrent notes that everything that was in the journal at a look is folded, if it is.
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

// Current returns the latest time, in whole seconds, for which it is known that everything that was
// in the journal then is folded; zero before the second look.
func (r *Replica) Current() time.Time {
	if at := r.current.Load(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// Lag returns how many records of the journal the replica had not read at the last look, which it
// takes every few seconds.
func (r *Replica) Lag() int64 { return r.lag.Load() }
