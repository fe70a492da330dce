package account

import "platen.dev/events"

// Limits holds the limits of a plan (docs/API.md, Plans and quotas).
type Limits struct {
	// Jobs and Bytes are per quota window.
	Jobs, Bytes int64
	// Running is how many charged jobs may be under way at once.
	Running int64
	// RequestsPerMinute limits the HTTP requests of an account.
	RequestsPerMinute int64
}

const gigabyte = 1 << 30

var limits = map[events.Plan]Limits{
	events.PlanFree:     {Jobs: 100, Bytes: gigabyte / 2, Running: 3, RequestsPerMinute: 10},
	events.PlanStarter:  {Jobs: 5_000, Bytes: 10 * gigabyte, Running: 15, RequestsPerMinute: 100},
	events.PlanPro:      {Jobs: 50_000, Bytes: 50 * gigabyte, Running: 50, RequestsPerMinute: 500},
	events.PlanBusiness: {Jobs: 500_000, Bytes: 300 * gigabyte, Running: 150, RequestsPerMinute: 2_000},
}

// LimitsOf returns the limits of a plan; false for an unknown plan.
func LimitsOf(plan events.Plan) (Limits, bool) {
	l, ok := limits[plan]
	return l, ok
}

// LimitsFunc returns the limits of a plan, as LimitsOf does.
type LimitsFunc func(events.Plan) (Limits, bool)
