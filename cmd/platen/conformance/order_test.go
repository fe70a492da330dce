package conformance

import (
	"strings"
	"testing"

	"platen.dev/events"
)

// The order of the checks, each pair by a request that fails both.

const orderSection = "Errors"

var orderRows = []row{
	{"order/key-first", orderSection, "the key comes before rate, size, schema and all else", proveKeyFirst},
	{"order/rate-second", orderSection, "the rate comes before size and schema", proveRateSecond},
	{"order/encoding-before-size", orderSection, "the body's encoding comes after the rate, and before its size", proveEncodingBeforeSize},
	{"order/size-before-schema", orderSection, "the body's size comes before its schema", proveSizeThird},
	{"order/schema-before-plan", orderSection, "the schema comes before plan gates", proveSchemaBeforePlan},
	{"order/plan-before-content", orderSection, "plan gates come before checks of the content", provePlanBeforeContent},
	{"order/content-before-replay", orderSection, "checks of the content come before the replay", proveContentBeforeReplay},
	{"order/replay-before-limits", orderSection, "the replay comes before caps, concurrency and quotas", proveReplayBeforeLimits},
	{"order/concurrency-before-quota", orderSection, "concurrency comes before the quota", proveConcurrencyBeforeQuota},
	{"order/uncharged", orderSection, "nothing before acceptance is charged", proveUncharged},
}

// tooMuch is a body above 8 MiB.
var tooMuch = strings.Repeat("x", 8<<20+1)

func proveKeyFirst(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree).as("sk_live_wrong")
	for _, body := range []string{tooMuch, "{", `{"html":""}`, `{"html":"x","auth":{}}`} {
		c.post(htmlToPDF, body, "Idempotency-Key", "a b").problem(401, "INVALID_API_KEY", "Send a valid API key")
	}
}

func proveRateSecond(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.spend(10)
	for _, body := range []string{tooMuch, "{", `{"html":""}`} {
		c.post(htmlToPDF, body).problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
	}
}

func proveEncodingBeforeSize(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, body := range []string{tooMuch, "{", ""} {
		c.post(htmlToPDF, body, "Content-Encoding", "gzip", "Idempotency-Key", "a b").problem(415, "UNSUPPORTED_CONTENT_ENCODING", "unsupported-content-encoding: ")
		c.as("sk_live_wrong").post(htmlToPDF, body, "Content-Encoding", "gzip").problem(401, "INVALID_API_KEY", "Send a valid API key")
	}
	c.spend(7)
	c.post(htmlToPDF, "{", "Content-Encoding", "gzip").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
}

func proveSizeThird(t *testing.T, s *server) {
	s.customer(t, events.PlanFree).post(htmlToPDF, tooMuch, "Idempotency-Key", "a b").problem(413, "PAYLOAD_TOO_LARGE", "payload-too-large: ")
}

func proveSchemaBeforePlan(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	gated := object{"html": "x", "options": object{"watermark": object{"text": "x"}}}
	c.post(htmlToPDF, gated, "Idempotency-Key", "a b").status(422)
	gated["x"] = 1
	c.post(htmlToPDF, gated).violations(extra("x")...)
	c.post(htmlToPDF, object{"html": "x", "options": object{"compression": object{"level": 10}}}).
		violations(wrong{"body.options.compression.level", "less_than_equal", "Input should be less than or equal to 9"})
}

func provePlanBeforeContent(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	watermark := object{"watermark": object{"text": "x"}}
	for path, body := range map[string]object{
		htmlToPDF:     {"html": "", "options": watermark},
		urlToPDF:      {"url": "http://127.0.0.1/", "options": watermark},
		markdownToPDF: {"markdown": strings.Repeat("&", 60_000), "options": watermark},
	} {
		c.upgrade(c.post(path, body), "options.watermark", events.PlanStarter)
	}
	delivery := object{"url": "https://storage.test/"}
	c.upgrade(c.post(invoiceToPDF, object{"xml": "<a/>", "template_id": "x", "delivery": delivery}), "delivery", events.PlanPro)
}

func proveContentBeforeReplay(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.keyed("k", htmlToPDF, minimal(htmlToPDF)).accepted()
	c.keyed("k", htmlToPDF, object{"html": ""}).problem(400, "EMPTY_HTML", "empty-html: ")
	c.keyed("k", htmlToPDF, object{"html": strings.Repeat("x", 250_000)}).status(413)
	c.keyed("k", htmlToPDF, object{"html": "x", "einvoice": object{"xml": "x"}}).problem(422, invalidInvoice, invalidInvoice)
}

func proveReplayBeforeLimits(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	first, test := c.keyed("k", htmlToPDF, minimal(htmlToPDF)), c.keyed("t", htmlToPDF, testJob)
	c.testTogether(59)
	for range 49 {
		c.submit(htmlToPDF)
	}
	c.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "CONCURRENCY_LIMIT_EXCEEDED", "concurrency-limit: ")
	c.testsAreUsedUp()
	c.keyed("k", htmlToPDF, minimal(htmlToPDF)).replayed(first)
	c.keyed("t", htmlToPDF, testJob).replayed(test)
	c.keyed("k", htmlToPDF, object{"html": "y"}).problem(422, "IDEMPOTENCY_KEY_REUSED", "idempotency-key-reused: ")
	c.finish(first.accepted(), spent(first.accepted(), 50*gib))
	c.volumeIsUsedUp()
	c.keyed("k", htmlToPDF, minimal(htmlToPDF)).replayed(first)
}

func proveConcurrencyBeforeQuota(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	first := c.submit(htmlToPDF)
	for range 2 {
		c.submit(htmlToPDF)
	}
	c.finish(first, spent(first, gib))
	c.volumeIsUsedUp()
	c.command(events.ChangePlan{Plan: events.PlanStarter})
	c.submit(htmlToPDF)
	c.command(events.ChangePlan{Plan: events.PlanFree})
	c.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "CONCURRENCY_LIMIT_EXCEEDED", "concurrency-limit: ")
}

func proveUncharged(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	c.post(htmlToPDF, tooMuch).status(413)
	c.post(htmlToPDF, "{").status(422)
	c.post(htmlToPDF, object{"html": "x", "options": object{"user_password": "x"}}).status(402)
	c.post(htmlToPDF, object{"html": ""}).status(400)
	c.post(urlToPDF, object{"url": "http://10.0.0.1/", "test": true}).status(400)
	c.post(markdownToPDF, object{"markdown": long(100_001)}).status(422)
	c.post(htmlToPDF, object{"html": strings.Repeat("x", 250_000), "test": true}).status(413)
	if u := c.usage(); u.Reserved+u.Used+u.Running+u.Bytes+u.Tests != 0 {
		t.Errorf("refusals were charged: %+v", u)
	}
}
