package conformance

import (
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/events"
)

// Idempotency keys.

const idempotencySection = "Submitting"

var idempotencyRows = []row{
	{"idempotency/key", everyEndpoint, "a key has 1 to 255 characters of letters, digits and _ - . :", proveIdempotencyKey},
	{"idempotency/replay", everyEndpoint, "a retry gets the original job and bills nothing", proveReplay},
	{"idempotency/canonical", idempotencySection, "order of fields, white space and nulls do not make another request", proveCanonical},
	{"idempotency/reused", idempotencySection, "another body or path under the same key is 422", proveReused},
	{"idempotency/per-account", idempotencySection, "keys are an account's own, shared by its API keys", provePerAccount},
	{"idempotency/48-hours", idempotencySection, "a key is kept for 48 hours", proveKept},
	{"idempotency/in-flight", idempotencySection, "requests at once under one key make one job", proveInFlight},
	{"idempotency/refused", idempotencySection, "requests refused before acceptance are not remembered", proveNotRemembered},
	{"idempotency/outcome", idempotencySection, "a retry gets the original job whatever has become of it", proveOutcome},
	{"idempotency/warning", idempotencySection, "a retry gets the same body, warnings included", proveReplayedWarning},
}

func proveIdempotencyKey(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	place := "header.Idempotency-Key"
	pattern := wrong{place, "string_pattern_mismatch", `String should match pattern '^[A-Za-z0-9_\-.:]+$'`}
	for i, path := range allOperations {
		for _, key := range []string{"a-Z0_.:"[i : i+1], path[1:] + "_-.:", strings.Repeat("k", 255-len(path)) + path[1:] + "0"} {
			c.post(path, minimal(path), "Idempotency-Key", key).accepted()
		}
		c.post(path, minimal(path), "Idempotency-Key", strings.Repeat("k", 256)).
			violations(wrong{place, "string_too_long", "String should have at most 255 characters"})
		c.post(path, minimal(path), "Idempotency-Key", "").
			violations(wrong{place, "string_too_short", "String should have at least 1 character"})
		for _, key := range []string{"a b", "a/b", "a+b", "é", "a;b", "a@b", "a\tb"} {
			c.post(path, minimal(path), "Idempotency-Key", key).violations(pattern)
		}
	}
}

// keyed submits under an idempotency key.
func (c *customer) keyed(key, path string, body any) response {
	c.t.Helper()
	return c.post(path, body, "Idempotency-Key", key)
}

// replayed checks that a response repeats the first one.
func (a response) replayed(first response) {
	a.t.Helper()
	if a.accepted() != first.accepted() || string(a.body) != string(first.body) || a.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Idempotent-Replayed") != "" {
		a.t.Errorf("%s (%v) does not repeat %s", a.body, a.Header, first.body)
	}
}

func proveReplay(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for _, path := range allOperations {
		first := c.keyed(path[1:], path, minimal(path))
		for range 2 {
			c.keyed(path[1:], path, minimal(path)).replayed(first)
		}
	}
	if u := c.usage(); u.Running != 6 || u.Reserved != 6 {
		t.Errorf("six requests, each sent three times, made %+v", u.Usage)
	}
}

func proveCanonical(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	first := c.keyed("k", htmlToPDF, `{"html":"x","options":{"scale":1,"landscape":true}}`)
	for _, same := range []string{
		` { "options" : {"landscape":true, "scale":1} , "html":"\u0078"} `,
		`{"html":"x","render":null,"options":{"scale":1,"landscape":true,"margin":null}}`,
	} {
		c.keyed("k", htmlToPDF, same).replayed(first)
	}
}

func proveReused(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.keyed("k", htmlToPDF, object{"html": "x"}).accepted()
	c.keyed("k", htmlToPDF, object{"html": "y"}).problem(422, "IDEMPOTENCY_KEY_REUSED", "idempotency-key-reused: ")
	c.keyed("k", htmlToImage, object{"html": "x"}).problem(422, "IDEMPOTENCY_KEY_REUSED", "idempotency-key-reused: ")
	c.keyed("k", htmlToPDF, object{"html": "x", "test": true}).problem(422, "IDEMPOTENCY_KEY_REUSED", "idempotency-key-reused: ")
	c.keyed("K", htmlToPDF, object{"html": "y"}).accepted() // keys are case-sensitive
}

func provePerAccount(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanFree), s.customer(t, events.PlanFree)
	_, second := c.issue("sk_test_")
	first := c.keyed("k", htmlToPDF, minimal(htmlToPDF))
	c.as(second).keyed("k", htmlToPDF, minimal(htmlToPDF)).replayed(first)
	if other.keyed("k", htmlToPDF, minimal(htmlToPDF)).accepted() == first.accepted() {
		t.Error("two accounts share a job")
	}
}

func proveKept(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	first := c.keyed("k", htmlToPDF, minimal(htmlToPDF))
	s.clock.pass(48*time.Hour - time.Millisecond)
	c.keyed("k", htmlToPDF, minimal(htmlToPDF)).replayed(first)
	s.clock.pass(time.Millisecond)
	again := c.keyed("k", htmlToPDF, minimal(htmlToPDF))
	if again.accepted() == first.accepted() || again.Header.Get("Idempotent-Replayed") != "" {
		t.Error("a key is remembered after 48 hours")
	}
}

func proveInFlight(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	const together = 12
	answers := make([]response, together)
	var all sync.WaitGroup
	for i := range together {
		all.Go(func() {
			a, err := c.ask("POST", htmlToPDF, minimal(htmlToPDF), "Idempotency-Key", "k")
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
	}
	all.Wait()
	originals := 0
	for _, a := range answers {
		if a.accepted() != answers[0].accepted() {
			t.Errorf("two jobs: %s and %s", a.body, answers[0].body)
		}
		if a.Header.Get("Idempotent-Replayed") == "" {
			originals++
		}
	}
	if u := c.usage(); u.Running != 1 || originals != 1 {
		t.Errorf("%d requests at once made %d jobs, %d of them said to be new", together, u.Running, originals)
	}
}

func proveNotRemembered(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	refusals := []object{
		{"html": ""},
		{"html": 1},
		{"html": "x", "options": object{"user_password": "x"}},
		{"html": strings.Repeat("x", 250_000)},
		{"html": "x", "einvoice": object{"xml": "x"}},
	}
	for _, body := range refusals {
		if got := c.keyed("k", htmlToPDF, body).StatusCode; got < 400 {
			t.Errorf("got %d for %.80v", got, body)
		}
	}
	for range 15 {
		c.submit(htmlToPDF)
	}
	c.keyed("k", htmlToPDF, minimal(htmlToPDF)).problem(429, "CONCURRENCY_LIMIT_EXCEEDED", "concurrency-limit: ")
	c.command(events.ChangePlan{Plan: events.PlanPro})
	if a := c.keyed("k", markdownToPDF, minimal(markdownToPDF)); a.StatusCode != 202 || a.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("after refusals under the key: %d %s", a.StatusCode, a.body)
	}
}

func proveOutcome(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	done, failed := c.keyed("d", htmlToPDF, minimal(htmlToPDF)), c.keyed("f", htmlToPDF, minimal(htmlToPDF))
	c.finish(done.accepted(), spent(done.accepted(), 1))
	c.fail(failed.accepted(), events.PageTimeout)
	c.keyed("d", htmlToPDF, minimal(htmlToPDF)).replayed(done)
	c.keyed("f", htmlToPDF, minimal(htmlToPDF)).replayed(failed)
}

func proveReplayedWarning(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	body := object{"xml": invoiceXML("minimum", "380"), "profile": "minimum"}
	first := c.keyed("k", invoiceToPDF, body)
	c.keyed("k", invoiceToPDF, body).replayed(first)
}
