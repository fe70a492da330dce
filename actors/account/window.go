package account

import (
	"time"

	"platen.dev/events"
)

// windowStart returns the start of the quota window that contains now. Windows run month by
// month from the anchor, in UTC. In a month without the anchor's day they begin on the last day
// (docs/API.md, Plans and quotas). An instant before the anchor counts to the first window.
func windowStart(anchor, now events.Instant) events.Instant {
	if now <= anchor {
		return anchor
	}
	a, n := anchor.Time(), now.Time()
	months := (n.Year()-a.Year())*12 + int(n.Month()-a.Month())
	if start := monthsAfter(a, months); start <= now {
		return start
	}
	return monthsAfter(a, months-1)
}

// WindowAt returns when the quota window of an account that contains now began.
func WindowAt(s State, now events.Instant) events.Instant { return windowStart(s.Anchor, now) }

// windowEnd returns the end of the quota window that began at start.
func windowEnd(anchor, start events.Instant) events.Instant {
	a, s := anchor.Time(), start.Time()
	months := (s.Year()-a.Year())*12 + int(s.Month()-a.Month())
	if end := monthsAfter(a, months); end > start { // true if the anchor has moved since
		return end
	}
	return monthsAfter(a, months+1)
}

func monthsAfter(anchor time.Time, months int) events.Instant {
	first := time.Date(anchor.Year(), anchor.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	day := min(anchor.Day(), last)
	clock := time.Duration(anchor.UnixMilli()%dayMillis+dayMillis) * time.Millisecond % (24 * time.Hour)
	return events.At(first.AddDate(0, 0, day-1).Add(clock))
}

const dayMillis = 24 * 60 * 60 * 1000
