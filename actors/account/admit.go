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

// opened is the beginning of the window of a usage, unless that has begun already.
func opened(s State, use Usage) []events.Event {
	if use.WindowStart == s.Window {
		return nil
	}
	return []events.Event{events.WindowOpened{Window: use.WindowStart, End: use.WindowEnd}}
}

// Usage counts an account's use of its limits in one quota window.
type Usage struct {
	WindowStart, WindowEnd events.Instant
	// Running counts the charged jobs that have not ended, of any window.
	Running int64
	// Reserved and Used count units: those of jobs that have not ended, and those of jobs
	// that are done. Bytes is the size of the files of the latter. Corrections count in both, so
	// they may be negative.
	Reserved, Used int64
	Bytes          int64
	// Limits are those of the plan, with the extra blocks of volume.
	Limits Limits
}

// UsageAt returns the usage in the quota window that contains now. If a clock runs behind, that
// is never a window before the one of the last accepted job.
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

// AdmitTest decides whether the account may have one more test job now. There is one limit for
// any 60 seconds, and one for each day in UTC (docs/API.md, Test mode).
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

// counted returns t after one more test job. Clocks of nodes differ a little, so a test job
// with an earlier instant counts on the day that has begun already.
func (t Tests) counted(at events.Instant) Tests {
	if day := dayOf(at); day > t.Day {
		t.Day, t.Count = day, 0
	}
	t.Count++
	t.Recent = append(t.within(at), at)
	return t
}

// On is how many test jobs were accepted on the day of an instant, in UTC.
func (t Tests) On(now events.Instant) int64 {
	if t.Day != dayOf(now) {
		return 0
	}
	return t.Count
}

func dayOf(at events.Instant) int64 { return int64(at) / dayMillis }
