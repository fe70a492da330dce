package account

import (
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Admit says whether the account may have one more charged job now, and
// reserves its unit in the current window.
func Admit(s State, job events.JobID, now events.Instant, limitsOf LimitsFunc) ([]events.Event, events.Reply) {
	use := UsageAt(s, now, limitsOf)
	switch {
	case use.Running >= use.Limits.Running:
		return nil, events.Reply{Code: events.ConcurrencyLimit, RetryAfter: 5}
	case use.Reserved+use.Used >= use.Limits.Jobs:
		return refuse(events.QuotaExceeded)
	case use.Bytes >= use.Limits.Bytes:
		return nil, events.Reply{Code: events.QuotaBytesExceeded, RetryAfter: now.Until(use.WindowEnd)}
	}
	return one(events.QuotaReserved{Job: job, Window: use.WindowStart})
}

// Usage is an account's standing in the quota window that holds a moment.
type Usage struct {
	WindowStart, WindowEnd  events.Instant
	Running, Reserved, Used int64
	Bytes                   int64
	// Limits are the plan's, extra volume included.
	Limits Limits
}

// UsageAt is the usage at a moment. The window of the last accepted job counts until
// a later one has begun, also for a clock that runs behind.
func UsageAt(s State, now events.Instant, limitsOf LimitsFunc) Usage {
	limits, _ := limitsOf(s.Plan)
	if s.Plan == events.PlanBusiness {
		limits.Bytes += s.Blocks * gigabyte
	}
	start := max(s.Window, windowStart(s.Anchor, now))
	use := Usage{WindowStart: start, WindowEnd: windowEnd(s.Anchor, start), Running: s.Running, Limits: limits}
	if start == s.Window {
		use.Reserved, use.Used, use.Bytes = s.Reserved, s.Used, s.Bytes
	}
	return use
}

// AdmitTest decides whether the account may have one more test job now: there is a limit
// for any 60 seconds and one for a UTC day (docs/API.md, Test mode).
func AdmitTest(s State, job events.JobID, now events.Instant) ([]events.Event, events.Reply) {
	recent := s.Tests.within(now)
	if len(recent) >= contract.TestsPerMinute {
		return nil, events.Reply{Code: events.TestLimit, RetryAfter: now.Until(recent[0].Add(time.Minute))}
	}
	if day := dayOf(now); s.Tests.Day >= day && s.Tests.Count >= contract.TestsPerDay {
		return nil, events.Reply{Code: events.TestLimit, RetryAfter: now.Until(events.Instant((s.Tests.Day + 1) * dayMillis))}
	}
	return one(events.TestCounted{Job: job})
}

// within are the test jobs of the minute that ends now, oldest first.
func (t Tests) within(now events.Instant) []events.Instant {
	return slices.DeleteFunc(slices.Sorted(slices.Values(t.Recent)), func(at events.Instant) bool { return at.Add(time.Minute) <= now })
}

// counted is t after one more test job at the given instant. Clocks of nodes differ
// a little: a day that has begun does not end again.
func (t Tests) counted(at events.Instant) Tests {
	if day := dayOf(at); day > t.Day {
		t.Day, t.Count = day, 0
	}
	t.Count++
	t.Recent = append(t.within(at), at)
	return t
}

func dayOf(at events.Instant) int64 { return int64(at) / dayMillis }
