//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"platen.dev/events"
)

const (
	crowdClients = 12
	// crowdPause is the longest pause of a client between two jobs.
	crowdPause = 1200 * time.Millisecond
	crowdPoll  = 150 * time.Millisecond
	// A client waits for a response between these times; a node waits node.ReplyTimeout.
	crowdShortest, crowdLongest = 3 * time.Second, 14 * time.Second
	// crowdPatience is how long a job may take from its 202 to its end when no fault is left.
	crowdPatience = time.Minute
)

// crowd is the clients. Each submits a job, with or without an idempotency key, follows it at
// any node, downloads its file and checks it, and so on until the crowd leaves.
type crowd struct {
	s         *storm
	customers []client
	addresses []string

	mu      sync.Mutex // guards what follows
	turns   int
	counts  tallies
	jobs    map[events.JobID]*crowdJob // accepted
	checked map[string]int             // histories, by what they are of
	leaving bool

	gone    chan struct{} // closed when the crowd is to leave
	running sync.WaitGroup
}

// tallies counts how requests were answered.
type tallies struct{ accepted, replayed, refused, unanswered, unsent, limited int }

func (a tallies) plus(b tallies) tallies {
	return tallies{a.accepted + b.accepted, a.replayed + b.replayed, a.refused + b.refused, a.unanswered + b.unanswered, a.unsent + b.unsent, a.limited + b.limited}
}

func (a tallies) minus(b tallies) tallies {
	return a.plus(tallies{-b.accepted, -b.replayed, -b.refused, -b.unanswered, -b.unsent, -b.limited})
}

// crowdJob is an accepted job.
type crowdJob struct {
	number   int
	file     bool // a client has it
	accepted string
}

func startCrowd(s *storm) *crowd {
	c := &crowd{s: s, customers: s.customers, jobs: map[events.JobID]*crowdJob{}, checked: map[string]int{}, gone: make(chan struct{})}
	for _, n := range s.nodes {
		c.addresses = append(c.addresses, n.address())
	}
	for i := range crowdClients {
		r := s.rand(1000 + uint64(i))
		c.running.Go(func() {
			for c.pause(time.Duration(r.Int64N(int64(crowdPause)))) {
				c.work(r)
			}
		})
	}
	c.startBursts()
	s.t.Cleanup(c.leave)
	return c
}

// pause waits, and reports whether the crowd stays.
func (c *crowd) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.gone:
		return false
	}
}

// leave has the clients stop, and waits until they have.
func (c *crowd) leave() {
	c.mu.Lock()
	if !c.leaving {
		c.leaving = true
		close(c.gone)
	}
	c.mu.Unlock()
	c.running.Wait()
}

// next is the number of a new job.
func (c *crowd) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turns++
	return c.turns
}

func (c *crowd) counted() tallies {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// any is a node's address.
func (c *crowd) any(r *rand.Rand) string { return c.addresses[r.IntN(len(c.addresses))] }

// jobOf is job number n.
func jobOf(n int) chaosJob { return chaosJob{usualKinds[0], n, ""} }

// bodyOf is the request of job number n. Most jobs are small and quick; some are large, and some
// take seconds.
func (c *crowd) bodyOf(n int) map[string]any {
	body := c.s.callers.announced(jobOf(n).request(), n)
	switch {
	case n%9 == 0:
		body["render"] = map[string]any{"wait_after_load_ms": 1000 + n%2000}
	case n%50 == 0:
		body["html"] = body["html"].(string) + fmt.Sprintf(`<p title="%s">large</p>`, strings.Repeat("x", 200_000))
	}
	return body
}

// post submits job number n once. said describes the response.
func (c *crowd) post(from client, address string, n int, key string) (o outcome, said string) {
	return c.postBody(from, address, n, key, c.bodyOf(n))
}

// postBody submits a body as job number n once, counts the response and remembers the job.
func (c *crowd) postBody(from client, address string, n int, key string, body map[string]any) (o outcome, said string) {
	headers := map[string]string{}
	if key != "" {
		headers["Idempotency-Key"] = key
	}
	resp, answer, err := from.request("POST", address+"/html-to-pdf", mustJSON(body), headers)
	o = outcomeOf(resp, answer, err)
	if err != nil {
		said = err.Error()
	} else {
		said = fmt.Sprintf("%d %.200s", resp.StatusCode, answer)
	}
	c.count(resp, err, o)
	if id, ok := parseAccepted(o); ok {
		c.remember(id, n, address)
	}
	if err == nil && o.status != 0 && o.status != http.StatusAccepted && o.status != http.StatusTooManyRequests && o.status != http.StatusPaymentRequired {
		c.s.fault("unexpected response", "submission %d at %s: %s", n, address, said)
	}
	return o, said
}

func (c *crowd) count(resp *http.Response, err error, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case unreachable(err):
		c.counts.unsent++
	case err != nil:
		c.counts.unanswered++
	case resp.StatusCode == http.StatusServiceUnavailable:
		c.counts.refused++
	case o.void:
		c.counts.limited++
	case o.status == http.StatusAccepted && o.replayed:
		c.counts.replayed++
	case o.status == http.StatusAccepted:
		c.counts.accepted++
	}
}

func (c *crowd) remember(id events.JobID, n int, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs[id] == nil {
		c.jobs[id] = &crowdJob{number: n, accepted: fmt.Sprintf("by %s at %s", address, time.Now().UTC().Format("15:04:05.000"))}
	}
}

// check checks a history and counts it.
func (c *crowd) check(of string, h *history, model porcupine.NondeterministicModel) {
	result := h.judge(model)
	c.mu.Lock()
	c.checked[of]++
	c.mu.Unlock()
	switch result {
	case porcupine.Ok:
	case porcupine.Unknown:
		c.s.say("a history of %d requests about %s could not be checked within a minute", len(h.ops), of)
	default:
		text := ""
		for _, op := range h.ops {
			text += fmt.Sprintf("\n  client %d, %d to %d: %+v %+v", op.ClientId, op.Call, op.Return, op.Input, op.Output)
		}
		c.s.fault("not linearizable", "%s:%s", of, text)
	}
}

// about says what the clients know about a job.
func (c *crowd) about(id events.JobID) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("job %s, number %d, accepted %s, asked at %s", id, c.jobs[id].number, c.jobs[id].accepted, time.Now().UTC().Format("15:04:05.000"))
}

// accepted returns a copy of all accepted jobs.
func (c *crowd) accepted() map[events.JobID]crowdJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[events.JobID]crowdJob{}
	for id, j := range maps.All(c.jobs) {
		all[id] = *j
	}
	return all
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
