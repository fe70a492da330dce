package account

import (
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Admit decides whether the account may have one more charged job now. If so, it reserves a
// unit of the current quota window.
func Admit(s State, job events.JobID, now events.Instant, limitsOf LimitsFunc) ([]events.Event, events.Reply) {
	use := UsageAt(s, now, limitsOf)
	switch {
	case use.Running >= use.Limits.Running:
		return nil, events.Reply{
			Code: events.ConcurrencyLimit, RetryAfter: 5,
			Concurrency: &events.Concurrency{Plan: s.Plan, Limit: use.Limits.Running, InFlight: use.Running},
		}
	case use.Reserved+use.Used >= use.Limits.Jobs:
		return refuse(events.QuotaExceeded)
	case use.Bytes >= use.Limits.Bytes:
		return nil, events.Reply{Code: events.QuotaBytesExceeded, RetryAfter: now.SecondsUntil(use.WindowEnd)}
	}
	return append(opened(s, use), events.QuotaReserved{Job: job, Window: use.WindowStart}), accepted
}

// opened returns the event that begins the window of a usage, or none if the window has begun.
func opened(s State, use Usage) []events.Event {
	if use.WindowStart == s.Window {
		return nil
	}
	return []events.Event{events.WindowOpened{Window: use.WindowStart, End: use.WindowEnd}}
}

// Usage is what an account uses of its limits in one quota window.
type Usage struct {
	WindowStart, WindowEnd events.Instant
	// Running counts the unfinished charged jobs of all windows.
	Running int64
	// Reserved and Used count units: Reserved those of unfinished jobs, Used those of finished ones.
	// Bytes is the total size of the finished files. Corrections count in Used and Bytes, so these may
	// be negative.
	Reserved, Used int64
	Bytes          int64
	// Limits are those of the plan, including extra blocks of volume.
	Limits Limits
}

// UsageAt returns the usage in the quota window that contains now. If a clock runs behind, the
// window is never earlier than that of the last accepted job.
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

// AdmitTest decides whether the account may have one more test job now. One limit applies to any 60
// seconds, one to each UTC day (docs/API.md, Test mode).
func AdmitTest(s State, job events.JobID, now events.Instant) ([]events.Event, events.Reply) {
	recent := s.Tests.within(now)
	if len(recent) >= contract.TestsPerMinute {
		return nil, events.Reply{Code: events.TestLimit, RetryAfter: now.SecondsUntil(recent[0].Add(time.Minute))}
	}
	if day := dayOf(now); s.Tests.Day >= day && s.Tests.Count >= contract.TestsPerDay {
		return nil, events.Reply{Code: events.TestLimit, RetryAfter: now.SecondsUntil(events.Instant((s.Tests.Day + 1) * dayMillis))}
	}
	return accept(events.TestCounted{Job: job})
}

// within returns the instants of the test jobs in the minute that ends now, oldest first.
func (t Tests) within(now events.Instant) []events.Instant {
	return slices.DeleteFunc(slices.Sorted(slices.Values(t.Recent)), func(at events.Instant) bool { return at.Add(time.Minute) <= now })
}

// counted returns t after one more test job. The clocks of nodes differ a little, so a test job
// stamped before midnight counts for the new day if that has begun.
func (t Tests) counted(at events.Instant) Tests {
	if day := dayOf(at); day > t.Day {
		t.Day, t.Count = day, 0
	}
	t.Count++
	t.Recent = append(t.within(at), at)
	return t
}

// On returns the number of test jobs accepted on the UTC day of an instant.
func (t Tests) On(now events.Instant) int64 {
	if t.Day != dayOf(now) {
		return 0
	}
	return t.Count
}

func dayOf(at events.Instant) int64 { return int64(at) / dayMillis }
