package admin

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"platen.dev/edge/usage"
	"platen.dev/ledger"
)

func text(s string) *string { return &s }

// The output names its source, is aligned, and lets no caller's text control the terminal.
func TestShowReport(t *testing.T) {
	r := usage.Report{
		From: "2026-03-01T00:00:00Z", To: "2026-04-01T00:00:00Z", TimeZone: "UTC", Bucket: "day", GroupBy: []ledger.Dimension{ledger.ByOperation, ledger.ByTag("Name")},
		Rows: []usage.Row{
			{Start: "2026-03-02T00:00:00Z", Operation: text("html-to-pdf"), Tags: map[string]string{"Name": "Mü\x1b[31mller"}, Figures: usage.Figures{Units: 1200, Bytes: 34_567_890, Entries: 1200}},
			{Start: "2026-03-03T00:00:00Z", Operation: text(""), Tags: map[string]string{"Name": ""}, Figures: usage.Figures{Units: -300, Bytes: -1, Entries: 1}},
			{Start: "2026-03-04T00:00:00Z", Operation: text("html-to-image"), Tags: map[string]string{"Name": "x"}, Figures: usage.Figures{Entries: 2}},
		},
		Total: usage.Figures{Units: 900, Bytes: 34_567_889, Entries: 1203},
	}
	want := `Usage of account acc_a in the ledger, which is what is billed. It is some seconds behind;
the live quota is shown by: platen admin account usage acc_a

2026-03-01T00:00:00Z to 2026-04-01T00:00:00Z, by day, UTC

UNITS       BYTES  ENTRIES  DAY         OPERATION      tag:Name
1,200  34,567,890    1,200  2026-03-02  html-to-pdf    Mü\x1b[31mller
 -300          -1        1  2026-03-03  -              -
    0           0        2  2026-03-04  html-to-image  x
  900  34,567,889    1,203  total

render units
2026-03-02 html-to-pdf Mü\x1b…  1,200  █████████████████████
2026-03-03 - -                   -300  ░░░░░
2026-03-04 html-to-image x          0
`
	if got := showReport("acc_a", r, 60); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := showReport("acc_a", usage.Report{Bucket: "total"}, 60); strings.Contains(got, "render units\n") || !strings.Contains(got, "0      0        0  total") {
		t.Errorf("without rows:\n%s", got)
	}
}

// Lines are at most as wide as the terminal, if it has room for a bar at all.
func TestChartWidth(t *testing.T) {
	labels := []string{strings.Repeat("long ", 30), "a"}
	for _, width := range []int{40, 80, 200} {
		for _, values := range [][]int64{{1, 2}, {math.MinInt64, math.MaxInt64}, {0, 0}, {1, 1_000_000}} {
			longest := 0
			for _, line := range strings.Split(chart(labels, values, width), "\n") {
				longest = max(longest, utf8.RuneCountInString(line))
			}
			if longest > width && values[0] != math.MinInt64 {
				t.Errorf("width %d, values %v: a line has %d characters", width, values, longest)
			}
		}
	}
	if got := chart([]string{"a", "b"}, []int64{1, 1_000_000}, 40); strings.Count(got, "\n") != 2 || !strings.Contains(got, "  1  █\n") {
		t.Errorf("a small value has no bar:\n%s", got)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := grouped(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
