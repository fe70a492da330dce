//go:build integration

package main

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"platen.dev/actors/account"
	"platen.dev/events"
)

// The limits of an account are tested by bursts: more requests at once than the limit allows,
// at any moment of the storm. Each burst has an account of its own.

const (
	// concurrencyPause is the longest pause between two bursts against concurrency.
	concurrencyPause = 30 * time.Second
	// concurrencyRequests are sent to an account that may have 15 jobs at once.
	concurrencyRequests = 20
	// slowly is how long each of their jobs takes at least, in milliseconds.
	slowly = 2500
	// quotaRequests are sent to an account that may have quotaLeft more jobs. The free plan
	// allows three at once, so none is refused because of that.
	quotaRequests, quotaLeft = 6, 3
)

// startBursts starts the bursts: one against concurrency at a time, one against a quota.
func (c *crowd) startBursts() {
	r, q := c.s.rand(2000), c.s.rand(2001)
	c.running.Go(func() {
		for c.pause(time.Duration(r.Int64N(int64(concurrencyPause)))) {
			c.burstConcurrency(r)
		}
	})
	c.running.Go(func() {
		for c.pause(time.Second) {
			c.burstQuota(q)
		}
	})
}

// burstConcurrency submits jobs at once, each once, and follows those that were accepted.
func (c *crowd) burstConcurrency(r *rand.Rand) {
	_, from, ok := c.openAccount(r, events.PlanStarter)
	if !ok {
		return
	}
	limits, _ := account.LimitsOf(events.PlanStarter)
	h := &history{began: time.Now()}
	var group sync.WaitGroup
	for i := range concurrencyRequests {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
		group.Go(func() { c.runOne(r, h, i, from) })
	}
	group.Wait()
	h.inTurns()
	c.check("concurrency", h, running(int(limits.Running)))
}

// runOne submits a job, and records when it began and when it had ended. A job whose response was
// lost may have begun, and may end, at any later time.
func (c *crowd) runOne(r *rand.Rand, h *history, client int, from client) {
	n := c.next()
	body := jobOf(n).request()
	body["render"] = map[string]any{"wait_after_load_ms": slowly}
	o := h.record(client, func() outcome {
		o, _ := c.postBody(from, c.any(r), n, "", body)
		return o
	})
	id, accepted := parseAccepted(o)
	if !accepted && (o.void || o.status != 0) {
		return
	}
	end := porcupine.Operation{ClientId: client, Input: jobEnd{}, Output: outcome{void: !accepted}, Return: 1 << 62}
	if accepted && c.follow(r, from, id) {
		end.Return = int64(time.Since(h.began))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, end)
}

// burstQuota has an account use most of its quota, on a plan whose request rate allows that,
// and then submit more jobs at once than are left.
func (c *crowd) burstQuota(r *rand.Rand) {
	id, from, ok := c.openAccount(r, events.PlanBusiness)
	limits, _ := account.LimitsOf(events.PlanFree)
	for range limits.Jobs - quotaLeft {
		if !ok {
			return
		}
		ok = c.use(r, from)
	}
	if _, ok = c.admin(r, "account", "set-plan", id, string(events.PlanFree)); !ok {
		return
	}
	h := &history{began: time.Now()}
	var group sync.WaitGroup
	for i := range quotaRequests {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
		group.Go(func() { c.spend(r, h, i, from) })
	}
	group.Wait()
	if len(h.ops) > 0 {
		h.narrow()
		c.check("quota", h, counter(quotaLeft, http.StatusPaymentRequired, "QUOTA_EXCEEDED"))
	}
}

// use has an account use one job of its quota.
func (c *crowd) use(r *rand.Rand, from client) bool {
	n := c.next()
	o := c.insist(r, &history{began: time.Now()}, 0, from, n)
	id, ok := parseAccepted(o)
	return ok && c.follow(r, from, id)
}

// spend submits a job until it is accepted or refused for the quota.
func (c *crowd) spend(r *rand.Rand, h *history, client int, from client) {
	for again := true; again; again = c.pause(time.Duration(1+r.IntN(5)) * time.Second) {
		o := h.record(client, func() outcome {
			n := c.next()
			o, _ := c.postBody(from, c.any(r), n, "", jobOf(n).request()) // the plan has no deliveries
			o.void = o.void || o.code == "CONCURRENCY_LIMIT_EXCEEDED"     // jobs whose responses were lost
			return o
		})
		if o.status != 0 && !o.void {
			return
		}
	}
}

// openAccount opens an account with a key; false if the crowd is to leave.
func (c *crowd) openAccount(r *rand.Rand, plan events.Plan) (id string, from client, ok bool) {
	said, ok := c.admin(r, "account", "create", "--plan", string(plan))
	if !ok {
		return "", client{}, false
	}
	id = strings.Fields(said)[2]
	said, ok = c.admin(r, "key", "create", id)
	if !ok {
		return "", client{}, false
	}
	return id, client{strings.Fields(said)[0]}, true
}

// admin runs `platen admin` at any node until it succeeds; false if the crowd is to leave.
func (c *crowd) admin(r *rand.Rand, args ...string) (said string, ok bool) {
	for again := true; again; again = c.pause(time.Second) {
		m := c.s.nodes[r.IntN(len(c.s.nodes))].machine
		var out, errs strings.Builder
		if err := run(append(append([]string{"admin"}, args...), "--data", m.data), &out, &errs); err == nil {
			return out.String(), true
		}
	}
	return "", false
}
