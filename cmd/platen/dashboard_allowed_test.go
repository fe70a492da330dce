package main

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"platen.dev/einvoice/sample"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

var sessionInput = regexp.MustCompile(`name="session" value="([^"]+)"`)

// actor is a member who tries every action of its role.
type actor struct {
	*keyHolder
	n     *inProcessNode
	role  string
	tried map[string]bool
}

// may reports whether routeRules allow the member an action.
func (a *actor) may(name string) bool {
	return slices.Contains(strings.Fields(routeRules["POST "+name].may), a.role)
}

// does sends the form of an action, JOB being job in its path. The response must be a status, or lead to an address that begins as told.
func (a *actor) does(name, job, want string, fields ...string) reply {
	a.t.Helper()
	path := "/dashboard" + strings.NewReplacer("JOB", job, "OPERATION", "html-to-pdf").Replace(name)
	got := a.act(path, fields...)
	if outcome := cmp.Or(got.header.Get("Location"), strconv.Itoa(got.status)); !strings.HasPrefix(outcome, want) {
		a.t.Errorf("%s as %s: %s, want %s\n%.300s", name, a.role, outcome, want, got.body)
	}
	a.tried["POST "+name] = true
	return got
}

// builds does what owners and developers may do: keys, webhooks, jobs, the playground.
func (a *actor) builds(hooks *hooks, slow string) {
	const pages = "/dashboard"
	key := fieldIn(a.t, a.get("/dashboard/keys"), "next")
	a.does("/keys", "", "200", "name", "Shop", "next", key, "kind", "live")
	a.does("/keys/revoke", "", pages+"/keys?done=key-revoked", "key", key, "confirm", "yes")
	a.does("/webhooks/rotate", "", "200", "hours", "24", "confirm", "yes", "after", fieldIn(a.t, a.get("/dashboard/webhooks"), "after"))
	a.does("/webhooks/headers", "", pages+"/webhooks?done=header-set", "name", "Authorization", "value", "Bearer 4711")
	a.does("/webhooks/headers/delete", "", pages+"/webhooks?done=header-deleted", "header", "Authorization", "confirm", "yes")
	a.does("/webhooks/test", "", "200", "url", hooks.url, "event", "job.failed")
	hooks.next(a.t)

	hooks.status.Store(http.StatusGone) // gives up
	id := a.n.submit(a.t, map[string]any{"html": "<p>x</p>", "webhook_url": hooks.url})
	undelivered := func(times int) {
		a.t.Helper()
		hooks.next(a.t)
		testkit.Eventually(a.t, "the receiver is given up", func() bool {
			return strings.Count(a.n.machine.admin(a.t, "webhook", "attempts", id.String()), "given-up") == times
		})
	}
	undelivered(1)
	a.does("/webhooks/undelivered", "", pages+"/webhooks/undelivered?done=redelivered-many", "job", id.String())
	undelivered(2)
	a.does("/jobs/JOB/redeliver", id.String(), pages+"/jobs/"+id.String()+"?done=redelivered")
	hooks.next(a.t)
	hooks.status.Store(http.StatusNoContent)
	under, status, err := a.n.client.post("http://"+a.n.Address()+"/url-to-pdf", map[string]any{"url": slow})
	if err != nil || status != http.StatusAccepted {
		a.t.Fatalf("submit: %d, %v", status, err)
	}
	a.does("/jobs/JOB/cancel", under.String(), pages+"/jobs/"+under.String()+"?done=cancelled")
	a.does("/playground/OPERATION", "", "200", "do", "run", "mode", "test", "once", a.role, "body.html", "<p>x</p>")
	a.does("/invoices", "", "200", "xml", string(sample.XML("en16931")))
}

// edits does what owners and developers may do with block templates.
func (a *actor) edits() {
	const pages = "/dashboard/templates"
	a.does("/templates/save", "", pages, switchesOn("name", "Ours "+a.role)...)
	id := a.save("Mine " + a.role)
	a.does("/templates/import", "", pages, "name", "Imported", "json", a.get(pages+"/export?template="+id).body)
	a.does("/templates/preview", "", "200", switchesOn()...)
	a.does("/templates/preview.pdf", "", "200", switchesOn()...)
	a.does("/templates/default", "", pages+"?done=template-default", "template", id)
	a.does("/templates/default", "", pages+"?done=template-default", "template", "")
	a.does("/templates/duplicate", "", pages+"?done=template-duplicated", "template", id)
	a.does("/templates/save", "", pages, switchesOn("template", id, "name", "Mine")...)
	a.does("/templates/restore", "", pages+"/versions?template="+id+"&done=template-restored", "template", id, "version", "1")
	a.does("/templates/delete", "", pages+"?done=template-deleted", "template", id, "confirm", "yes")
}

// leads does what owners may do with members.
func (a *actor) leads() {
	a.does("/members", "", "200", "email", "bo@example.com", "role", "billing")
	members := memberInput.FindAllStringSubmatch(a.get("/dashboard/members?done=role").body, -1)
	bo := members[len(members)-1][1]
	a.does("/members/invite-again", "", "200", "member", bo)
	a.does("/members/role", "", "/dashboard/members?done=role", "member", bo, "role", "developer")
	a.does("/members/remove", "", "/dashboard/members?done=removed", "member", bo, "confirm", "yes")
}

// secures does what everybody may do: change how they sign in, and end their sessions.
func (a *actor) secures(there string) {
	const pages = "/dashboard/security"
	a.does("/security/passkey/ask", "", "200")
	a.does("/security/passkey", "", pages+"?done=passkey-added", "name", "Laptop", "answer", a.make())
	a.does("/security/passkey/remove", "", pages+"?done=passkey-removed", "passkey", base64.RawURLEncoding.EncodeToString(a.key.ID), "confirm", "yes")

	a.connect(there) // sends the form of /security/provider
	a.tried["POST /security/provider"] = true
	a.does("/security/provider/remove", "", pages+"?done=disconnected", "confirm", "yes")

	setUp := a.get(pages + "/factor")
	code := func() string {
		c, err := totp.GenerateCode(setupKey.FindStringSubmatch(setUp.body)[1], time.Now().Add(time.Duration(a.n.ahead.Load())))
		if err != nil {
			a.t.Fatal(err)
		}
		return c
	}
	a.does("/security/factor", "", pages+"?done=factor-set", "ticket", ticketInput.FindStringSubmatch(setUp.body)[1], "code", code())
	a.n.ahead.Add(int64(30 * time.Second)) // to the next code
	a.does("/security/factor/remove", "", pages+"?done=factor-removed", "code", code())

	a.does("/security/password", "", pages+"?done=password", "current", password, "password", password+"!", "repeat", password+"!")
	if other := a.at(newNamedPerson(a.t, a.address)); other.signIn(a.role+"@example.com", password+"!").status != http.StatusSeeOther {
		a.t.Errorf("%s does not sign in by the new password", a.role)
	}
	sessions := sessionInput.FindAllStringSubmatch(a.get(pages+"?done=password").body, -1)
	a.does("/security/close", "", pages+"?done=closed", "session", sessions[0][1])
	a.does("/sign-out", "", "/dashboard/sign-in")
}

// Every action is done for each role that may have it, by its form as a page sends it: a rule that is too strict fails here.
func TestDashboardMatrixAllows(t *testing.T) {
	testkit.Long(t)
	const there = "ada@provider.example"
	n, _ := startWithProvider(t, there)
	receiver, account := newHooks(t), n.account(t)
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); slow.Close() })
	var all []*actor
	for _, role := range strings.Fields(everyone) {
		n.member(t, account, role+"@example.com", role)
		p := newNamedPerson(t, "http://"+n.Address())
		if got := p.signIn(role+"@example.com", password); got.status != http.StatusSeeOther {
			t.Fatalf("%s: %d", role, got.status)
		}
		a := &actor{p.device(), n, role, map[string]bool{}}
		all = append(all, a)
		if a.may("/webhooks/show") { // before somebody rotates the secret
			a.does("/webhooks/show", "", "200")
		}
	}
	for _, a := range all {
		role := a.role
		if role != string(events.RoleBilling) {
			a.builds(receiver, slow.URL)
			a.edits()
		}
		if role == string(events.RoleOwner) {
			a.leads()
		}
		a.secures(there)
		for name := range routeRules {
			if action, ok := strings.CutPrefix(name, "POST "); ok && a.may(action) != a.tried[name] {
				t.Errorf("%s as %s: tried is %v", name, role, a.tried[name])
			}
		}
	}
}
