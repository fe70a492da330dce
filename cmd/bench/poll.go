package main

import (
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"
)

// pollAccounts is the number of accounts that share the polls, as each may send 2,000 requests a minute.
const pollAccounts = 768

// poll compares GET /jobs/{id}, with keys and request rates checked, with a handler that responds
// with the same bytes.
func poll(s settings) error {
	fmt.Printf("\npoll: GET /jobs/{id}, %d connections\n", connections)
	p, targets, body, err := openPoll(s.platen)
	if err != nil {
		return err
	}
	defer p.stop()
	bareProcess, err := startBare()
	if err != nil {
		return err
	}
	defer bareProcess.stop()
	if err := setResponse(bareProcess, body); err != nil {
		return err
	}
	var ours, bare []outcome
	for range s.rounds {
		o, err := load(s.duration, 200, getting([]target{{url: bareProcess.base + barePath}}))
		if err != nil {
			return err
		}
		bare = append(bare, o)
		if o, err = load(s.duration, 200, getting(targets)); err != nil {
			return err
		}
		ours = append(ours, o)
	}
	o, b := median(ours), median(bare)
	s.out.side("platen", o)
	s.out.side("bare handler, the same bytes", b)
	s.out.ratio("the bare handler", o, b, 0.6)
	return nil
}

// openPoll starts a node and makes the jobs to poll.
func openPoll(binary string) (p *process, targets []target, body []byte, err error) {
	p, keys, err := startWithAccounts(binary, pollAccounts)
	if err != nil {
		return nil, nil, nil, err
	}
	if targets, body, err = finishedJobs(p, keys); err != nil {
		err = errors.Join(err, p.stop())
	}
	return p, targets, body, err
}

// setResponse sets the response of the bare server.
func setResponse(p *process, body []byte) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(p.base + barePath)
	req.Header.SetMethod("POST")
	req.SetBody(body)
	return fasthttp.Do(req, resp)
}

// target is a job to poll, and the key to poll it with.
type target struct{ url, key string }

// finishedJobs makes a finished job for each of some accounts, and returns the last one's status as
// well.
func finishedJobs(p *process, keys []string) (targets []target, body []byte, err error) {
	for _, key := range keys {
		c := newClient(p)
		c.key = key
		id, err := c.submit(testJob)
		if err != nil {
			return nil, nil, err
		}
		if body, err = c.wait(id); err != nil {
			return nil, nil, err
		}
		targets = append(targets, target{p.base + "/jobs/" + id, key})
	}
	return targets, body, nil
}

// getting requests one target after another; each connection starts at a different one.
func getting(targets []target) func(c, i int, r *fasthttp.Request) {
	return func(c, i int, r *fasthttp.Request) {
		t := targets[(c*len(targets)/connections+i)%len(targets)]
		r.SetRequestURI(t.url)
		if t.key != "" {
			r.Header.Set("X-API-Key", t.key)
		}
	}
}
