package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/browserpool/bare"
	"platen.dev/document"
)

// concurrency is how many documents are asked for at once.
const concurrency = 4

// render compares html-to-pdf end to end (submit, poll, download) with a loop
// over warm pages of a browser that does nothing else.
func render(s settings) error {
	fmt.Printf("\nhtml-to-pdf end to end: submit, render, store, download; concurrency %d\n", concurrency)
	p, err := startPlaten(s.platen)
	if err != nil {
		return err
	}
	defer p.stop()
	browser, err := bare.Start()
	if err != nil {
		return err
	}
	defer browser.Close()
	for _, name := range []string{"tiny.html", "invoice.html"} {
		html, err := os.ReadFile(filepath.Join(s.documents, name))
		if err != nil {
			return err
		}
		if err := renderPair(s, p, browser, name, string(html)); err != nil {
			return err
		}
	}
	return nil
}

func renderPair(s settings, p *process, browser *bare.Browser, name, html string) error {
	var ours, bareLoop []outcome
	for range s.rounds {
		o, err := loop(s.duration, func() (func() error, error) { return barePage(browser, document.Sanitize(html).HTML()) })
		if err != nil {
			return err
		}
		bareLoop = append(bareLoop, o)
		if o, err = loop(s.duration, func() (func() error, error) { return endToEnd(p, html) }); err != nil {
			return err
		}
		ours = append(ours, o)
	}
	o, b := median(ours), median(bareLoop)
	row("platen, "+name, o)
	row("bare warm-page loop, "+name, b)
	ratio("the bare loop", o.perSecond, b.perSecond, 0.85)
	return nil
}

func barePage(browser *bare.Browser, html string) (func() error, error) {
	page, err := browser.Page()
	if err != nil {
		return nil, err
	}
	return func() error {
		pdf, err := page.Print(html)
		if err == nil && len(pdf) < 1000 {
			err = errors.New("the bare loop printed nothing")
		}
		return err
	}, nil
}

func endToEnd(p *process, html string) (func() error, error) {
	body, err := json.Marshal(map[string]string{"html": html})
	if err != nil {
		return nil, err
	}
	c := newClient(p)
	return func() error {
		id, err := c.submit(string(body))
		if err != nil {
			return err
		}
		if _, err = c.wait(id); err != nil {
			return err
		}
		pdf, err := c.get("/jobs/" + id + "/download")
		if err == nil && len(pdf) < 1000 {
			err = errors.New("the file is empty")
		}
		return err
	}, nil
}

// loop has concurrency workers do their work over and over for a while.
func loop(duration time.Duration, worker func() (func() error, error)) (outcome, error) {
	works := make([]func() error, concurrency)
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
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	start := time.Now()
	for _, work := range works {
		group.Go(func() {
			for begin := time.Now(); begin.Sub(start) < duration && failed.Load() == nil; begin = time.Now() {
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
