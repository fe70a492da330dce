// Package chart draws small multiples of measures over time as SVG, readable on a light and a dark background. It is pure.
package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Panel is one measure, or several of the same unit, over time.
type Panel struct {
	Title, Unit string
	Lines       []Line
	// Note is the verdict; Bad highlights it.
	Note string
	Bad  bool
}

// Line is a measure; its name may be empty if it is alone in its panel. Its values belong to the times of the chart.
type Line struct {
	Name   string
	Values []float64
}

// Chart is a page of panels. All times are in minutes; From is the time from which panels are judged.
type Chart struct {
	Title, Subtitle string
	Minutes         []float64
	From            float64
	Panels          []Panel
}

// Sizes, in pixels.
const (
	columns     = 2
	panelWidth  = 460
	panelHeight = 196
	plotLeft    = 52
	plotWidth   = 380
	plotTop     = 48
	plotHeight  = 112
	header      = 64
)

// style has the colours for both backgrounds.
const style = `<style>
svg { --ground: #ffffff; --ink: #1f2328; --quiet: #656d76; --grid: #e4e7eb; --half: #f3f5f8; --one: #2563b8; --two: #b4530a; --bad: #b3261e; background: var(--ground) }
@media (prefers-color-scheme: dark) {
svg { --ground: #14171c; --ink: #e6e9ee; --quiet: #98a1ad; --grid: #2b3038; --half: #1c2027; --one: #78a9f5; --two: #eba35c; --bad: #ff8a80 } }
text { font: 12px system-ui, sans-serif; fill: var(--quiet) }
.title { font-size: 18px; font-weight: 600; fill: var(--ink) }
.name { font-size: 13px; font-weight: 600; fill: var(--ink) }
.bad { fill: var(--bad); font-weight: 600 }
.grid { stroke: var(--grid) }
.half { fill: var(--half) }
polyline { fill: none; stroke-width: 1.5; stroke-linejoin: round }
.one { stroke: var(--one) } .two { stroke: var(--two) }
text.one { stroke: none; fill: var(--one) } text.two { stroke: none; fill: var(--two) }
</style>
`

// SVG draws the chart.
func (c Chart) SVG() string {
	rows := (len(c.Panels) + columns - 1) / columns
	width, height := columns*panelWidth+20, header+rows*panelHeight+10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(c.Title))
	b.WriteString(style)
	text(&b, 16, 28, "title", "start", c.Title)
	text(&b, 16, 48, "", "start", c.Subtitle)
	for i, p := range c.Panels {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", i%columns*panelWidth, header+i/columns*panelHeight)
		c.panel(&b, p)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c Chart) panel(b *strings.Builder, p Panel) {
	text(b, 16, 20, "name", "start", p.Title)
	class := ""
	if p.Bad {
		class = "bad"
	}
	text(b, 16, 36, class, "start", p.Note)
	end := c.end()
	if half := c.x(c.From, end); c.From < end {
		fmt.Fprintf(b, `<rect class="half" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", half, plotTop, plotLeft+plotWidth-half, plotHeight)
	}
	step := roundStep(top(p.Lines), 3)
	most := step * math.Max(1, math.Ceil(top(p.Lines)/step))
	for v := 0.0; v <= most*1.001; v += step {
		at := y(v, most)
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", plotLeft, plotLeft+plotWidth, at, at)
		text(b, plotLeft-6, at+4, "", "end", number(v))
	}
	text(b, plotLeft+plotWidth, 20, "", "end", p.Unit)
	for m, step := 0.0, roundStep(end, 6); m <= end*1.001; m += step {
		text(b, c.x(m, end), plotTop+plotHeight+16, "", "middle", number(m)+" min")
	}
	names := float64(plotLeft + plotWidth)
	for i, line := range p.Lines {
		c.line(b, line, i, most, end, names)
		names -= float64(7*len(line.Name) + 12)
	}
}

// line draws a measure, and its name in the same colour up to nameAt.
func (c Chart) line(b *strings.Builder, line Line, i int, most, end, nameAt float64) {
	class := []string{"one", "two"}[i%2]
	var points []string
	for i, v := range line.Values {
		points = append(points, fmt.Sprintf("%.1f,%.1f", c.x(c.Minutes[i], end), y(v, most)))
	}
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(points, " "))
	if line.Name != "" {
		text(b, nameAt, 36, class, "end", line.Name)
	}
}

func (c Chart) end() float64 {
	if len(c.Minutes) == 0 {
		return 1
	}
	return math.Max(c.Minutes[len(c.Minutes)-1], 0.1)
}

func (c Chart) x(minute, end float64) float64 { return plotLeft + plotWidth*minute/end }

// y returns where a value is drawn; negative values are drawn at zero.
func y(v, most float64) float64 {
	return plotTop + plotHeight*(1-math.Max(v, 0)/most)
}

// top returns the largest value of lines.
func top(lines []Line) float64 {
	most := 0.0
	for _, l := range lines {
		for _, v := range l.Values {
			most = math.Max(most, v)
		}
	}
	return most
}

// roundStep returns the distance between round marks up to a value, with at most the given number of marks: 1, 2 or 5 times a power of ten.
func roundStep(most float64, marks int) float64 {
	if most <= 0 {
		return 1
	}
	rough := most / float64(marks)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= rough*0.999 {
			return factor * power
		}
	}
	return 10 * power
}

func number(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func text(b *strings.Builder, x, y float64, class, anchor, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, html.EscapeString(s))
}
