package main

import (
	"regexp"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

var resultLink = regexp.MustCompile(`href="/dashboard/jobs/([0-9a-f-]{36})"`)

// tried is the job that a page of the playground shows; "" for none.
func (r reply) tried() string {
	if found := resultLink.FindStringSubmatch(r.body); found != nil {
		return found[1]
	}
	return ""
}

// What is typed into the form runs as a job of the account, in test mode unless it is meant to be charged.
func TestDashboardPlayground(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	for mode, mark := range map[string]bool{"": true, "test": true, "live": false} {
		got := p.act("/dashboard/playground/html-to-pdf", "do", "run", "mode", mode, "once", "a", "body.html", "<p>x</p>", "body.options.landscape", "true")
		id := got.tried()
		if got.status != 200 || id == "" {
			t.Fatalf("mode %q: %d %s", mode, got.status, got.body)
		}
		testkit.Eventually(t, "the job is done", func() bool { return strings.Contains(p.get("/dashboard/jobs/"+id).body, "3 of 3 downloads left") })
		if page := p.get("/dashboard/jobs/" + id).body; strings.Contains(page, "aren’t charged") != mark || !strings.Contains(page, "<code>dashboard</code>") {
			t.Errorf("mode %q: the job is\n%s", mode, page)
		}
	}
}
