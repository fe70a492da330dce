package rate

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// window is the sliding window of one account: a ring of the instants of its requests, no longer
// than the limit. Refused requests are not counted, so a client that keeps asking gets in again as
// soon as its oldest requests leave the window.
type window struct {
	ring  []events.Instant
	first int
	count int
	// last is the latest instant seen. If a clock runs back, time stands still here.
	last events.Instant
}

// take counts one request if the limit allows it.
func (w *window) take(now events.Instant, limit int64) events.Rate {
	now = w.advance(now)
	allowed := int64(w.count) < limit
	if allowed {
		w.push(now)
	}
	return w.rate(allowed, now, limit)
}

// add counts a request that was allowed elsewhere.
func (w *window) add(now events.Instant) { w.push(w.advance(now)) }

// empty reports whether no request is in the window.
func (w *window) empty(now events.Instant) bool {
	w.advance(now)
	return w.count == 0
}

// advance drops the requests that are older than the window, and returns the instant that counts as
// now.
func (w *window) advance(now events.Instant) events.Instant {
	now = max(now, w.last)
	w.last = now
	for w.count > 0 && w.ring[w.first].Add(contract.RateWindow) <= now {
		w.first = (w.first + 1) % len(w.ring)
		w.count--
	}
	return now
}

func (w *window) push(now events.Instant) {
	if w.count == len(w.ring) {
		w.grow()
	}
	w.ring[(w.first+w.count)%len(w.ring)] = now
	w.count++
}

func (w *window) grow() {
	ring := make([]events.Instant, max(8, 2*len(w.ring)))
	n := copy(ring, w.ring[w.first:])
	copy(ring[n:], w.ring[:w.first])
	w.ring, w.first = ring, 0
}

func (w *window) rate(allowed bool, now events.Instant, limit int64) events.Rate {
	rate := events.Rate{Allowed: allowed, Limit: limit, Remaining: max(0, limit-int64(w.count)), Reset: now}
	if w.count > 0 {
		rate.Reset = w.ring[w.first].Add(contract.RateWindow)
	}
	return rate
}
