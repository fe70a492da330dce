package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"platen.dev/cmd/bench/chart"
	"platen.dev/cmd/bench/stats"
)

// soakMeasure is a measure that must not grow.
type soakMeasure struct {
	name, unit string
	of         func(soakSample) float64
	most       allowance
}

// allowance is how much a measure may grow.
type allowance struct {
	share float64 // of its median, per hour
	job   float64 // per job, in its unit
	swing float64 // over the judged half, in its unit: its normal rise and fall
}

// anHour returns the allowed growth per hour.
func (a allowance) anHour(middle, jobs, hoursJudged float64) float64 {
	return a.share*middle + a.job*jobs + a.swing/hoursJudged
}

// A job may leave 10 KiB in the log, the replica and the ledger (docs/CAPACITY.md has the actual amounts). The databases hold trimmed data until they
// compact it, and results hold sealed contents until their jobs have ended.
var (
	diskAllowance    = allowance{job: 10.0 / 1024, swing: 128}
	resultsAllowance = allowance{job: 1.0 / 1024, swing: 8}
)

var soakMeasures = []soakMeasure{
	// The caches of the databases are bounded, and take hours to fill.
	{"memory of the node beside caches", "MiB", func(s soakSample) float64 { return mib(s.nodeBytes - s.cacheBytes) }, allowance{share: 0.05}},
	{"memory of the browsers", "MiB", func(s soakSample) float64 { return mib(s.browserBytes) }, allowance{share: 0.05}},
	{"processes", "", func(s soakSample) float64 { return float64(s.processes) }, allowance{share: 0.02}},
	{"descriptors", "", func(s soakSample) float64 { return float64(s.descriptors) }, allowance{share: 0.02}},
	{"goroutines", "", func(s soakSample) float64 { return float64(s.goroutines) }, allowance{share: 0.02}},
	{"p50 of the probe", "ms", func(s soakSample) float64 { return milliseconds(s.p50) }, allowance{share: 0.05}},
	{"p99 of the probe", "ms", func(s soakSample) float64 { return milliseconds(s.p99) }, allowance{share: 0.10}},
	{"disk beside results", "MiB", func(s soakSample) float64 { return mib(s.diskBytes()) }, diskAllowance},
	{"results beyond files made", "MiB", func(s soakSample) float64 { return mib(s.surplusBytes) }, resultsAllowance},
}

// judgement is a measure and its trend.
type judgement struct {
	soakMeasure
	values []float64
	trend  stats.Trend
}

// judge reports whether each measure stays flat; a growing one, or an unexpected failure, is an error.
func (k *soak) judge() error {
	all, err := trends(k.samples)
	if err != nil {
		return errors.Join(err, k.write(nil))
	}
	for _, j := range all {
		k.settings.out.add(j.name, fmt.Sprintf("  %-26s %s", j.name, j.note()),
			figure{Name: "slope", Unit: j.unit + "/h", Value: j.trend.Slope}.atMost(j.trend.Bound), figure{Name: "low", Unit: j.unit + "/h", Value: j.trend.Low},
			figure{Name: "high", Unit: j.unit + "/h", Value: j.trend.High}, figure{Name: "median", Unit: j.unit, Value: j.trend.Middle})
		if j.trend.Verdict() == stats.Grows {
			err = errors.Join(err, fmt.Errorf("%s: it grows by at least %.3g %s an hour, more than %.3g", j.name, j.trend.Low, j.unit, j.trend.Bound))
		}
	}
	c := k.tally.now()
	k.settings.out.add("jobs", fmt.Sprintf("  %d done, %d failed and %d refused as expected, %d unexpected", c.Done, c.Failed, c.Refused, c.Unexpected),
		figure{Name: "done", Value: float64(c.Done)}, figure{Name: "failed as expected", Value: float64(c.Failed)},
		figure{Name: "refused as expected", Value: float64(c.Refused)}, figure{Name: "unexpected", Value: float64(c.Unexpected)}.atMost(0))
	if c.Unexpected > 0 {
		err = errors.Join(err, fmt.Errorf("%d requests or jobs failed unexpectedly, first %s", c.Unexpected, k.tally.said[0]))
	}
	return errors.Join(err, k.write(all))
}

// trends returns those of all measures. It is pure.
func trends(samples []soakSample) (all []judgement, err error) {
	var hours []float64
	for _, s := range samples {
		hours = append(hours, s.after.Hours())
	}
	jobs, judged := jobsAnHour(samples), 0.0
	if len(hours) > 0 {
		judged = (hours[len(hours)-1] - hours[0]) / 2
	}
	for _, m := range soakMeasures {
		j := judgement{soakMeasure: m}
		for _, s := range samples {
			j.values = append(j.values, m.of(s))
		}
		if j.trend, err = stats.TrendOf(hours, j.values, func(middle float64) float64 { return m.most.anHour(middle, jobs, judged) }); err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// jobsAnHour returns the rate of finished jobs over the second half.
func jobsAnHour(samples []soakSample) float64 {
	if len(samples) < 2 {
		return 0
	}
	from, to := samples[len(samples)/2], samples[len(samples)-1]
	return float64(to.Done+to.Failed-from.Done-from.Failed) / max((to.after-from.after).Hours(), 1e-6)
}

// note describes the verdict.
func (j judgement) note() string {
	t := j.trend
	return fmt.Sprintf("%s: %+.3g %s/h (%+.3g to %+.3g; bound %.3g)", t.Verdict(), t.Slope, j.unit, t.Low, t.High, t.Bound)
}

// write writes samples as CSV and as a chart.
func (k *soak) write(all []judgement) error {
	if len(k.samples) == 0 {
		return nil
	}
	dir := k.settings.soakDir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	picture := os.WriteFile(filepath.Join(dir, "soak.svg"), []byte(soakChart(k.samples, all, originOf(k.settings.platen)).SVG()), 0o644)
	return errors.Join(k.writeCSV(filepath.Join(dir, "soak.csv")), picture)
}

func (k *soak) writeCSV(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := csv.NewWriter(f)
	head := []string{"seconds"}
	for _, m := range soakMeasures {
		head = append(head, m.name)
	}
	parts := slices.Sorted(maps.Keys(k.samples[len(k.samples)-1].disk))
	for _, part := range parts {
		head = append(head, "disk of "+part)
	}
	rows := [][]string{append(head, "caches", "results", "done", "failed as expected", "refused as expected", "unexpected")}
	for _, s := range k.samples {
		line := []string{strconv.Itoa(int(s.after.Seconds()))}
		for _, m := range soakMeasures {
			line = append(line, strconv.FormatFloat(m.of(s), 'f', 2, 64))
		}
		for _, part := range parts {
			line = append(line, strconv.FormatFloat(mib(s.disk[part]), 'f', 2, 64))
		}
		line = append(line, strconv.FormatFloat(mib(s.cacheBytes), 'f', 2, 64), strconv.FormatFloat(mib(s.resultBytes), 'f', 2, 64))
		for _, n := range []int{s.Done, s.Failed, s.Refused, s.Unexpected} {
			line = append(line, strconv.Itoa(n))
		}
		rows = append(rows, line)
	}
	return w.WriteAll(rows)
}

// soakChart has a panel for each measure, with its verdict if there is one, and one for the jobs.
func soakChart(samples []soakSample, all []judgement, of origin) chart.Chart {
	last := samples[len(samples)-1]
	c := chart.Chart{
		Title:    fmt.Sprintf("Soak of %.0f minutes", last.after.Minutes()),
		Subtitle: fmt.Sprintf("%s, %s, %s, %s; trends are those of the shaded half, intervals of 98 %%", of.Commit, of.CPU, of.Browser, of.Date.Format("2006-01-02")),
		From:     last.after.Minutes() / 2,
	}
	var done, failed []float64
	for _, s := range samples {
		c.Minutes = append(c.Minutes, s.after.Minutes())
		done, failed = append(done, float64(s.Done)), append(failed, float64(s.Failed+s.Refused))
	}
	for i, m := range soakMeasures {
		p := chart.Panel{Title: m.name, Unit: m.unit, Lines: []chart.Line{{}}}
		for _, s := range samples {
			p.Lines[0].Values = append(p.Lines[0].Values, m.of(s))
		}
		if all != nil {
			p.Note, p.Bad = all[i].note(), all[i].trend.Verdict() == stats.Grows
		}
		c.Panels = append(c.Panels, p)
	}
	note := fmt.Sprintf("%d unexpected", last.Unexpected)
	c.Panels = append(c.Panels, chart.Panel{
		Title: "jobs", Note: note, Bad: last.Unexpected > 0, Lines: []chart.Line{{Name: "done", Values: done}, {Name: "failed or refused as expected", Values: failed}},
	})
	return c
}
