package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// results are the rows of a run. Each is printed when it is known.
type results struct {
	bench   string // the benchmark under way
	subject string // what it measures now, if there are several subjects
	rows    []row
}

// row is a line of the report: the measurements of one thing, or a comparison of two.
type row struct {
	Bench   string   `json:"bench"`
	Subject string   `json:"subject,omitempty"`
	Name    string   `json:"name"`
	Figures []figure `json:"figures"`
	line    string   // for people
}

// figure is a number with a unit. A ratio has the unit "ratio", and is a fraction of 1.
type figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// Rounds has the value of each round, in order; Spread is the difference between the highest and the lowest, as a fraction of Value.
	Rounds []float64 `json:"rounds,omitempty"`
	Spread float64   `json:"spread,omitempty"`
	Goal   *goal     `json:"goal,omitempty"`
}

// goal is a bound of a figure.
type goal struct {
	Bound   string  `json:"bound"` // "≥", "≤" or "<"
	Value   float64 `json:"value"`
	Reached bool    `json:"reached"`
}

// inMilliseconds returns a time as a figure, inMiB a size in bytes.
func inMilliseconds(name string, d time.Duration) figure {
	return figure{Name: name, Unit: "ms", Value: milliseconds(d)}
}

func inMiB(name string, bytes int64) figure {
	return figure{Name: name, Unit: "MiB", Value: mib(bytes)}
}

// over adds the measurement of each round.
func (f figure) over(rounds []float64) figure {
	f.Rounds = rounds
	if len(rounds) > 0 && f.Value != 0 {
		f.Spread = (slices.Max(rounds) - slices.Min(rounds)) / f.Value
	}
	return f
}

func (f figure) atLeast(bound float64) figure {
	f.Goal = &goal{"≥", bound, f.Value >= bound}
	return f
}

func (f figure) atMost(bound float64) figure {
	f.Goal = &goal{"≤", bound, f.Value <= bound}
	return f
}

// verdict says whether all goals are reached.
func verdict(figures ...figure) string {
	for _, f := range figures {
		if f.Goal != nil && !f.Goal.Reached {
			return "NOT reached"
		}
	}
	return "reached"
}

// begin assigns the following rows to a benchmark.
func (r *results) begin(bench string) { r.bench, r.subject = bench, "" }

// add prints a row, and keeps it.
func (r *results) add(name, line string, figures ...figure) {
	r.rows = append(r.rows, row{r.bench, r.subject, name, figures, line})
	fmt.Println(line)
}

// side adds one side of a comparison.
func (r *results) side(name string, o outcome) {
	line := fmt.Sprintf("  %-46s %9.1f/s   p50 %-10s p99 %s", name, o.perSecond, ms(o.p50), ms(o.p99))
	figures := []figure{
		o.figure("rate", "1/s", outcome.rate),
		o.figure("p50", "ms", outcome.median),
		o.figure("p99", "ms", outcome.slow),
	}
	if o.peak > 0 {
		line += fmt.Sprintf("   peak PSS %.0f MiB", mib(o.peak))
		figures = append(figures, inMiB("peak PSS", o.peak))
	}
	r.add(name, line, figures...)
}

func (o outcome) rate() float64   { return o.perSecond }
func (o outcome) median() float64 { return milliseconds(o.p50) }
func (o outcome) slow() float64   { return milliseconds(o.p99) }

// figure returns a figure of an outcome and its rounds.
func (o outcome) figure(name, unit string, of func(outcome) float64) figure {
	var rounds []float64
	for _, round := range o.rounds {
		rounds = append(rounds, of(round))
	}
	return figure{Name: name, Unit: unit, Value: of(o)}.over(rounds)
}

// ratio adds our rate as a fraction of another's.
func (r *results) ratio(name string, ours, bare outcome, goal float64) {
	f := quotient("share", ours, bare, outcome.rate).atLeast(goal)
	r.add("share of "+name, fmt.Sprintf("  = %.0f %% of %s (goal ≥ %.0f %%: %s)", 100*f.Value, name, 100*goal, verdict(f)), f)
}

// quotient divides a figure of ours by another's, whose rounds were measured side by side.
func quotient(name string, ours, bare outcome, of func(outcome) float64) figure {
	var rounds []float64
	for i := range min(len(ours.rounds), len(bare.rounds)) {
		rounds = append(rounds, of(ours.rounds[i])/of(bare.rounds[i]))
	}
	return figure{Name: name, Unit: "ratio", Value: of(ours) / of(bare)}.over(rounds)
}

// record is the written result of a run.
type record struct {
	Run  origin `json:"run"`
	Rows []row  `json:"rows"`
}

// write writes all rows as JSON.
func (r *results) write(path string, of origin) error {
	b, err := json.MarshalIndent(record{of, r.rows}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
