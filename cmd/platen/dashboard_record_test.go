package main

import (
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The record of a job says what was asked for, without credentials, and what has happened to it, to those who may see it.
func TestDashboardRecord(t *testing.T) {
	n, hooks := startDashboard(t), newHooks(t)
	id := n.submit(t, map[string]any{
		"html": "<h1>Fur &amp; feathers</h1>\n<p>two lines</p>", "tags": map[string]string{"order": "4711"}, "webhook_url": hooks.url + "/?x=Krokus",
		"options": map[string]any{"format": "A3", "margin": map[string]string{"top": "17mm"}, "user_password": "Kr0kodil"},
	})
	hooks.next(t)
	n.awaitOutcome(t, id)
	p, path := n.demo(t, "business"), "/dashboard/jobs/"+id.String()
	got := p.get(path + "/record")
	if got.status != 200 {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	at := 0
	for _, want := range []string{
		"&lt;h1&gt;Fur &amp;amp; feathers&lt;/h1&gt;", "options.format", "A3", "options.margin.top", "17mm", "options.user_password", "set, not shown", "webhook_url", "tags.order", "4711",
		"Accepted", "Rendering started", "node-", "Done", "processing_ms", "Webhook sent", "200",
	} {
		next := strings.Index(got.body[at:], want)
		if next < 0 {
			t.Fatalf("%q is not where it should be in\n%s", want, got.body)
		}
		at += next
	}
	for _, secret := range []string{"Kr0kodil", "Krokus"} {
		if strings.Contains(got.body, secret) {
			t.Errorf("the record shows %s", secret)
		}
	}
	if !strings.Contains(p.get(path).body, path+"/record") {
		t.Error("the job's page does not lead to its record")
	}
	if other := n.demo(t, "free").get(path + "/record"); other.status != 404 {
		t.Errorf("another account's member gets %d", other.status)
	}
	if billing := n.member(t, n.account(t), "b@example.com", "billing"); billing.get(path+"/record").status != 403 || strings.Contains(billing.get(path).body, "/record") {
		t.Error("billing sees the record")
	}
}

// awaitOutcome waits until the outcome of a job's webhook is recorded.
func (n *inProcessNode) awaitOutcome(t *testing.T, id events.JobID) {
	t.Helper()
	testkit.Eventually(t, "the webhook's outcome is recorded", func() bool {
		return strings.Contains(n.machine.admin(t, "webhook", "attempts", id.String()), "delivered")
	})
}
