package main

import (
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A member works on in a browser when the node is killed that owned the account and served the page: signs in again, makes a key
// and sends a webhook again at the others. A session is good at every node, and ends at every node within a second.
func TestDashboardOverNodes(t *testing.T) {
	testkit.Long(t)
	const email = "ada@example.com"
	hooks := newHooks(t)
	c := startProcessCluster(t, nodetest.Broker(t), "--egress-allow", "127.0.0.0/8")
	testkit.Eventually(t, "each node owns its share", c.even)
	shard := c.owned(c.nodes[0])[0]
	account, customer := c.accounts[shard], c.customers[shard]
	link := strings.Fields(c.machines[1].admin(t, "member", "invite", string(account), email))[0]
	w := newScreen(t, c.nodes[1].address).open(t)
	w.address = c.nodes[0].address
	w.visit(link[strings.Index(link, "/dashboard"):])
	w.fill("#password", password)
	w.fill("#repeat", password)
	w.follow("button", "Save and sign in")
	for _, n := range c.nodes[1:] { // cookies do not know ports
		w.address = n.address
		w.visit("/dashboard")
		w.shows("h1", "Overview")
	}
	job, status, err := customer.post(c.nodes[1].address+"/html-to-pdf", map[string]any{"html": "<p>x</p>", "webhook_url": hooks.url})
	if err != nil || status != 202 {
		t.Fatalf("submit: %d %v", status, err)
	}
	first := hooks.next(t)

	c.nodes[0].kill()
	w.persists("sign in again", "/dashboard/security", "/dashboard", func() {
		if w.path() == "/dashboard/security" {
			w.click("summary", "Sign out everywhere")
			w.follow("dialog button", "Sign out everywhere")
		}
		w.visit("/dashboard/sign-in")
		w.fill("#email", email)
		w.fill("#password", password)
		w.follow("form.stack button", "Sign in")
	})
	w.persists("make a key", "/dashboard/keys", "/dashboard/keys", func() {
		w.fill("#name", "Shop")
		w.follow("button", "Create key")
	})
	if secret := w.value(".secret .copy code"); authenticated(c.nodes[2].address, secret) != 404 {
		t.Errorf("the key %q is not known at the third node", secret)
	}
	w.redeliver(job)
	if again := hooks.next(t); again.body != first.body {
		t.Errorf("sent again %s, not %s", again.body, first.body)
	}
	checkSignedOutEverywhere(t, c, email)
}

// persists opens a page and does something on it, again if the node says that it cannot now, until that leads where it should.
func (w *window) persists(what, page, to string, do func()) {
	w.t.Helper()
	testkit.Eventually(w.t, what, func() bool {
		w.visit(page)
		if strings.Contains(w.text(), "isn’t working right now") {
			return false
		}
		do()
		return w.path() == to && !strings.Contains(w.text(), "isn’t working right now")
	})
}

// redeliver sends the webhook of a job again.
func (w *window) redeliver(job events.JobID) {
	w.t.Helper()
	page := "/dashboard/jobs/" + job.String()
	w.persists("send a webhook again", page, page, func() {
		w.click("summary", "Send webhook again")
		w.follow("dialog button", "Send again")
	})
	w.shows(".notice.good", "again")
}

// checkSignedOutEverywhere ends all sessions at one of the nodes that are left; the other knows within a second.
func checkSignedOutEverywhere(t *testing.T, c *processCluster, email string) {
	t.Helper()
	p, q := newPerson(t, c.nodes[1].address), newPerson(t, c.nodes[1].address)
	for _, somebody := range []*person{p, q} {
		if got := somebody.signIn(email, password); got.status != 303 {
			t.Fatalf("sign in: %d %s", got.status, got.body)
		}
	}
	if p.address = c.nodes[2].address; !p.signedIn() {
		t.Fatal("not signed in before the session is closed")
	}
	began := time.Now()
	q.act("/dashboard/security/close", "all", "yes")
	testkit.Eventually(t, "signed out at another node", func() bool { return !p.signedIn() })
	if took := time.Since(began); took > time.Second {
		t.Errorf("signed in for %s more", took)
	}
}
