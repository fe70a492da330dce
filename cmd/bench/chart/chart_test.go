package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSVGIsWellFormedAndHasEveryLine(t *testing.T) {
	c := Chart{Title: `A "soak" & more`, Minutes: []float64{0, 5, 10}, From: 5, Panels: []Panel{
		{Title: "Memory", Unit: "MiB", Lines: []Line{{"node", []float64{1, 2, 3}}, {"browsers", []float64{4, 5, 6}}}, Note: "a < b"},
		{Title: "Nothing", Lines: []Line{{"", []float64{0, 0, 0}}}, Bad: true, Note: "grows"},
	}}
	svg := c.SVG()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(svg, "<polyline"); got != 3 {
		t.Errorf("it has %d lines", got)
	}
	for _, want := range []string{"A &#34;soak&#34; &amp; more", "a &lt; b", `class="bad"`, "prefers-color-scheme: dark", `points="52.0,141.3 242.0,122.7 432.0,104.0"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("it lacks %s:\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("it has a value that is not a number")
	}
}

func TestAChartOfNothing(t *testing.T) {
	svg := Chart{Panels: []Panel{{Title: "empty", Lines: []Line{{}}}}}.SVG()
	if strings.Contains(svg, "NaN") || !strings.Contains(svg, "empty") {
		t.Errorf("got %s", svg)
	}
}

func TestStepsAreRound(t *testing.T) {
	for most, want := range map[float64]float64{0: 1, 0.5: 0.2, 3: 1, 3.1: 2, 6: 2, 7: 5, 29: 10, 150: 50, 1500: 500, 2900: 1000} {
		if got := roundStep(most, 3); got < want*0.999 || got > want*1.001 {
			t.Errorf("up to %v, steps of %v, want %v", most, got, want)
		}
	}
}
