package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// readGoBenchmarks adds the output of `go test -bench` in a file, without printing it again.
func (r *results) readGoBenchmarks(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	rows, err := goBenchmarks(f)
	r.rows = append(r.rows, rows...)
	return errors.Join(err, f.Close())
}

// goBenchmarks reads benchmarks in the format of package testing, including their own units: a benchmark that was run several times is one row with
// as many rounds.
func goBenchmarks(printed io.Reader) (rows []row, err error) {
	pkg := ""
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			pkg = strings.TrimPrefix(name, "platen.dev/")
		}
		name, figures := goBenchmark(lines.Text())
		if figures == nil {
			continue
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.Bench == pkg && r.Name == name })
		if i < 0 {
			i, rows = len(rows), append(rows, row{Bench: pkg, Name: name})
		}
		rows[i].Figures = joined(rows[i].Figures, figures)
	}
	return rows, lines.Err()
}

// goBenchmark reads a line: name, iterations, and pairs of value and unit. No figures means that the line is something else.
func goBenchmark(line string) (name string, figures []figure) {
	words := strings.Fields(line)
	if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
		return "", nil
	}
	if _, err := strconv.Atoi(words[1]); err != nil {
		return "", nil
	}
	for pair := range slices.Chunk(words[2:], 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil || len(pair) < 2 {
			return "", nil
		}
		figures = append(figures, figure{Name: pair[1], Unit: pair[1], Value: value})
	}
	return words[0], figures
}

// joined adds a round to figures; their value is the median round.
func joined(all, round []figure) []figure {
	for _, f := range round {
		i := slices.IndexFunc(all, func(other figure) bool { return other.Unit == f.Unit })
		if i < 0 {
			i, all = len(all), append(all, figure{Name: f.Name, Unit: f.Unit})
		}
		rounds := append(all[i].Rounds, f.Value)
		all[i].Value = middle(rounds)
		all[i] = all[i].over(rounds)
	}
	return all
}

// middle returns the median of numbers, the upper one of an even count.
func middle(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
