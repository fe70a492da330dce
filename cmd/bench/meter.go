package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"platen.dev/events"
)

// reading counts what a node has used and written since its start.
type reading struct {
	at time.Time
	// node is the processor time of the node, in seconds, browsers that of the processes it has started.
	node, browsers float64
	// bytes and records count what was appended to each topic of the log, unpublished the journal records whose events are not published.
	bytes, records map[string]float64
	unpublished    float64
	// files is the total size of the files made.
	files float64
}

// read reads a node's metrics, and the processor times of its browsers.
func (p *process) read() (r reading, err error) {
	families, err := p.metrics()
	if err != nil {
		return r, err
	}
	r = reading{at: time.Now(), bytes: map[string]float64{}, records: map[string]float64{}}
	for _, m := range families["process_cpu_seconds_total"].GetMetric() {
		r.node = m.GetCounter().GetValue()
	}
	for _, m := range families["platen_events_unpublished_records"].GetMetric() {
		r.unpublished = m.GetGauge().GetValue()
	}
	for _, m := range families["platen_log_appended_bytes_total"].GetMetric() {
		r.bytes[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
	}
	for _, m := range families["platen_log_append_seconds"].GetMetric() {
		r.records[m.GetLabel()[0].GetValue()] = float64(m.GetHistogram().GetSampleCount())
	}
	r.files = filesMade(families)
	r.browsers, err = descendantsTime(p.cmd.Process.Pid)
	return r, err
}

// metrics reads a node's metrics.
func (p *process) metrics() (map[string]*dto.MetricFamily, error) {
	text, err := newClient(p).get("/metrics")
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

// filesMade returns the total size of the files that jobs made, in bytes.
func filesMade(families map[string]*dto.MetricFamily) (total float64) {
	for _, m := range families["platen_render_result_bytes"].GetMetric() {
		total += m.GetHistogram().GetSampleSum()
	}
	return total
}

// ticksPerSecond is the unit of times in /proc (USER_HZ), the same on every architecture that Go runs on.
const ticksPerSecond = 100

// descendantsTime returns the processor time of the processes below one, in seconds, including ended ones.
func descendantsTime(root int) (seconds float64, err error) {
	for _, pid := range family(root) {
		fields, ok := processFields(pid)
		if !ok {
			continue // it has ended, so its time is its parent's
		}
		times := fields[11:15] // own user and system time, and those of children that were waited for (proc_pid_stat(5))
		if pid == root {
			times = fields[13:15]
		}
		for _, field := range times {
			ticks, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
			}
			seconds += ticks / ticksPerSecond
		}
	}
	return seconds, nil
}

// since returns the amounts used and written since an earlier reading.
func (r reading) since(before reading) reading {
	diff := func(now, then map[string]float64) map[string]float64 {
		d := map[string]float64{}
		for topic := range now {
			d[topic] = now[topic] - then[topic]
		}
		return d
	}
	return reading{
		at: r.at, node: r.node - before.node, browsers: r.browsers - before.browsers, files: r.files - before.files,
		bytes: diff(r.bytes, before.bytes), records: diff(r.records, before.records),
	}
}

const (
	// A node has settled when nothing has changed at settleLooks looks, settlePause apart; it gets a minute.
	settleLooks    = 4
	settlePause    = 250 * time.Millisecond
	settlePatience = time.Minute
)

// settle waits until the node has written everything that follows from the requests, and returns a reading at that time.
func (p *process) settle() (last reading, err error) {
	same := 0
	for deadline := time.Now().Add(settlePatience); same < settleLooks; {
		time.Sleep(settlePause)
		r, err := p.read()
		if err != nil {
			return r, err
		}
		if r.unpublished == 0 && r.records[events.TopicJournal] == last.records[events.TopicJournal] {
			same++
		} else {
			same = 0
		}
		last = r
		if time.Now().After(deadline) {
			return r, errors.New("the node does not come to rest")
		}
	}
	return last, nil
}

// idleTime returns the processor time that the node and its browsers use per second without work.
func (p *process) idleTime() (node, browsers float64, err error) {
	before, err := p.settle()
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(3 * time.Second)
	after, err := p.read()
	seconds := after.at.Sub(before.at).Seconds()
	used := after.since(before)
	return used.node / seconds, used.browsers / seconds, err
}
