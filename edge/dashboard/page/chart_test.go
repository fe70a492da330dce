package page

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
)

var chartStart = time.Date(2026, 1, 12, 8, 30, 0, 0, time.UTC)

// charting returns a window of some days with rows.
func charting(days int, groups int, rows ...UsageRow) Usage {
	u := Usage{Window: UsageWindow{Start: chartStart, End: chartStart.AddDate(0, 0, days)}, Rows: rows}
	for i := range groups {
		u.Groups = append(u.Groups, UsageGroup{Kind: GroupKey, Parameter: "key_id", Value: "key_" + strconv.Itoa(i)})
	}
	return u
}

// on returns what was charged on a day of the window.
func on(day, group int, jobs int64) UsageRow {
	at := time.Date(2026, 1, 12+day, 0, 0, 0, 0, time.UTC)
	return UsageRow{Day: at, Group: group, UsageFigures: UsageFigures{Jobs: jobs, Bytes: jobs, Entries: 1}}
}

// jobsChart returns the first chart of a page.
func jobsChart(t *testing.T, u Usage) chart {
	t.Helper()
	all, err := charts(u)
	if err != nil || len(all) != 2 || all[0].ID != "jobs" || all[1].ID != "bytes" {
		t.Fatalf("got %+v, %v", all, err)
	}
	return all[0]
}

// measured returns a number of pixels or percent.
func measured(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("%q is not a length", text)
	}
	return v
}

func TestChartOfNothing(t *testing.T) {
	for name, u := range map[string]Usage{
		"no rows": charting(31, 1), "no window": {Rows: []UsageRow{{}}, Groups: []UsageGroup{{}}},
		"ends before it begins": charting(-2, 1, on(0, 0, 1)),
	} {
		if all, err := charts(u); all != nil || err != nil {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
	if c := jobsChart(t, charting(31, 1, on(3, 0, 0))); len(c.Bars) != 1 || len(c.Bars[0].Parts) != 0 || c.Zero != "170.0" {
		t.Errorf("a day whose entries add up to nothing: %+v", c)
	}
	if c := jobsChart(t, charting(31, 1, on(90, 0, 1), on(2, 7, 1), on(2, -1, 1))); len(c.Bars) != 0 {
		t.Errorf("a day outside of the window, and groups that do not exist: %+v", c.Bars)
	}
}

// A bar links to the entries of its day, clipped to the window.
func TestChartOfOneDay(t *testing.T) {
	u := charting(0, 1, on(0, 0, 4))
	u.Window.End = chartStart.Add(time.Hour)
	c := jobsChart(t, u)
	want := bar{
		Address: "/dashboard/usage/entries?from=2026-01-12T08%3A30%3A00Z&to=2026-01-12T09%3A30%3A00Z", Title: "12 Jan 2026\nkey_0: 4",
		X: "12.000%", Width: "76.000%", Middle: "50.000%", Parts: []part{{0, "20.0", "150.0"}},
	}
	if len(c.Bars) != 1 || !reflect.DeepEqual(c.Bars[0], want) {
		t.Errorf("got %+v, want %+v", c.Bars, want)
	}
	if c.Top != "4" || c.Bottom != "" || len(c.Ticks) != 1 || c.Ticks[0].Text != "12 Jan" {
		t.Errorf("labels %q, %q, %v", c.Top, c.Bottom, c.Ticks)
	}
}

// A window that begins and ends within a day shows both days; the axis labels the first, a middle and the last one.
func TestChartTicks(t *testing.T) {
	for days, want := range map[int]string{1: "12 Jan 13 Jan", 2: "12 Jan 13 Jan 14 Jan", 31: "12 Jan 28 Jan 12 Feb"} {
		var got []string
		for _, tick := range jobsChart(t, charting(days, 1, on(0, 0, 1))).Ticks {
			got = append(got, tick.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d days: %q, want %s", days, got, want)
		}
	}
}

// Corrections extend below zero, and are marked.
func TestChartOfCorrections(t *testing.T) {
	u := charting(31, 2, on(0, 0, 6), on(0, 1, -2), on(1, 1, -3))
	u.Groups[1] = UsageGroup{Kind: GroupCorrections, Parameter: "key_id"}
	c := jobsChart(t, u)
	if c.Top != "6" || c.Bottom != "-3" || c.Zero != "120.0" || c.Height != plotBottom+tickHeight+labelHeight {
		t.Errorf("from %s to %s, zero at %s", c.Top, c.Bottom, c.Zero)
	}
	if got, want := c.Bars[0].Parts, []part{{0, "20.0", "100.0"}, {noneSeries, "120.0", "33.3"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !c.Bars[0].Corrected || !c.Bars[1].Corrected || c.Bars[1].Parts[0].Height != "50.0" {
		t.Errorf("got %+v", c.Bars)
	}
	only := charting(31, 1, on(0, 0, -7))
	only.Rows[0].Corrections = &UsageFigures{Jobs: -7}
	if c := jobsChart(t, only); c.Top != "0" || c.Zero != "20.0" || !c.Bars[0].Corrected {
		t.Errorf("nothing but a correction: %+v", c)
	}
}

// Bars stay within the plot, whatever the numbers, and the smallest is visible.
func TestChartOfExtremes(t *testing.T) {
	u := charting(3, 2, on(0, 0, math.MaxInt64), on(0, 1, math.MaxInt64), on(1, 0, math.MinInt64), on(1, 1, math.MinInt64), on(2, 0, 1))
	c := jobsChart(t, u)
	for _, b := range c.Bars {
		for _, p := range b.Parts {
			if y, h := measured(t, p.Y), measured(t, p.Height); y < plotTop-leastHeight || y+h > plotBottom+0.2 || h <= 0 {
				t.Errorf("%s: from %v, %v high", b.Title, y, h)
			}
		}
	}
	if small := c.Bars[2].Parts[0]; small.Height != "2.0" {
		t.Errorf("the smallest is %s high", small.Height)
	}
	if c.Top != "9,223,372,036,854,775,807" || c.Bottom != "-9,223,372,036,854,775,808" {
		t.Errorf("from %s to %s", c.Bottom, c.Top)
	}
	long := charting(100_000, 1, on(0, 0, 1))
	if days := daysOf(long.Window); len(days) != maxDays {
		t.Errorf("%d bars", len(days))
	}
}

// Each of six groups, the remaining ones, and entries without a group are styled differently.
func TestChartSeries(t *testing.T) {
	u := charting(1, MostGroups)
	u.Groups = append(u.Groups, UsageGroup{Kind: GroupOther}, UsageGroup{Kind: GroupUntagged, Parameter: "tag:a"})
	seen := map[int]bool{}
	for _, line := range legend(u) {
		seen[line.Series] = true
	}
	if len(seen) != len(allSeries()) || len(legend(u)) != len(seen) {
		t.Errorf("%v for %d groups", seen, len(u.Groups))
	}
	if got := legend(charting(1, 1)); got != nil {
		t.Errorf("one group has the legend %v", got)
	}
}

func TestNice(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, -1: 0, 1: 1, 7: 8, 9: 10, 11: 20, 100: 100, 101: 200, 351: 400, 9e18: 9e18 + 1e18} {
		if got := niceNumber(v); got != want {
			t.Errorf("above %v is %v, not %v", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0 B", 5: "5 B", 1000: "1000 B", 1024: "1.0 KB", 1500: "2.0 KB", 700 << 10: "800.0 KB", 1 << 50: "2000.0 TB"} {
		if got := events.SizeText(whole(niceSize(v))); got != want {
			t.Errorf("above %v is %s, not %s", v, got, want)
		}
	}
}

// The link to a group's entries filters by its value, whatever the value is.
func TestEntriesAddress(t *testing.T) {
	u := charting(31, 0)
	got := entriesAddress(u.Window, chartStart.AddDate(0, 0, 2), UsageGroup{Kind: GroupTag, Parameter: "tag:a", Value: "x&y=z#"})
	if want := "/dashboard/usage/entries?from=2026-01-14T08%3A30%3A00Z&tag%3Aa=x%26y%3Dz%23&to=2026-01-15T08%3A30%3A00Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
