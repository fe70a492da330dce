package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// What people do with the dashboard, in a browser, as far as they notice.
func TestDashboardInABrowser(t *testing.T) {
	testkit.Long(t)
	n := startDashboard(t)
	s := newScreen(t, "http://"+n.Address())
	for _, flow := range []struct {
		name string
		do   func(*testing.T, *inProcessNode, *screen)
	}{
		{"job", jobFlow}, {"keys", keyFlow}, {"members", memberFlow}, {"failure", failureFlow}, {"playground", playgroundFlow}, {"templates", templateFlow}, {"fields", fieldsFlow}, {"invoices", invoiceFlow}, {"passkeys", passkeyFlow}, {"no passkeys", noPasskeyFlow},
	} {
		t.Run(flow.name, func(t *testing.T) { flow.do(t, n, s) })
	}
}

// held is a picture that comes when the test says so.
type held struct {
	url  string
	free chan struct{}
}

func newHeld(t *testing.T) *held {
	h := &held{free: make(chan struct{})}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-h.free:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	h.url = s.URL + "/picture.png"
	return h
}

// A job appears while one looks, is done while one looks, and its file is downloaded.
func jobFlow(t *testing.T, n *inProcessNode, s *screen) {
	w := s.open(t)
	w.signInDemo()
	w.eval(`() => { window.same = true; return ''; }`)
	picture := newHeld(t)
	id := n.submit(t, map[string]any{"html": `<p>Look</p><img src="` + picture.url + `">`}).String()
	row := `tr:has(a[href="/dashboard/jobs/` + id + `"])`
	w.shows(row+" .badge", "Rendering")
	close(picture.free)
	w.shows(row+" .badge", "Done")
	w.until(`() => window.same === true`) // it has not been loaded again
	w.follow(row+" a", id[:8])
	w.shows(".state .badge", "Done")
	w.shows(".timeline li", "Accepted")
	w.shows(".timeline li", "Done")
	w.shows("#live", "3 of 3 downloads left")
	if file := download(t, w, func() { w.click("#download", "Download") }); !bytes.HasPrefix(file, []byte("%PDF-")) {
		t.Errorf("the file begins with %.20q", file)
	}
	w.shows("#live", "2 of 3 downloads left") // without another look
	w.shows(".timeline li", "Downloaded")
	w.quiet([]string{"/dashboard/sign-in", "/dashboard", "/dashboard/jobs/" + id})
}

// download does what starts a download, and returns the file.
func download(t *testing.T, w *window, do func()) (file []byte) {
	t.Helper()
	dir := testkit.TempDir(t)
	if err := os.Chmod(dir, 0o777); err != nil { // the browser may run as another user
		t.Fatal(err)
	}
	b := w.Browser()
	w.must(proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorAllow, BrowserContextID: b.BrowserContextID, DownloadPath: dir,
	}.Call(b))
	do()
	testkit.Eventually(t, "the file is there", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "*.pdf")) // it has another name until it is whole
		if len(found) > 0 {
			file, _ = os.ReadFile(found[0])
		}
		return len(file) > 0
	})
	return file
}

// A key is made and revoked by somebody who has a keyboard only.
func keyFlow(t *testing.T, n *inProcessNode, s *screen) {
	w := s.open(t)
	w.visit("/dashboard/sign-in")
	w.tabTo(w.forwards, "button", "Business")
	w.leave(func() { w.press(input.Enter) })
	w.tabTo(w.forwards, "a ", "API keys")
	w.leave(func() { w.press(input.Enter) })
	w.tabTo(w.forwards, "input", "#name")
	w.write("By hand")
	w.tabTo(w.forwards, "[kind=live]")
	w.press(input.ArrowDown)
	w.tabTo(w.forwards, "button", "Create key")
	w.leave(func() { w.press(input.Space) })
	secret := w.value(".secret .copy code")
	if status := authenticated(w.address, secret); !strings.HasPrefix(secret, "sk_test_") || status != 404 {
		t.Fatalf("the key %q is answered with %d; the page shows\n%s", secret, status, w.text())
	}
	w.leave(func() { w.must(w.Reload()) })
	if shown := w.text(); strings.Contains(shown, secret) || w.has(".secret") || strings.Count(w.value("tbody"), "Revoke By hand") > 1 {
		t.Errorf("the secret is shown again, or there are two keys:\n%s", shown)
	}
	w.shows("tbody", "By hand")
	keyboardRevokes(w, secret)
	testkit.Eventually(t, "the key is refused", func() bool { return authenticated(w.address, secret) == 401 })
	w.quiet([]string{"/dashboard", "/dashboard/keys"})
}

// keyboardRevokes asks for the key's end twice, and thinks better of it the first time.
func keyboardRevokes(w *window, secret string) {
	w.t.Helper()
	w.tabTo(w.forwards, "summary", "Revoke", "By hand")
	w.press(input.Enter)
	w.shows("dialog[open]", "Revoke this key?")
	if at := w.eval(focused); !strings.Contains(at, "Cancel") {
		w.t.Errorf("the dialog begins at %s", at)
	}
	w.press(input.Escape)
	w.until(`() => !document.querySelector('dialog') && document.activeElement.matches('summary')`)
	if status := authenticated(w.address, secret); status != 404 {
		w.t.Errorf("after Escape the key is answered with %d", status)
	}
	w.press(input.Space)
	w.shows("dialog[open]", "By hand")
	w.tabTo(w.backwards, "button", "Revoke key")
	w.leave(func() { w.press(input.Enter) })
	w.shows(".notice.good", "revoked")
	w.shows("tr.past", "By hand")
}

// An owner invites somebody, who joins and is removed.
func memberFlow(t *testing.T, _ *inProcessNode, s *screen) {
	const email = "grace@example.com"
	owner, guest := s.open(t), s.open(t)
	owner.signInDemo()
	owner.follow(".wide a", "Members")
	owner.fill("#email", email)
	owner.follow("button", "Create invitation link")
	owner.shows("tr", "Invited")
	owner.follow("tr:has(button[aria-label*='"+email+"']) button", "New link") // which replaces the first
	link := strings.TrimPrefix(owner.value(".secret .copy code"), s.address)
	owner.leave(func() { owner.must(owner.Reload()) })
	if owner.shows("tr", "Invited"); owner.has(".secret") {
		t.Errorf("the link is shown again:\n%s", owner.text())
	}
	guest.join(link, email)
	guest.forgets(email)
	owner.follow(".wide a", "Members")
	owner.click("tr:has(button[aria-label*='"+email+"']) summary", "Remove")
	owner.shows("dialog[open]", email)
	owner.follow("dialog button.danger", "Remove member")
	owner.shows(".notice.good", "removed")
	if strings.Contains(owner.value("table"), email) {
		t.Errorf("the removed member is listed:\n%s", owner.text())
	}
	guest.follow(".wide a", "Jobs")
	guest.shows("h1", "Sign in")
	owner.follow(".wide button", "Sign out")
	owner.visit("/dashboard/members")
	owner.shows("h1", "Sign in")
	owner.quiet([]string{"/dashboard/members", "/dashboard/sign-in"})
	guest.quiet([]string{"/dashboard", "/dashboard/members", "/dashboard/sign-in"}, "status of 403", "status of 404")
}

// join opens a one-time link, which is good once, and chooses a password.
func (w *window) join(link, email string) {
	w.t.Helper()
	w.visit(link)
	if got := w.eval(`() => document.querySelector('#email').value`); got != email {
		w.t.Errorf("the link is for %q", got)
	}
	w.fill("#password", password)
	w.fill("#repeat", password)
	w.follow("button", "Save and sign in")
	w.shows("h1", "Overview")
	w.follow(".wide a", "Members")
	w.shows("table", email)
	if w.has("form[action='/dashboard/members']") || w.has("main button:not([data-copy])") {
		w.t.Errorf("a developer may invite:\n%s", w.text())
	}
	w.visit(link)
	w.shows("h1", "no longer works")
	w.visit("/dashboard")
}

// forgets signs out and takes two attempts to sign in again.
func (w *window) forgets(email string) {
	w.t.Helper()
	w.follow(".wide button", "Sign out")
	w.fill("#email", email)
	w.fill("#password", "correct horse butter")
	w.follow("form.stack button", "Sign in")
	w.shows("[role=alert]", "don’t match")
	w.fill("#password", password)
	w.follow("form.stack button", "Sign in")
	w.shows("h1", "Overview")
}

// A job that failed says why, and is found.
func failureFlow(t *testing.T, n *inProcessNode, s *screen) {
	fine := n.submit(t, map[string]any{"html": "<p>Fine</p>"}).String()
	failed := n.submit(t, map[string]any{"html": "<p>x</p>", "render": map[string]any{"wait_for_selector": "#never", "page_load_timeout_ms": 500}}).String()
	link := func(id string) string { return `a[href="/dashboard/jobs/` + id + `"]` }
	w := s.open(t)
	w.signInDemo()
	w.shows("tr:has("+link(fine)+") .badge", "Done")
	w.shows("tr:has("+link(failed)+") .why", "Selector not found")
	w.shows(".failures li", "Check the selector")
	w.follow(link(failed), "")
	w.shows(".state .badge", "Failed")
	w.shows(".reason", string(events.SelectorTimeout))
	w.shows(".reason", "Nothing on the page matched")
	w.shows(".reason", "aren’t charged")
	w.follow(".wide a", "Jobs")
	w.click("summary", "Filter")
	w.choose("#status", "failed")
	w.follow("button", "Apply")
	w.shows("summary", "1 active")
	if !w.has(link(failed)) || w.has(link(fine)) {
		t.Errorf("the list of failed jobs is\n%s", w.text())
	}
	w.fill("#id", fine)
	w.follow("button", "Find")
	if got := w.path(); got != "/dashboard/jobs/"+fine {
		t.Errorf("the search leads to %s", got)
	}
	w.visit("/dashboard/jobs")
	w.fill("#id", events.NewJobID().String())
	w.follow("button", "Find")
	w.shows("main", "no such job")
	w.quiet([]string{"/dashboard/jobs", "/dashboard/jobs/" + fine, "/dashboard/jobs/" + failed})
}

// choose chooses an option of a list by its value.
func (w *window) choose(selector, value string) {
	w.t.Helper()
	w.eval(`(selector, value) => { document.querySelector(selector).value = value; return ''; }`, selector, value)
}
