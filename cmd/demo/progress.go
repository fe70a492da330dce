package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress shows the states of the jobs: on a terminal as one changing line, otherwise as a line
// per change.
type progress struct {
	w       io.Writer
	live    bool
	results []result
	shown   []string // the last status shown, per result
}

func newProgress(f *os.File, results []result) *progress {
	p := &progress{w: f, live: terminal(f), results: results, shown: make([]string, len(results))}
	fmt.Fprintf(p.w, "submitted %d documents\n", len(results))
	return p
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// show prints the status of result i if it has changed.
func (p *progress) show(i int) {
	r := p.results[i]
	if r.job.Status == p.shown[i] {
		return
	}
	p.shown[i] = r.job.Status
	const cleared = "\r\x1b[K"
	switch {
	case p.live && r.job.Status == "done":
		fmt.Fprintf(p.w, "%s%s\n%s", cleared, line(r), p.summary())
	case p.live:
		fmt.Fprintf(p.w, "%s%s", cleared, p.summary())
	default:
		fmt.Fprintln(p.w, line(r))
	}
}

// end leaves the live line empty.
func (p *progress) end() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func line(r result) string {
	if r.job.Status != "done" {
		return fmt.Sprintf("%-16s %-16s %s", r.operation, r.name, r.job.Status)
	}
	if r.job.Pages == 0 {
		return fmt.Sprintf("%-16s %-16s done", r.operation, r.name)
	}
	return fmt.Sprintf("%-16s %-16s done, %s", r.operation, r.name, count(r.job.Pages, "page"))
}

// summary counts the jobs in each status, in the order of a job's life.
func (p *progress) summary() string {
	var parts []string
	for _, status := range []string{"queued", "rendering", "uploading", "done", "failed"} {
		n := 0
		for _, r := range p.results {
			if r.job.Status == status || r.job.Status == "" && status == "queued" {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
