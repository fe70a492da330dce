package rate

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// requests are those of one account in the sliding window: a ring of their
// instants, as long as the limit at most. A refused request is not one of them, so
// that a client which keeps asking is let in again when the window says so.
type requests struct {
	ring  []events.Instant
	first int
	count int
	// last is the latest instant seen: time does not run backwards here.
	last events.Instant
}

// Take counts one request if the limit allows it.
func (r *requests) Take(now events.Instant, limit int64) events.Rate {
	now = r.pass(now)
	allowed := int64(r.count) < limit
	if allowed {
		r.push(now)
	}
	return r.rate(allowed, now, limit)
}

// Note counts a request that was allowed elsewhere.
func (r *requests) Note(now events.Instant) { r.push(r.pass(now)) }

// Idle tells whether the window is empty.
func (r *requests) Idle(now events.Instant) bool {
	r.pass(now)
	return r.count == 0
}

// pass lets the requests leave that are older than the window.
func (r *requests) pass(now events.Instant) events.Instant {
	now = max(now, r.last)
	r.last = now
	for r.count > 0 && r.ring[r.first].Add(contract.RateWindow) <= now {
		r.first = (r.first + 1) % len(r.ring)
		r.count--
	}
	return now
}

func (r *requests) push(now events.Instant) {
	if r.count == len(r.ring) {
		r.grow()
	}
	r.ring[(r.first+r.count)%len(r.ring)] = now
	r.count++
}

func (r *requests) grow() {
	ring := make([]events.Instant, max(8, 2*len(r.ring)))
	n := copy(ring, r.ring[r.first:])
	copy(ring[n:], r.ring[:r.first])
	r.ring, r.first = ring, 0
}

func (r *requests) rate(allowed bool, now events.Instant, limit int64) events.Rate {
	rate := events.Rate{Allowed: allowed, Limit: limit, Remaining: max(0, limit-int64(r.count)), Reset: now}
	if r.count > 0 {
		rate.Reset = r.ring[r.first].Add(contract.RateWindow)
	}
	return rate
}
