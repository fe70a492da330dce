package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/browserpool/bare"
)

// concurrency is the number of concurrent documents.
const concurrency = 4

// jobAccounts is the number of accounts that share the jobs, as each may send 2,000 requests a minute.
const jobAccounts = 48

// kind is one way of making one document, by Platen and by the bare browser.
type kind struct {
	operation, name string
	body            map[string]any
	// bare makes a worker that does the same with only a browser.
	bare func(*bare.Browser) (func() error, error)
	// mostMemory is the goal for the peak of the node with its browsers (PSS, in bytes); 0 for none.
	mostMemory int64
}

func (k kind) title() string { return k.operation + " " + k.name }

// render compares jobs end to end (submit, poll, download) with loops over a dedicated browser:
// warm pages for HTML, a context for each URL.
func render(s settings) error {
	fmt.Printf("\njobs end to end: submit, render, store, download; concurrency %d\n", concurrency)
	b, err := openRenderBench(s, jobAccounts)
	if err != nil {
		return err
	}
	defer b.close()
	more, err := furnished(s.documents)
	if err != nil {
		return err
	}
	for _, k := range append(b.kinds, more...) {
		if !strings.Contains(k.title(), s.kind) {
			continue
		}
		s.out.subject = k.title()
		if err := b.base.compare(s, b.platen, b.keys, k); err != nil {
			return fmt.Errorf("%s: %w", k.title(), err)
		}
	}
	fmt.Print(gotenberg)
	return nil
}

// renderBench is a node with accounts, and its baseline.
type renderBench struct {
	platen *process
	keys   []string
	base   *baseline
	kinds  []kind
}

func openRenderBench(s settings, howMany int) (b renderBench, err error) {
	if b.platen, err = startPlaten(s.platen, "--egress-allow", "127.0.0.0/8"); err != nil {
		return b, err
	}
	if b.keys, err = accounts(b.platen, howMany); err == nil {
		b.base, err = openBaseline(s.documents)
	}
	if err == nil {
		b.kinds, err = b.base.kinds(s.documents)
	}
	if err != nil {
		b.close()
	}
	return b, err
}

func (b renderBench) close() {
	if b.base != nil {
		b.base.close()
	}
	b.platen.stop()
}

// gotenberg has figures measured once on a machine of this kind, with the tiny and invoice documents.
const gotenberg = "  for comparison, Gotenberg 8.36 with its default Chromium: tiny 6.6/s, invoice 4.5/s (measured once on two cores, not in this run)\n"

// compare measures Platen and two bare loops in turn, and then Platen's memory.
func (b *baseline) compare(s settings, p *process, keys []string, k kind) error {
	workers := []func() (func() error, error){
		func() (func() error, error) { return endToEnd(p, keys, k) },
		func() (func() error, error) { return k.bare(b.plain) },
		func() (func() error, error) { return k.bare(b.tuned) },
	}
	outcomes := make([][]outcome, len(workers))
	for range s.rounds {
		for i, worker := range workers {
			o, err := loop(concurrency, s.duration, worker)
			if err != nil {
				return err
			}
			outcomes[i] = append(outcomes[i], o)
		}
	}
	platen, plain, tuned := median(outcomes[0]), median(outcomes[1]), median(outcomes[2])
	var err error
	platen.peak, err = peakWhile(p.cmd.Process.Pid, func() error { // separately, as it takes a tenth of two cores
		_, err := loop(concurrency, s.duration, workers[0])
		return err
	})
	if err != nil {
		return err
	}
	s.out.side("platen, "+k.title(), platen)
	s.out.side("bare loop, the browser as it comes", plain)
	s.out.side("bare loop, the browser tuned as Platen's", tuned)
	s.out.ratio("the bare loop", platen, plain, 0.85)
	beside := quotient("share", platen, tuned, outcome.rate)
	s.out.add("share of the tuned loop", fmt.Sprintf("  = %.0f %% of the tuned one", 100*beside.Value), beside)
	if k.mostMemory > 0 {
		f := inMiB("peak PSS", platen.peak).atMost(mib(k.mostMemory))
		s.out.add("memory, "+k.title(), fmt.Sprintf("  = %.0f MiB with all browsers (goal ≤ %.0f MiB: %s)", f.Value, f.Goal.Value, verdict(f)), f)
	}
	return nil
}

// turns spreads the requests over the accounts.
var turns atomic.Int64

func endToEnd(p *process, keys []string, k kind) (func() error, error) {
	body, err := json.Marshal(k.body)
	if err != nil {
		return nil, err
	}
	c := newClient(p)
	return func() error {
		c.key = keys[int(turns.Add(1))%len(keys)]
		id, err := c.create(k.operation, string(body))
		if err != nil {
			return err
		}
		if _, err = c.wait(id); err != nil {
			return err
		}
		file, err := c.get("/jobs/" + id + "/download")
		if err == nil && len(file) < 1000 {
			err = errors.New("the file is empty")
		}
		return err
	}, nil
}

// fewest is the minimum number of documents that a loop makes, however long that takes, for a
// meaningful figure.
const fewest = 24

// loop has workers repeat their work for a while.
func loop(workers int, duration time.Duration, worker func() (func() error, error)) (outcome, error) {
	works := make([]func() error, workers)
	for i := range works {
		var err error
		if works[i], err = worker(); err != nil {
			return outcome{}, err
		}
		if err = works[i](); err != nil { // warm up
			return outcome{}, err
		}
	}
	var mu sync.Mutex
	var times []time.Duration
	var begun atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	start := time.Now()
	for _, work := range works {
		group.Go(func() {
			for begin := time.Now(); (begin.Sub(start) < duration || begun.Load() < fewest) && failed.Load() == nil; begin = time.Now() {
				begun.Add(1)
				if err := work(); err != nil {
					failed.Store(&err)
					return
				}
				mu.Lock()
				times = append(times, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return outcome{}, *err
	}
	return summary(times, time.Since(start)), nil
}
