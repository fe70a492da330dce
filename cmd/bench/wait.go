package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// waitGoal is the longest that a waited job may take at the median, as a multiple of the bare print.
const waitGoal = 1.2

// wait compares a request that waits for the file of a tiny document with one that submits, polls
// and downloads, and with a warm page that prints it: one at a time.
func wait(s settings) error {
	fmt.Printf("\nwait: a tiny document, one at a time\n")
	b, err := openRenderBench(s, jobAccounts)
	if err != nil {
		return err
	}
	defer b.close()
	tiny := b.kinds[0]
	workers := []func() (func() error, error){
		func() (func() error, error) { return waited(b.platen, b.keys, tiny) },
		func() (func() error, error) { return endToEnd(b.platen, b.keys, tiny) },
		func() (func() error, error) { return tiny.bare(b.base.tuned) },
	}
	outcomes := make([][]outcome, len(workers))
	for range s.rounds {
		for i, worker := range workers {
			o, err := loop(1, s.duration, worker)
			if err != nil {
				return err
			}
			outcomes[i] = append(outcomes[i], o)
		}
	}
	ours, polled, bare := median(outcomes[0]), median(outcomes[1]), median(outcomes[2])
	s.out.side("platen, "+tiny.title()+", wait", ours)
	s.out.side("platen, submit, poll and download", polled)
	s.out.side("bare print, the browser tuned as Platen's", bare)
	f := quotient("p50 of bare p50", ours, bare, outcome.median).atMost(waitGoal)
	s.out.add("wait beside the bare print", fmt.Sprintf("  = %.2f × the bare print's p50 (goal ≤ %.1f: %s)", f.Value, waitGoal, verdict(f)), f)
	return nil
}

// waited requests one document after another and waits for each.
func waited(p *process, keys []string, k kind) (func() error, error) {
	request := map[string]any{"wait": true}
	for name, value := range k.body {
		request[name] = value
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	c := newClient(p)
	return func() error {
		c.key = keys[int(turns.Add(1))%len(keys)]
		file, err := c.do("POST", "/"+k.operation, string(body), 200)
		if err == nil && len(file) < 1000 {
			err = errors.New("the file is empty")
		}
		return err
	}, nil
}
