package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGoalsHaveTwoSides(t *testing.T) {
	for _, c := range []struct {
		f    figure
		want string
	}{
		{figure{Value: 0.5}.atLeast(0.5), "reached"},
		{figure{Value: 0.49}.atLeast(0.5), "NOT reached"},
		{figure{Value: 50}.atMost(50), "reached"},
		{figure{Value: 51}.atMost(50), "NOT reached"},
	} {
		if got := verdict(figure{Value: 1}, c.f); got != c.want {
			t.Errorf("%v %s %v is %s, want %s", c.f.Value, c.f.Goal.Bound, c.f.Goal.Value, got, c.want)
		}
	}
}

// A ratio's rounds pair values measured side by side, however medians sort them.
func TestRowsAreWrittenWithGoalAndRounds(t *testing.T) {
	r := &results{}
	r.begin("accept")
	r.subject = "tiny"
	o := median([]outcome{{perSecond: 30, p50: time.Millisecond}, {perSecond: 10}, {perSecond: 20, p50: 2 * time.Millisecond}})
	r.ratio("the bare handler", o, median([]outcome{{perSecond: 60}, {perSecond: 40}, {perSecond: 50}}), 0.5)
	path := filepath.Join(t.TempDir(), "out", "bench.json")
	if err := r.write(path, origin{Commit: "abc"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 1 || got.Run.Commit != "abc" {
		t.Fatalf("got %s", b)
	}
	one := got.Rows[0]
	f := one.Figures[0]
	if one.Bench != "accept" || one.Subject != "tiny" || one.Name != "share of the bare handler" || f.Value != 0.4 || *f.Goal != (goal{"≥", 0.5, false}) ||
		len(f.Rounds) != 3 || f.Rounds[0] != 0.5 || f.Rounds[1] != 0.25 || f.Spread != 0.625 {
		t.Errorf("got %s", b)
	}
}

func TestGoBenchmarksAreRead(t *testing.T) {
	rows, err := goBenchmarks(strings.NewReader(`goos: linux
pkg: platen.dev/einvoice
BenchmarkParse/20_KB-2   	    1234	    900000 ns/op	  22.5 MB/s
BenchmarkParse/20_KB-2   	    1200	   1000000 ns/op	  20.0 MB/s
BenchmarkBroken-2        	    1200	   1000000
--- SKIP: BenchmarkXmllint
    x_test.go:1: skipped: 3 ns/op
PASS
pkg: platen.dev/projections
BenchmarkReplay-2  3  5 ns/op  210000 events/s
`))
	if err != nil || len(rows) != 2 {
		t.Fatalf("got %+v, error %v", rows, err)
	}
	parse, replay := rows[0], rows[1]
	if parse.Bench != "einvoice" || parse.Name != "BenchmarkParse/20_KB-2" || len(parse.Figures) != 2 || len(parse.Figures[0].Rounds) != 2 ||
		parse.Figures[0].Value != 1_000_000 || parse.Figures[0].Spread != 0.1 {
		t.Errorf("got %+v", parse)
	}
	if replay.Bench != "projections" || replay.Figures[1].Unit != "events/s" || replay.Figures[1].Value != 210_000 {
		t.Errorf("got %+v", replay)
	}
}
