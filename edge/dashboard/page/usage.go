package page

import (
	"errors"
	"net/url"
	"time"

	"platen.dev/events"
)

// groupName returns the display name of a group.
func groupName(g UsageGroup) string {
	switch {
	case g.Name != "":
		return g.Name
	case g.Kind == GroupOperation:
		return word("operation", g.Value)
	case g.Value != "":
		return g.Value
	}
	return word("group", g.Kind)
}

// legendEntry is a line of a legend.
type legendEntry struct {
	Series int
	Name   string
}

// legend returns the legend of the groups; nil if there are fewer than two.
func legend(u Usage) (all []legendEntry) {
	if len(u.Groups) < 2 {
		return nil
	}
	for i, g := range u.Groups {
		all = append(all, legendEntry{series(u.Groups, i), groupName(g)})
	}
	return all
}

// allSeries are all looks that a group may have.
func allSeries() []int {
	all := make([]int, noneSeries+1)
	for i := range all {
		all[i] = i
	}
	return all
}

// groupOf is the group of a row; one without a name if there is none.
func groupOf(u Usage, r UsageRow) UsageGroup {
	if r.Group < 0 || r.Group >= len(u.Groups) {
		return UsageGroup{}
	}
	return u.Groups[r.Group]
}

// dayAddress returns the address of the entries of a day.
func dayAddress(w UsageWindow, day time.Time) string { return entriesAddress(w, day, UsageGroup{}) }

// rowAddress lists the entries of a row.
func rowAddress(u Usage, r UsageRow) string { return entriesAddress(u.Window, r.Day, groupOf(u, r)) }

// entriesAddress lists the entries of a group on a day, which the window may have a part of only.
func entriesAddress(w UsageWindow, day time.Time, g UsageGroup) string {
	from, to := day, day.AddDate(0, 0, 1)
	if from.Before(w.Start) {
		from = w.Start
	}
	if to.After(w.End) {
		to = w.End
	}
	values := url.Values{"from": {from.UTC().Format(time.RFC3339)}, "to": {to.UTC().Format(time.RFC3339)}}
	if g.Parameter != "" {
		values.Set(g.Parameter, g.Value)
	}
	return "/dashboard/usage/entries?" + values.Encode()
}

// windowOptions returns the windows to choose from.
func windowOptions(u Usage) (all []option, err error) {
	for _, w := range u.Windows {
		label, err := text("usage.earlier", "from", day(w.Start).orNone(), "to", day(w.End).orNone())
		if w.Present {
			label, err = text("usage.present", "from", day(w.Start).orNone(), "to", day(w.End).orNone())
		}
		if err != nil {
			return nil, err
		}
		all = append(all, option{windowValue(w), label})
	}
	return all, nil
}

// windowValue names a window.
func windowValue(w UsageWindow) string { return w.Start.UTC().Format(time.RFC3339) }

// orNone returns the text of a time; m may be nil.
func (m *moment) orNone() string {
	if m == nil {
		return "–"
	}
	return m.Text
}

// byOptions returns the ways to group usage.
func byOptions() []option {
	return []option{{"", word("by", "nothing")}, {"key", word("by", "key")}, {"operation", word("by", "operation")}, {"tag", word("by", "tag")}}
}

// used returns the ledger's figures beside the quota, which is known for the present window only.
func used(u Usage) ([]gauge, error) {
	return gaugesOf("charged", u.Window.Charged.Jobs, u.Window.Charged.Bytes, u.Live, u.Window.Present)
}

// liveUse returns the gauges of the live quota in the present window.
func liveUse(u Usage) ([]gauge, error) {
	return gaugesOf("live", u.Live.Jobs, u.Live.Bytes, u.Live, true)
}

func gaugesOf(prefix string, jobs, bytes int64, q Quota, limited bool) ([]gauge, error) {
	j, wrongJobs := newGauge(prefix+"-jobs", jobs, q.JobLimit, number)
	v, wrongBytes := newGauge(prefix+"-bytes", bytes, q.ByteLimit, events.SizeText)
	all := []gauge{j, v}
	if !limited {
		for i, g := range all {
			all[i] = gauge{ID: g.ID, Figure: g.Figure, Used: g.Used}
		}
	}
	return all, errors.Join(wrongJobs, wrongBytes)
}

// late reports whether the window was charged for something that happened after it, or before.
func late(u Usage) bool {
	return u.Window.Charged.Jobs != u.Total.Jobs || u.Window.Charged.Bytes != u.Total.Bytes
}
