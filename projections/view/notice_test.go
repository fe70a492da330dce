package view

import (
	"encoding/json"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/projections"
)

// The body of a webhook is what docs/WEBHOOKS.md shows.
func TestNotice(t *testing.T) {
	id := events.JobID{0xab, 15: 1}
	done := projections.Job{
		Status: events.StatusDone, Created: 1_769_850_000_000, Finished: 1_769_850_000_181, Expires: 1_769_936_400_181, FileURL: "https://a.example/?a=1&b=2",
		File: events.File{Size: 48213, Pages: 2}, Metrics: events.Metrics{PageLoad: 112, Processing: 64, Total: 181},
	}
	tagged := done
	tagged.Tags = []events.Tag{{Name: "a", Value: ""}, {Name: "b.c-D_1", Value: `"<ü>`}}
	warned := done
	warned.Warnings = []events.Warning{{Code: "PAGE_CUT", Detail: `"<ü>`}, {Code: "RESOURCE_MISSING", Detail: "x"}}
	delivered := done
	delivered.Delivered, delivered.Expires, delivered.FileURL = true, 0, ""
	const (
		head    = `"job_id":"ab000000-0000-0000-0000-000000000001",`
		times   = `"created_at":"2026-01-31T09:00:00.000Z","finished_at":"2026-01-31T09:00:00.181Z",`
		metrics = `"error_code":null,"error_detail":null,"warnings":[],"pages_count":2,"metrics":{"file_size_bytes":48213,"file_size_human":"47.1 KB","page_load_ms":112,"processing_ms":64,"total_duration_ms":181,"page_count":2}}`
	)
	for name, c := range map[string]struct {
		job  projections.Job
		want string
	}{
		"done": {done, `{"type":"job.finished","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"done","test":false,` + times +
			`"expires_at":"2026-02-01T09:00:00.181Z","file_url":"https://a.example/?a=1\u0026b=2",` + metrics},
		"tagged": {tagged, `{"type":"job.finished","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"done","test":false,` + times +
			`"expires_at":"2026-02-01T09:00:00.181Z","file_url":"https://a.example/?a=1\u0026b=2",` + strings.TrimSuffix(metrics, "}") + `,"tags":{"a":"","b.c-D_1":"\"\u003cü\u003e"}}`},
		"warned": {warned, `{"type":"job.finished","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"done","test":false,` + times +
			`"expires_at":"2026-02-01T09:00:00.181Z","file_url":"https://a.example/?a=1\u0026b=2",` +
			strings.Replace(metrics, "[]", `[{"code":"PAGE_CUT","detail":"\"\u003cü\u003e"},{"code":"RESOURCE_MISSING","detail":"x"}]`, 1)},
		"explained": {
			projections.Job{Status: events.StatusFailed, Created: done.Created, Finished: done.Finished, Error: events.NavigationFailed, Detail: "The name a.example does not resolve."},
			`{"type":"job.failed","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"failed","test":false,` + times +
				`"expires_at":null,"file_url":null,"error_code":"NAVIGATION_FAILED","error_detail":"The name a.example does not resolve.","warnings":[],"pages_count":null,"metrics":null}`,
		},
		"delivered": {delivered, `{"type":"job.finished","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"done","test":false,` + times + metrics},
		"failed": {
			projections.Job{Status: events.StatusFailed, Test: true, Created: done.Created, Finished: done.Finished, Error: events.PageTimeout},
			`{"type":"job.failed","timestamp":"2026-01-31T09:00:00.181Z",` + head + `"status":"failed","test":true,` + times +
				`"expires_at":null,"file_url":null,"error_code":"PAGE_TIMEOUT","error_detail":"The page took too long.","warnings":[],"pages_count":null,"metrics":null}`,
		},
	} {
		got := AppendNotice(nil, id, c.job)
		if string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// What a receiver has answered is shown as a text, whatever it is.
func TestWebhookLog(t *testing.T) {
	log := projections.WebhookLog{Attempts: []projections.WebhookEntry{
		{At: 1_769_850_000_000, WebhookAttempt: events.WebhookAttempt{Number: 1, Status: 503, Millis: 12, Answer: `"<b>` + "\n"}, Next: 1_769_850_005_000},
		{At: 1_769_850_005_000, WebhookAttempt: events.WebhookAttempt{Number: 2, Millis: 5000, Error: "no connection within 5s"}, Outcome: events.WebhookGivenUp},
	}}
	const want = `{"webhook_id":"msg_ab000000000000000000000000000001","attempts":[` +
		`{"number":1,"at":"2026-01-31T08:59:59.988Z","status":503,"duration_ms":12,"error":null,"answer":"\"\u003cb\u003e\n","outcome":null,"next_attempt_at":"2026-01-31T09:00:05.000Z"},` +
		`{"number":2,"at":"2026-01-31T09:00:00.000Z","status":null,"duration_ms":5000,"error":"no connection within 5s","answer":null,"outcome":"given-up","next_attempt_at":null}]}`
	if got := AppendWebhook(nil, events.JobID{0xab, 15: 1}, log); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := AppendWebhook(nil, events.JobID{}, projections.WebhookLog{}); string(got) != `{"webhook_id":"msg_00000000000000000000000000000000","attempts":[]}` {
		t.Errorf("none: %s", got)
	}
}
