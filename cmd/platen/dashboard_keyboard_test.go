package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/input"
	"github.com/pquerna/otp/totp"

	"platen.dev/cmd/platen/node"
	"platen.dev/events/testkit"
)

// Whatever members and operators do with a mouse they can do with a keyboard.
func TestDashboardByKeyboard(t *testing.T) {
	testkit.Long(t)
	n := startInProcessNode(t, func(c *node.Config) { c.Ops, c.PublicURL = "127.0.0.1:0", "" })
	s := newScreen(t, "http://"+n.Address())
	for _, walk := range []struct {
		name string
		do   func(*testing.T, *inProcessNode, *window)
	}{
		{"sign-in", walkSignIn},
		{"jobs", walkJobs},
		{"members", walkMembers},
		{"webhooks", walkWebhooks},
		{"undelivered", walkUndelivered},
		{"templates", walkTemplates},
		{"playground", walkPlayground},
		{"usage", walkUsage},
		{"passkeys", walkPasskeys},
		{"operator", walkOperator},
	} {
		t.Run(walk.name, func(t *testing.T) {
			w := s.open(t)
			if walk.name == "passkeys" {
				w.address = strings.Replace(w.address, "127.0.0.1", "localhost", 1) // which passkeys are made for
			}
			if walk.name != "sign-in" && walk.name != "operator" {
				w.visit("/dashboard/sign-in")
				w.enter("button", "Business")
			}
			walk.do(t, n, w)
			w.quiet(nil, "status of 422") // of a preview that took too long
		})
	}
}

// enter goes to a control with the Tab key, and follows it with Enter to another page.
func (w *window) enter(words ...string) {
	w.t.Helper()
	w.tabTo(w.forwards, words...)
	w.leave(func() { w.press(input.Enter) })
}

// typeInto goes to a field with the Tab key, and types into it.
func (w *window) typeInto(field, text string) {
	w.t.Helper()
	w.tabTo(w.forwards, field)
	w.write(text)
}

// confirm opens a dialog with Enter, and goes to the button in it that does what was asked for.
func (w *window) confirm(button, subject, does string) {
	w.t.Helper()
	w.tabTo(w.forwards, "summary", button, subject)
	w.press(input.Enter)
	w.until(`() => document.querySelector('dialog[open]')?.contains(document.activeElement)`)
	w.tabTo(w.backwards, "button", does)
	w.leave(func() { w.press(input.Enter) })
}

// walkSignIn joins by a link, sets up an authenticator, signs out and in again with a code.
func walkSignIn(t *testing.T, n *inProcessNode, w *window) {
	const email = "keys@example.com"
	link := strings.Fields(n.machine.admin(t, "member", "invite", n.account(t), email))[0]
	w.visit(link[strings.Index(link, "/dashboard"):])
	w.typeInto("#password", password)
	w.typeInto("#repeat", password)
	w.enter("button", "Save and sign in")
	w.enter("a ", email)
	w.enter("a ", "Set up")
	secret := w.value(".copy code")
	code := func() string {
		c, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(n.ahead.Load())))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	w.typeInto("#code", code())
	w.leave(func() { w.press(input.Enter) })
	w.shows(".notice.good", "")
	w.enter("button", "Sign out")
	n.ahead.Add(int64(time.Minute)) // each code is good once
	w.typeInto("#email", email)
	w.typeInto("#password", password)
	w.leave(func() { w.press(input.Enter) })
	w.typeInto("#code", code())
	w.leave(func() { w.press(input.Enter) })
	w.shows("h1", "Overview")
}

// walkJobs filters the list, finds a job and downloads its file.
func walkJobs(t *testing.T, n *inProcessNode, w *window) {
	id := n.submit(t, map[string]any{"html": "<p>x</p>"}).String()
	w.enter("a ", "Jobs")
	w.tabTo(w.forwards, "summary", "Filter")
	w.press(input.Space)
	w.tabTo(w.forwards, "select #operation")
	w.press(input.ArrowDown)
	w.enter("button", "Apply")
	w.shows("summary", "1 active")
	w.typeInto("#id", id)
	w.leave(func() { w.press(input.Enter) })
	w.shows(".state .badge", "Done")
	w.tabTo(w.forwards, "a #download")
	if file := download(t, w, func() { w.press(input.Enter) }); !bytes.HasPrefix(file, []byte("%PDF-")) {
		t.Errorf("the file begins with %.20q", file)
	}
}

// walkMembers invites somebody and thinks better of it.
func walkMembers(_ *testing.T, _ *inProcessNode, w *window) {
	w.enter("a ", "Members")
	w.typeInto("#email", "grace@example.com")
	w.tabTo(w.forwards, "select #role")
	w.press(input.ArrowDown)
	w.enter("button", "Create invitation link")
	w.shows(".secret", "grace@example.com")
	w.confirm("Remove", "grace@example.com", "Remove member")
	w.shows(".notice.good", "removed")
}

// walkWebhooks shows and rotates the secret, sets and deletes a header, and sends a test.
func walkWebhooks(t *testing.T, _ *inProcessNode, w *window) {
	hooks := newHooks(t)
	w.enter("a ", "Webhooks")
	w.enter("button", "Show secret")
	w.shows(".secret code", "whsec_")
	w.typeInto("#name", "X-Shop")
	w.typeInto("#value", "4711")
	w.enter("button", "Set header")
	w.typeInto("#url", hooks.url)
	w.enter("button", "Send test")
	w.shows(".notice.good", "Your endpoint has taken it.")
	if got := hooks.next(t); got.header.Get("X-Shop") != "4711" {
		t.Errorf("the test has the headers %v", got.header)
	}
	w.confirm("Delete", "X-Shop", "Delete header")
	w.confirm("Rotate secret", "", "Create new secret")
	w.shows(".secret", "it won’t be shown again")
}

// walkUndelivered sends a webhook again that was not delivered.
func walkUndelivered(t *testing.T, n *inProcessNode, w *window) {
	hooks := newHooks(t)
	hooks.status.Store(503)
	id := n.submit(t, map[string]any{"html": "<p>x</p>", "test": true, "webhook_url": hooks.url})
	hooks.next(t)
	testkit.Eventually(t, "the attempt is recorded", func() bool {
		return strings.Contains(n.machine.admin(t, "webhook", "attempts", id.String()), "503")
	})
	hooks.status.Store(200)
	w.enter("a ", "Webhooks")
	w.enter("a ", "weren’t delivered")
	w.shows("tbody", "503")
	w.enter("button", "Send the chosen ones again")
	hooks.next(t)
	n.awaitOutcome(t, id)
}

// walkTemplates makes a template, asks for a preview, saves it and deletes it.
func walkTemplates(t *testing.T, _ *inProcessNode, w *window) {
	w.enter("a ", "Block templates")
	w.enter("a ", "New template")
	w.typeInto("#name", "By keyboard")
	testkit.Eventually(t, "a preview", func() bool { // which takes too long where other tests take the processors
		w.enter("button", "Preview")
		return w.eval(`() => String([...document.querySelectorAll('#preview img')].some((i) => i.complete && i.naturalWidth > 0))`) == "true"
	})
	w.enter("button", "Save")
	w.shows(".notice.good", "The template is saved")
	w.enter("a ", "Block templates")
	w.confirm("Delete", "By keyboard", "Delete template")
	w.shows(".notice.good", "deleted")
}

// walkPlayground runs a job and goes to its page.
func walkPlayground(_ *testing.T, _ *inProcessNode, w *window) {
	w.enter("a ", "Playground")
	w.enter("a ", "HTML to PDF")
	w.typeInto("[body.html=", "<p>typed</p>")
	w.tabTo(w.forwards, "[mode=test]")
	w.enter("button", "[do=run]")
	w.shows(".state .badge", "Done")
	w.enter("a ", "job")
	w.shows(".state .badge", "Done")
}

// walkUsage divides the usage by operation, and goes to the entries behind a figure.
func walkUsage(t *testing.T, n *inProcessNode, w *window) {
	n.submit(t, map[string]any{"html": "<p>x</p>"})
	testkit.Eventually(t, "the ledger has an entry", func() bool { return n.totals(t).Total.Entries > 0 })
	w.enter("a ", "Usage")
	w.tabTo(w.forwards, "select #by")
	w.press(input.ArrowDown, input.ArrowDown)
	w.enter("button", "Show")
	w.shows("tbody", "HTML to PDF")
	w.enter("a ", "entries")
	w.shows("tbody", "Charge")
}

// walkPasskeys adds a passkey, signs out and in by it, and removes it.
func walkPasskeys(_ *testing.T, _ *inProcessNode, w *window) {
	w.authenticator()
	w.enter("a ", "demo@business.example")
	w.typeInto("#passkey-name", "By keyboard")
	w.enter("button", "Add a passkey")
	w.shows(".notice.good", "added")
	w.enter("button", "Sign out")
	w.enter("button", "Sign in with a passkey")
	w.shows("h1", "Overview")
	w.enter("a ", "demo@business.example")
	w.confirm("Remove", "By keyboard", "Remove passkey")
	w.shows(".notice.good", "removed")
}

// walkOperator suspends an account and resumes it.
func walkOperator(t *testing.T, n *inProcessNode, w *window) {
	w.address = "http://" + n.OpsAddress()
	w.visit(n.link(t))
	w.typeInto("#find", "dev_free")
	w.leave(func() { w.press(input.Enter) })
	w.enter("a ", "acc_dev_free")
	w.tabTo(w.forwards, "summary", "Suspend account")
	w.press(input.Enter)
	w.until(`() => document.querySelector('dialog[open]')?.contains(document.activeElement)`)
	w.typeInto("#reason", "Unpaid")
	w.enter("button", "Suspend account")
	w.shows(".notice.good", "Account suspended.")
	w.enter("button", "Resume account")
	w.shows(".notice.good", "Account resumed.")
	w.enter("a ", "Recent jobs")
	w.shows("h1", "Recent jobs")
}
