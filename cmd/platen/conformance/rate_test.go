package conformance

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/apikey"
)

// Request rates.

const limitSection = "Limits"

var rateRows = []row{
	{"rate/plans", limitSection, "10, 100, 500 and 2,000 requests per minute; the next is 429", provePlanRates},
	{"rate/headers", limitSection, "limit, remaining and reset, and the IETF's fields beside them", proveRateHeaders},
	{"rate/sliding", "Submitting", "the window slides: a request is let in when the oldest is 60 seconds old", proveSliding},
	{"rate/all-keys", keySection, "requests are counted over all keys of an account, and of no other", proveAllKeys},
	{"rate/all-endpoints", "Submitting", "polls, downloads, refusals and test jobs count as well", proveAllEndpoints},
}

var perMinute = map[events.Plan]int{events.PlanFree: 10, events.PlanStarter: 100, events.PlanPro: 500, events.PlanBusiness: 2_000}

// spend makes requests that count only towards the request rate.
func (c *customer) spend(requests int) {
	c.t.Helper()
	for range requests {
		c.get("/jobs/42").status(404)
	}
}

func provePlanRates(t *testing.T, s *server) {
	for _, plan := range events.Plans() {
		c := s.customer(t, plan)
		c.spend(perMinute[plan])
		o := c.get("/jobs/42").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
		if o["retry_after_seconds"] != 60.0 {
			t.Errorf("%s: retry after %v s", plan, o["retry_after_seconds"])
		}
		c.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
	}
}

// rateOf reads limit, remaining and reset, and compares the IETF's fields with them.
func (a response) rateOf(now time.Time) (limit, remaining, reset int) {
	a.t.Helper()
	for name, into := range map[string]*int{"Limit": &limit, "Remaining": &remaining, "Reset": &reset} {
		*into, _ = strconv.Atoi(a.Header.Get("X-RateLimit-" + name))
	}
	policy, state := a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")
	left := strconv.Itoa(reset - int(now.Unix()))
	if !strings.HasSuffix(policy, ";q="+strconv.Itoa(limit)+";w=60") || !strings.HasSuffix(state, ";r="+strconv.Itoa(remaining)+";t="+left) {
		a.t.Errorf("RateLimit-Policy %s and RateLimit %s with %d, %d, %d", policy, state, limit, remaining, reset)
	}
	return limit, remaining, reset
}

func proveRateHeaders(t *testing.T, s *server) {
	s.clock.passTo(s.now().Truncate(time.Second).Add(time.Second))
	for _, plan := range events.Plans() {
		c := s.customer(t, plan)
		began := s.now()
		for i := 1; i <= 3; i++ {
			limit, remaining, reset := c.get("/jobs/42").rateOf(s.now())
			if limit != perMinute[plan] || remaining != limit-i || reset != int(began.Unix())+60 {
				t.Errorf("%s: request %d: %d of %d left until %d", plan, i, remaining, limit, reset)
			}
			s.clock.pass(time.Second)
		}
	}
}

func proveSliding(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.spend(1)
	s.clock.pass(40 * time.Second)
	c.spend(9)
	s.clock.pass(20*time.Second - time.Millisecond)
	o := c.get("/jobs/42").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
	if o["retry_after_seconds"] != 1.0 {
		t.Errorf("retry after %v s, want 1", o["retry_after_seconds"])
	}
	s.clock.pass(time.Millisecond)
	c.spend(1)
	o = c.get("/jobs/42").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
	if o["retry_after_seconds"] != 40.0 {
		t.Errorf("retry after %v s, want 40", o["retry_after_seconds"])
	}
}

func proveAllKeys(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanFree), s.customer(t, events.PlanFree)
	_, second := c.issue(apikey.Test)
	c.spend(5)
	c.as(second).spend(5)
	c.get("/jobs/42").status(429)
	c.as(second).get("/jobs/42").status(429)
	other.spend(10)
}

func proveAllEndpoints(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")                                                 // 1
	c.jobOf(id)                                                                    // 2
	c.download(id).status(200)                                                     // 3
	c.send("HEAD", "/jobs/"+id.String()+"/download", nil).status(200)              // 4
	c.post(htmlToPDF, object{"html": "x", "test": true}).accepted()                // 5
	c.post(htmlToPDF, object{}).status(422)                                        // 6
	c.post(htmlToPDF, object{"html": ""}).status(400)                              // 7
	c.post(urlToPDF, object{"url": "http://127.0.0.1/"}).status(400)               // 8
	c.post(markdownToPDF, object{"markdown": "x", "render": object{}}).status(402) // 9
	_, remaining, _ := c.get("/jobs/42").rateOf(s.now())                           // 10
	if remaining != 0 {
		t.Errorf("%d requests are left, want none", remaining)
	}
	c.download(id).problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
}
