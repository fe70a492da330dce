package conformance

import (
	"sync"
	"testing"
	"time"

	"platen.dev/events"
)

// The caps of test mode, and what it leaves alone.

var testModeRows = []row{
	{"test/minute-cap", limitSection, "60 test jobs in any 60 seconds; the next is 429", proveMinuteCap},
	{"test/day-cap", limitSection, "2,000 test jobs in a UTC day; the next is 429 until the day's end", proveDayCap},
	{"test/no-debit", limitSection, "test jobs debit neither quota", proveTestNoDebit},
	{"test/live-untouched", limitSection, "caps of test mode do not touch other jobs", proveLiveUntouched},
}

var testJob = object{"html": "x", "test": true}

func (c *customer) testsAreUsedUp() object {
	c.t.Helper()
	return c.post(htmlToPDF, testJob).problem(429, "TEST_RATE_LIMIT_EXCEEDED", "test-rate-limit-exceeded: ")
}

func proveMinuteCap(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.post(htmlToPDF, testJob).accepted()
	s.clock.pass(20 * time.Second)
	for range 59 {
		c.post(htmlToPDF, testJob).accepted()
	}
	if o := c.testsAreUsedUp(); o["retry_after_seconds"] != 40.0 {
		t.Errorf("retry after %v s, want 40", o["retry_after_seconds"])
	}
	s.clock.pass(40*time.Second - time.Millisecond)
	c.testsAreUsedUp()
	s.clock.pass(time.Millisecond)
	c.post(htmlToPDF, testJob).accepted()
	c.testsAreUsedUp()
}

// 34 minutes with 60 test jobs each, fewer in the last.
func proveDayCap(t *testing.T, s *server) {
	midnight := s.now().Truncate(24*time.Hour).AddDate(0, 0, 1)
	s.clock.passTo(midnight)
	c := s.customer(t, events.PlanBusiness)
	for left := 2_000; left > 0; left -= 60 {
		c.testTogether(min(60, left))
		s.clock.pass(time.Minute)
	}
	end := midnight.AddDate(0, 0, 1)
	if o := c.testsAreUsedUp(); o["retry_after_seconds"] != end.Sub(s.now()).Seconds() {
		t.Errorf("retry after %v s, want %v", o["retry_after_seconds"], end.Sub(s.now()).Seconds())
	}
	s.clock.passTo(end.Add(-time.Millisecond))
	c.testsAreUsedUp()
	s.clock.passTo(end)
	c.post(htmlToPDF, testJob).accepted()
}

// testTogether submits test jobs concurrently, because each waits for the disk.
func (c *customer) testTogether(n int) {
	c.t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if a, err := c.ask("POST", htmlToPDF, testJob); err != nil || a.StatusCode != 202 {
				c.t.Errorf("%d %s %v", a.StatusCode, a.body, err)
			}
		})
	}
	all.Wait()
}

func proveTestNoDebit(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, path := range allOperations {
		body := minimal(path)
		body["test"] = true
		id := c.post(path, body).accepted()
		c.finish(id, spent(id, 5))
	}
	if u := c.usage(); u.Used+u.Reserved+u.Bytes+u.Running != 0 || u.Tests != 6 {
		t.Errorf("six test jobs count as %+v", u)
	}
}

func proveLiveUntouched(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	c.testTogether(60)
	c.testsAreUsedUp()
	c.submit(htmlToPDF)
}
