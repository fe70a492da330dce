package main

import (
	"fmt"
	"math"
	"strings"
)

// book returns the long document, in Markdown: mathematical tables, computed so that every page differs and every run prints the same.
func book() string {
	var b strings.Builder
	b.WriteString("# Mathematical tables\n\nTo seven significant digits, as they were printed before there were calculators. The contents lead to every table.\n\n## Contents\n\n")
	for _, c := range chapters {
		fmt.Fprintf(&b, "- %s\n", link(c.title))
		for first := 0; first < c.rows; first += rowsPerTable {
			fmt.Fprintf(&b, "  - %s\n", link(c.heading(first)))
		}
	}
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.about)
		for first := 0; first < c.rows; first += rowsPerTable {
			c.writeTable(&b, first)
		}
	}
	return b.String()
}

// rowsPerTable is the number of rows under one heading.
const rowsPerTable = 50

// chapter tabulates functions of x, starting at from.
type chapter struct {
	title, about string
	name         string // of x
	rows         int
	from, step   float64
	functions    []function
}

type function struct {
	name string
	of   func(x float64) float64
}

var chapters = []chapter{
	{"Powers and roots", "Of whole numbers.", "n", 600, 1, 1, []function{
		{"n²", func(n float64) float64 { return n * n }},
		{"n³", func(n float64) float64 { return n * n * n }},
		{"√n", math.Sqrt},
		{"∛n", math.Cbrt},
	}},
	{"Logarithms", "To the base of ten, and natural ones.", "x", 450, 1, 0.02, []function{
		{"lg x", math.Log10},
		{"ln x", math.Log},
		{"1/x", func(x float64) float64 { return 1 / x }},
	}},
	{"Circular functions", "Of angles in degrees, below 90.", "α", 360, 0, 0.25, []function{
		{"sin α", func(a float64) float64 { return math.Sin(a * math.Pi / 180) }},
		{"cos α", func(a float64) float64 { return math.Cos(a * math.Pi / 180) }},
		{"tan α", func(a float64) float64 { return math.Tan(a * math.Pi / 180) }},
		{"radians", func(a float64) float64 { return a * math.Pi / 180 }},
	}},
}

// x returns the argument of a row.
func (c chapter) x(row int) float64 { return c.from + float64(row)*c.step }

// heading names the table that begins with a row.
func (c chapter) heading(first int) string {
	return fmt.Sprintf("%s from %.4g to %.4g", c.title, c.x(first), c.x(min(first+rowsPerTable, c.rows)-1))
}

func (c chapter) writeTable(b *strings.Builder, first int) {
	fmt.Fprintf(b, "\n### %s\n\n| %s |", c.heading(first), c.name)
	for _, f := range c.functions {
		fmt.Fprintf(b, " %s |", f.name)
	}
	b.WriteString("\n|" + strings.Repeat("---|", 1+len(c.functions)) + "\n")
	for row := first; row < min(first+rowsPerTable, c.rows); row++ {
		fmt.Fprintf(b, "| %.4g |", c.x(row))
		for _, f := range c.functions {
			fmt.Fprintf(b, " %.7g |", f.of(c.x(row)))
		}
		b.WriteString("\n")
	}
}

// link returns a link to a heading.
func link(heading string) string {
	anchor := strings.NewReplacer(" ", "-", ".", "").Replace(strings.ToLower(heading))
	return fmt.Sprintf("[%s](#%s)", heading, anchor)
}
