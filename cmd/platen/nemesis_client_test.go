//go:build integration

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"platen.dev/events"
)

// work does one job from its submission to its file.
func (c *crowd) work(r *rand.Rand) {
	n := c.next()
	from := c.customers[r.IntN(len(c.customers))]
	id, ok := c.submit(r, from, n)
	if !ok || !c.follow(r, from, id) {
		return
	}
	switch {
	case delivers(n):
	case r.IntN(4) == 0:
		c.exhaust(r, from, id, n)
	default:
		c.fetch(r, from, id, n)
	}
}

// submit submits a job. With an idempotency key, which most jobs have, it is repeated until
// it is answered, and some are sent by three clients at once. Without a key it is sent
// once, because a repetition may make another job.
func (c *crowd) submit(r *rand.Rand, from client, n int) (id events.JobID, ok bool) {
	if r.IntN(3) == 0 {
		o, _ := c.post(from, c.any(r), n, "")
		return parseAccepted(o)
	}
	senders := 1
	if r.IntN(4) == 0 {
		senders = 3
	}
	h := &history{began: time.Now()}
	outcomes := make(chan outcome, senders)
	for i := range senders {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
		go func() { outcomes <- c.insist(r, h, i, from, n) }()
	}
	for range senders {
		if found, accepted := parseAccepted(<-outcomes); accepted {
			id, ok = found, true
		}
	}
	if len(h.ops) > 0 {
		h.dropRepeatedUnanswered()
		h.narrow()
		c.check("idempotency", h, oneJob())
	}
	return id, ok
}

// insist repeats a submission with a key until it is answered, or the crowd leaves.
func (c *crowd) insist(r *rand.Rand, h *history, client int, from client, n int) (o outcome) {
	for again := true; again; again = o.status == 0 && c.pause(retryPause+time.Duration(r.IntN(200))*time.Millisecond) {
		o = h.record(client, func() outcome {
			o, _ := c.post(from, c.any(r), n, fmt.Sprintf("order-%d", n))
			return o
		})
	}
	return o
}

func parseAccepted(o outcome) (id events.JobID, ok bool) {
	if o.status != http.StatusAccepted {
		return id, false
	}
	id, err := events.ParseJobID(o.job)
	return id, err == nil
}

// follow polls a job until it has ended, and reports whether it is done. Every job can be done:
// if one has failed, that is a fault.
func (c *crowd) follow(r *rand.Rand, from client, id events.JobID) bool {
	for c.pause(crowdPoll) {
		address := c.any(r)
		status, answer, err := from.do("GET", address+"/jobs/"+id.String(), nil)
		if err != nil || status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			continue
		}
		var job ended
		if status != http.StatusOK || json.Unmarshal(answer, &job) != nil {
			c.s.fault("unexpected response", "status of %s at %s: %d %.200s", c.about(id), address, status, answer)
			continue
		}
		switch job.Status {
		case events.StatusDone:
			return true
		case events.StatusFailed:
			c.s.fault("job failed", "%s: %s", c.about(id), job.Error)
			return false
		}
	}
	return false
}

// fetch downloads a file, and tries again as long as it may.
func (c *crowd) fetch(r *rand.Rand, from client, id events.JobID, n int) {
	for again := true; again; again = c.pause(crowdPoll) {
		if o := c.download(c.any(r), from, id, n); o.status != 0 && o.code != "DOWNLOAD_BUSY" {
			return
		}
	}
}

// exhaust has three clients download a file until each is told that all downloads are used.
func (c *crowd) exhaust(r *rand.Rand, from client, id events.JobID, n int) {
	h := &history{began: time.Now()}
	var group sync.WaitGroup
	for i := range 3 {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
		group.Go(func() {
			for c.pause(crowdPoll) {
				o := outcome{}
				h.record(i, func() outcome {
					o = c.download(c.any(r), from, id, n)
					return asCounted(o)
				})
				if o.status != 0 && o.status != http.StatusOK && o.code != "DOWNLOAD_BUSY" && !o.void {
					return // exhausted, or something that it should not be told
				}
			}
		})
	}
	group.Wait()
	if len(h.ops) > 0 {
		h.narrow()
		c.check("downloads", h, counter(maxDownloads, http.StatusTooManyRequests, "DOWNLOAD_ATTEMPTS_EXHAUSTED"))
	}
}

const maxDownloads = 3

// asCounted shows a download to the model of a counter, as an acceptance if it counts.
func asCounted(o outcome) outcome {
	if o.status == http.StatusOK {
		o.status = http.StatusAccepted
	}
	o.void = o.void || o.code == "DOWNLOAD_BUSY" // it changes nothing
	return o
}

// download downloads a file once and checks that it is the job's.
func (c *crowd) download(address string, from client, id events.JobID, n int) outcome {
	resp, answer, err := from.request("GET", address+"/jobs/"+id.String()+"/download", nil, nil)
	o := outcomeOf(resp, answer, err)
	switch {
	case o.status == http.StatusOK:
		if err := jobOf(n).check(answer); err != nil {
			c.s.fault("wrong file", "%s, from %s: %v", c.about(id), address, err)
		}
		c.mu.Lock()
		c.jobs[id].file = true
		c.mu.Unlock()
	case o.status != 0 && o.status != http.StatusTooManyRequests:
		c.s.fault("unexpected response", "download of %s at %s: %d %.200s", c.about(id), address, o.status, answer)
	}
	return o
}

// hasty gives each request a time of its own, so that some clients give up before a node
// does and others after it.
type hasty struct{ next http.RoundTripper }

func (h hasty) RoundTrip(req *http.Request) (*http.Response, error) {
	patience := crowdShortest + rand.N(crowdLongest-crowdShortest)
	ctx, cancel := context.WithTimeout(req.Context(), patience)
	context.AfterFunc(ctx, cancel) // not before: the body may still be read
	return h.next.RoundTrip(req.WithContext(ctx))
}
