package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

const (
	mixedAccounts = 3
	mixedWorkers  = 6
)

// mixed measures a node under a load of all kinds from a few accounts.
func mixed(s settings) error {
	fmt.Printf("\nmixed: jobs of all kinds from %d accounts, end to end; concurrency %d\n", mixedAccounts, mixedWorkers)
	base, err := openBaseline(s.documents)
	if err != nil {
		return err
	}
	defer base.close()
	n, err := openMixed(s.platen, base, s)
	if errors.Is(err, errNoKind) {
		fmt.Println("  skipped:", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = n.platen.stop() }() // it has been measured
	var outcomes []outcome
	var used time.Duration
	for range s.rounds {
		o, more, err := n.measure(s)
		if err != nil {
			return err
		}
		outcomes, used = append(outcomes, o), used+more
	}
	s.out.side("platen", median(outcomes))
	each := used / time.Duration(n.jobs.Load())
	s.out.add("processor time", fmt.Sprintf("    %s of processor time for a job, browsers included", ms(each)), inMilliseconds("processor time", each))
	return nil
}

// mixedNode is a node under a mixed load.
type mixedNode struct {
	platen *process
	keys   []string
	kinds  []kind
	jobs   *atomic.Int64 // finished jobs
}

var errNoKind = errors.New("no kind of this load has the name that -kind asks for")

func openMixed(binary string, base *baseline, s settings) (n mixedNode, err error) {
	n.jobs = new(atomic.Int64)
	if n.platen, n.keys, err = startWithAccounts(binary, mixedAccounts, "--egress-allow", "127.0.0.0/8"); err != nil {
		return n, err
	}
	kinds, err := base.kinds(s.documents)
	for _, k := range kinds {
		if strings.Contains(k.title(), s.kind) && k.mostMemory == 0 { // except the large report
			n.kinds = append(n.kinds, k)
		}
	}
	if err == nil && len(n.kinds) == 0 {
		err = fmt.Errorf("%w: %q", errNoKind, s.kind)
	}
	if err != nil {
		return n, errors.Join(err, n.platen.stop())
	}
	return n, nil
}

// measure measures the load, and its processor time; each worker begins with another kind.
func (n mixedNode) measure(s settings) (o outcome, used time.Duration, err error) {
	before, err := n.platen.wholeTime()
	if err != nil {
		return o, 0, err
	}
	workers := 0
	o, err = loop(mixedWorkers, s.duration, func() (func() error, error) {
		c, next := newClient(n.platen), workers
		c.key = n.keys[workers%len(n.keys)]
		workers++
		return func() error {
			next++
			n.jobs.Add(1)
			return c.make(n.kinds[next%len(n.kinds)])
		}, nil
	})
	if err != nil {
		return o, 0, err
	}
	after, err := n.platen.wholeTime()
	return o, after - before, err
}

// wholeTime returns the processor time of a process and its descendants.
func (p *process) wholeTime() (time.Duration, error) {
	own, err := p.ownTime()
	if err != nil {
		return 0, err
	}
	below, err := descendantsTime(p.cmd.Process.Pid)
	return own + time.Duration(below*float64(time.Second)), err
}

// make makes a document by one request, which waits for it.
func (c *client) make(k kind) error {
	body := map[string]any{"wait": true}
	for name, value := range k.body {
		body[name] = value
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return notEmpty(c.do("POST", "/"+k.operation, string(b), 200))
}
