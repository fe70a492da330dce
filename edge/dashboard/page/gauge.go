package page

import "platen.dev/events"

// gauge shows how much of a limit is used: Figure large, Text beside it.
type gauge struct {
	ID, Figure, Text string
	Used, Limit      int64
	// Level is "full" at the limit, "high" from four fifths on, else "".
	Level string
}

// gauges are the limits of an account that change while it works.
func gauges(h Home) ([]gauge, error) {
	var all []gauge
	for _, g := range []struct {
		id          string
		used, limit int64
		show        func(int64) string
	}{
		{"jobs", h.Quota.Jobs, h.Quota.JobLimit, number},
		{"bytes", h.Quota.Bytes, h.Quota.ByteLimit, events.SizeText},
		{"running", h.Running, h.Limits.Running, number},
		{"tests", h.Quota.Tests, h.Quota.TestsPerDay, number},
	} {
		shown, err := newGauge(g.id, g.used, g.limit, g.show)
		if err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

func newGauge(id string, used, limit int64, show func(int64) string) (gauge, error) {
	of, err := text("home.of", "limit", show(limit))
	return gauge{id, show(used), of, used, limit, level(used, limit)}, err
}

func level(used, limit int64) string {
	switch {
	case limit <= 0:
		return ""
	case used >= limit:
		return "full"
	case used >= limit-limit/5:
		return "high"
	}
	return ""
}
