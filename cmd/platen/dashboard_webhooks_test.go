package main

import (
	"html"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// A test is sent like real webhooks, once, and only where those may go; its answer is shown as text.
func TestDashboardTestWebhook(t *testing.T) {
	n, hooks := startDashboard(t), newHooks(t)
	p := n.demo(t, "business")
	secret := strings.TrimSpace(n.machine.admin(t, "webhook", "secret", "show", n.account(t)))
	p.act("/dashboard/webhooks/headers", "name", "Authorization", "value", "Bearer 4711")
	for event, status := range map[string]string{"job.finished": "done", "job.failed": "failed"} {
		shown := p.act("/dashboard/webhooks/test", "url", hooks.url+"/hook", "event", event)
		got := hooks.next(t)
		got.signed(t, secret, 0)
		if got.fields["type"] != event || got.fields["status"] != status || got.fields["test"] != true || got.header.Get("Authorization") != "Bearer 4711" || got.path != "/hook" {
			t.Errorf("%s: %s %v %s", event, got.path, got.header, got.body)
		}
		if shown.status != 200 || !strings.Contains(shown.body, "has taken it") {
			t.Errorf("%s: %d %s", event, shown.status, shown.body)
		}
	}
	hooks.status.Store(503)
	if shown := p.act("/dashboard/webhooks/test", "url", hooks.url); !strings.Contains(html.UnescapeString(shown.body), "hasn’t taken it") || !strings.Contains(shown.body, "<code>503</code>") {
		t.Errorf("a refusal is shown as\n%s", shown.body)
	}
	hooks.next(t)
	if len(hooks.got) > 0 {
		t.Error("a test was sent twice")
	}
	for _, address := range []string{"http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::1]:9/"} {
		if shown := p.act("/dashboard/webhooks/test", "url", address); !strings.Contains(html.UnescapeString(shown.body), "hasn’t taken it") {
			t.Errorf("%s: %d %s", address, shown.status, shown.body)
		}
	}
	for _, address := range []string{"", "ftp://example.com", "http://ada:pw@example.com/", "https://" + strings.Repeat("a", 8200) + ".example/", "javascript:alert(1)"} {
		if got := p.act("/dashboard/webhooks/test", "url", address); got.header.Get("Location") != "/dashboard/webhooks?wrong=webhook-url" {
			t.Errorf("%.30q: %d %s", address, got.status, got.header.Get("Location"))
		}
	}
}

// Undelivered webhooks are listed, and the chosen ones are sent again.
func TestDashboardUndelivered(t *testing.T) {
	n, hooks := startDashboard(t), newHooks(t)
	p := n.demo(t, "business")
	hooks.status.Store(410) // gives up
	var ids []string
	for range 3 {
		id := n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": hooks.url})
		hooks.next(t)
		testkit.Eventually(t, "the attempt is recorded", func() bool {
			return strings.Contains(n.machine.admin(t, "webhook", "attempts", id.String()), "given-up")
		})
		ids = append(ids, id.String())
	}
	n.submit(t, map[string]any{"html": "<p>without</p>"})
	list := p.get("/dashboard/webhooks/undelivered")
	if found := strings.Count(list.body, `name="job"`); list.status != 200 || found != 3 {
		t.Fatalf("%d: %d of 3 are listed:\n%s", list.status, found, list.body)
	}
	if other := n.demo(t, "pro").act("/dashboard/webhooks/undelivered", "job", ids[0]); other.status != 303 {
		t.Errorf("another account: %d", other.status)
	}
	hooks.status.Store(204)
	if got := p.act("/dashboard/webhooks/undelivered"); got.header.Get("Location") != "/dashboard/webhooks/undelivered?wrong=choose" {
		t.Errorf("none chosen: %d %s", got.status, got.header.Get("Location"))
	}
	got := p.send("POST", "/dashboard/webhooks/undelivered", "token="+p.token()+"&job="+ids[0]+"&job="+ids[2]+"&job=x", "Sec-Fetch-Site", "same-origin")
	if got.header.Get("Location") != "/dashboard/webhooks/undelivered?done=redelivered-many" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	sent := map[any]bool{}
	for range 2 {
		sent[hooks.next(t).fields["job_id"]] = true
	}
	if !sent[ids[0]] || !sent[ids[2]] {
		t.Errorf("sent again: %v, want the first and the last of %v", sent, ids)
	}
	testkit.Eventually(t, "one is left", func() bool {
		return strings.Count(p.get("/dashboard/webhooks/undelivered").body, `name="job"`) == 1
	})
	if len(hooks.got) > 0 {
		t.Error("what another account asked for, or nobody, was sent")
	}
	if got := p.get("/dashboard/webhooks/undelivered?after=x"); got.status != 404 {
		t.Errorf("a page after nothing: %d", got.status)
	}
}
