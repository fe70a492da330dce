package page

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen.dev/events"
)

// The lines of a chart, in pixels from its top. Widths are in percent, so that no text is ever scaled.
const (
	plotTop    = 20
	plotHeight = 150
	plotBottom = plotTop + plotHeight
	// tickHeight is the room for the days below the plot, labelHeight that for the label of the lowest line.
	tickHeight  = 24
	labelHeight = 15
	// leastHeight is the least height of a bar, so that it stays visible.
	leastHeight = 2
	// maxDays bounds the bars of a chart. No quota window has as many.
	maxDays = 400
)

// chart is a bar for each day of a window.
type chart struct {
	ID, Title, Summary string
	Top, Bottom        string // labels of the highest and the lowest line; Bottom is "" if that is zero
	Zero               string // where zero is
	Height             int
	Bars               []bar
	Ticks              []tick
}

// bar shows the charges of a day.
type bar struct {
	Address, Title   string
	X, Width, Middle string
	Parts            []part
	Corrected        bool
}

// part is the share of one group in a bar.
type part struct {
	Series    int
	Y, Height string
}

// tick is a day below the bars.
type tick struct{ X, Anchor, Text string }

// charted is a figure that a chart shows, with the words for it.
type charted struct {
	id   string
	of   func(UsageFigures) int64
	show func(int64) string
	nice func(float64) float64
}

var chartedFigures = []charted{
	{"jobs", func(f UsageFigures) int64 { return f.Jobs }, number, niceNumber},
	{"bytes", func(f UsageFigures) int64 { return f.Bytes }, events.SizeText, niceSize},
}

// charts are those of a page, none if there is nothing to draw.
func charts(u Usage) (all []chart, err error) {
	days := daysOf(u.Window)
	if len(days) == 0 || len(u.Rows) == 0 {
		return nil, nil
	}
	for _, c := range chartedFigures {
		drawn, err := c.draw(u, days)
		if err != nil {
			return nil, err
		}
		all = append(all, drawn)
	}
	return all, nil
}

// daysOf returns the days of a window in UTC. The first and the last may be partial.
func daysOf(w UsageWindow) (days []time.Time) {
	for day := w.Start.UTC().Truncate(24 * time.Hour); day.Before(w.End) && len(days) < maxDays; day = day.AddDate(0, 0, 1) {
		days = append(days, day)
	}
	return days
}

func (c charted) draw(u Usage, days []time.Time) (chart, error) {
	rows := byDay(u)
	s := c.scale(rows)
	drawn := chart{ID: c.id, Title: word("chart", c.id), Top: c.show(whole(s.hi)), Zero: pixels(s.y(0)), Ticks: ticks(days), Height: plotBottom + tickHeight}
	if s.lo < 0 {
		drawn.Bottom = c.show(whole(s.lo))
		drawn.Height += labelHeight
	}
	step := 100 / float64(len(days))
	for i, day := range days {
		if len(rows[day]) == 0 {
			continue
		}
		b := bar{
			Address: dayAddress(u.Window, day), Title: c.title(u, day, rows[day]), Parts: c.parts(u, rows[day], s),
			X: percent((float64(i) + 0.12) * step), Width: percent(0.76 * step), Middle: percent((float64(i) + 0.5) * step),
		}
		for _, r := range rows[day] {
			b.Corrected = b.Corrected || corrected(u, r)
		}
		drawn.Bars = append(drawn.Bars, b)
	}
	var err error
	drawn.Summary, err = text("usage.summary",
		"what", drawn.Title, "from", day(days[0]).Text, "to", day(days[len(days)-1]).Text,
		"total", c.show(c.of(u.Total)), "most", c.show(whole(s.most)))
	return drawn, err
}

// byDay groups the rows by day, without those of groups that do not exist.
func byDay(u Usage) map[time.Time][]UsageRow {
	days := map[time.Time][]UsageRow{}
	for _, r := range u.Rows {
		if r.Group >= 0 && r.Group < len(u.Groups) {
			days[r.Day.UTC()] = append(days[r.Day.UTC()], r)
		}
	}
	return days
}

// scale is from the lowest to the highest line; most is the highest bar. Sums are floats: they may exceed 64 bits.
type scale struct{ lo, hi, most float64 }

func (s scale) y(v float64) float64 { return plotTop + (s.hi-v)/(s.hi-s.lo)*plotHeight }

func (c charted) scale(days map[time.Time][]UsageRow) (s scale) {
	lowest := 0.0
	for _, rows := range days {
		up, down := 0.0, 0.0
		for _, r := range rows {
			v := float64(c.of(r.UsageFigures))
			up, down = up+max(v, 0), down+min(v, 0)
		}
		s.most, lowest = max(s.most, up), min(lowest, down)
	}
	s.hi, s.lo = c.nice(s.most), -c.nice(-lowest)
	if s.hi == s.lo {
		s.hi = 1
	}
	return s
}

// parts stacks the groups: charges upwards from zero, credits downwards.
func (c charted) parts(u Usage, rows []UsageRow, s scale) (parts []part) {
	up, down := 0.0, 0.0
	for _, r := range rows {
		v := float64(c.of(r.UsageFigures))
		from, to := up, up+v
		if v < 0 {
			from, to = down+v, down
			down += v
		} else {
			up += v
		}
		if v != 0 {
			top, bottom := s.y(to), s.y(from)
			if bottom-top < leastHeight && len(rows) == 1 {
				top = bottom - leastHeight
			}
			parts = append(parts, part{series(u.Groups, r.Group), pixels(top), pixels(bottom - top)})
		}
	}
	return parts
}

// title returns the tooltip of a bar.
func (c charted) title(u Usage, at time.Time, rows []UsageRow) string {
	lines := []string{day(at).Text}
	for _, r := range rows {
		lines = append(lines, groupName(u.Groups[r.Group])+": "+c.show(c.of(r.UsageFigures)))
	}
	return strings.Join(lines, "\n")
}

// corrected reports whether a row has corrections.
func corrected(u Usage, r UsageRow) bool {
	return r.Corrections != nil || r.Group >= 0 && r.Group < len(u.Groups) && u.Groups[r.Group].Kind == GroupCorrections
}

// anyCorrected reports whether any row has corrections.
func anyCorrected(u Usage) bool {
	return slices.ContainsFunc(u.Rows, func(r UsageRow) bool { return corrected(u, r) })
}

// The series that have a look of their own, after those of MostGroups groups.
const (
	// MostGroups is how many groups a chart tells apart.
	MostGroups  = 6
	otherSeries = MostGroups
	noneSeries  = MostGroups + 1
)

// series is the look of a group.
func series(groups []UsageGroup, at int) int {
	switch groups[at].Kind {
	case GroupOther:
		return otherSeries
	case GroupCorrections, GroupUntagged:
		return noneSeries
	}
	return at % MostGroups
}

// ticks are the first, the middle and the last day.
func ticks(days []time.Time) []tick {
	name := func(i int) string { return days[i].Format("2 Jan") }
	all := []tick{{"0%", "start", name(0)}}
	if n := len(days); n > 1 {
		if n > 2 {
			middle := n / 2
			all = append(all, tick{percent((float64(middle) + 0.5) * 100 / float64(n)), "middle", name(middle)})
		}
		all = append(all, tick{"100%", "end", name(n - 1)})
	}
	return all
}

// niceNumber is the next of 1, 2, 3, 4, 5, 6, 8, 10, 20 and so on; zero for nothing.
func niceNumber(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 2, 3, 4, 5, 6, 8} {
		if nice := step * unit; v <= nice {
			return nice
		}
	}
	return 10 * unit
}

// niceSize is a nice number in the unit in which a size is shown.
func niceSize(v float64) float64 {
	unit := 1.0
	for v >= 1023.95*unit && unit < 1<<40 {
		unit *= 1024
	}
	return niceNumber(v/unit) * unit
}

// whole returns the nearest int64.
func whole(v float64) int64 {
	switch {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int64(math.Round(v))
}

func pixels(v float64) string  { return strconv.FormatFloat(v, 'f', 1, 64) }
func percent(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) + "%" }

// constant is a function for templates.
func constant(n int) func() int { return func() int { return n } }
