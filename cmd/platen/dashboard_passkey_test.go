package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"platen.dev/cmd/platen/node"
	"platen.dev/events/team"
	"platen.dev/events/testkit"
)

// passkeyHost is how the browsers of the tests call every node: passkeys need a name.
const passkeyHost = "localhost:8080"

// named has a browser call a node by passkeyHost.
type named struct{}

func (named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = passkeyHost
	return http.DefaultTransport.RoundTrip(r)
}

func newNamedPerson(t *testing.T, address string) *person {
	p := newPerson(t, address)
	p.http.Transport = named{}
	return p
}

// keyHolder is a member with a device that makes passkeys.
type keyHolder struct {
	*person
	virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
	party virtualwebauthn.RelyingParty
}

// device gives a person one that has never made a passkey.
func (p *person) device() *keyHolder {
	return &keyHolder{
		person: p, Authenticator: virtualwebauthn.NewAuthenticator(), key: newCredential(),
		party: virtualwebauthn.RelyingParty{ID: "localhost", Origin: "http://" + passkeyHost},
	}
}

// newCredential returns a credential on a curve. The library drops leading zeros of coordinates, which COSE keys keep (RFC 9053,
// section 7.1.1): one key of 128 would be refused.
func newCredential() virtualwebauthn.Credential {
	const whole = 77 // bytes of a COSE key with both coordinates
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}

// keyHolder has somebody join an account, and add a passkey.
func (n *inProcessNode) keyHolder(t *testing.T, account, email string) *keyHolder {
	t.Helper()
	n.member(t, account, email, "owner")
	p := newNamedPerson(t, "http://"+n.Address())
	if got := p.signIn(email, password); got.status != 303 {
		t.Fatalf("%s: %d", email, got.status)
	}
	h := p.device()
	if got := h.add("Laptop"); got.header.Get("Location") != "/dashboard/security?done=passkey-added" {
		t.Fatalf("add a passkey: %d %s", got.status, got.header.Get("Location"))
	}
	return h
}

// make returns what the device answers when it is asked for a new passkey, and keeps the handle.
func (h *keyHolder) make() (answer string) {
	h.t.Helper()
	asked := h.act("/dashboard/security/passkey/ask")
	o, err := virtualwebauthn.ParseAttestationOptions(asked.body)
	if asked.status != 200 || err != nil {
		h.t.Fatalf("asked for a passkey: %d %s %v", asked.status, asked.body, err)
	}
	h.Options.UserHandle = []byte(o.UserID)
	return virtualwebauthn.CreateAttestationResponse(h.party, h.Authenticator, h.key, *o)
}

func (h *keyHolder) add(name string) reply {
	h.t.Helper()
	return h.act("/dashboard/security/passkey", "name", name, "answer", h.make())
}

// at is the same holder, at another browser.
func (h *keyHolder) at(p *person) *keyHolder {
	other := *h
	other.person = p
	return &other
}

// answer returns what the device answers when somebody signs in, and the cookie with the question.
func (h *keyHolder) answer() (answer, cookie string) {
	h.t.Helper()
	asked := h.post("/dashboard/sign-in/passkey/ask")
	o, err := virtualwebauthn.ParseAssertionOptions(asked.body)
	if asked.status != 200 || err != nil {
		h.t.Fatalf("asked for a passkey: %d %s %v", asked.status, asked.body, err)
	}
	cookie, _, _ = strings.Cut(asked.header.Get("Set-Cookie"), ";")
	return virtualwebauthn.CreateAssertionResponse(h.party, h.Authenticator, h.key, *o), cookie
}

func (h *keyHolder) enter(next string) reply {
	h.t.Helper()
	answer, _ := h.answer()
	return h.post("/dashboard/sign-in/passkey", "answer", answer, "next", next)
}

// A member signs in by a passkey alone, where a password would not be enough, until it is removed.
func TestDashboardPasskey(t *testing.T) {
	n := startDashboard(t)
	ada := n.keyHolder(t, n.account(t), "ada@example.com")
	if page := ada.get("/dashboard/security").body; !strings.Contains(page, "<bdi>Laptop</bdi>") {
		t.Errorf("the page lacks the passkey:\n%s", page)
	}
	somewhere := ada.at(newNamedPerson(t, ada.address))
	if got := somewhere.enter("/dashboard/jobs"); got.header.Get("Location") != "/dashboard/jobs" || !somewhere.signedIn() {
		t.Fatalf("signed in by passkey: %d %s", got.status, got.body)
	}
	trail := somewhere.get("/dashboard/trail").body
	for _, what := range []string{"Passkey added", "Passkey used", "Session opened", "Laptop", "ada@example.com"} {
		if !strings.Contains(trail, what) {
			t.Errorf("the audit trail lacks %q", what)
		}
	}
	for range 6 {
		n.person(t).signIn("ada@example.com", "wrong password")
	}
	n.ahead.Add(int64(time.Second))
	again := ada.at(newNamedPerson(t, ada.address))
	if got := again.enter("https://evil.example"); got.header.Get("Location") != "/dashboard" || !again.signedIn() {
		t.Errorf("signed in while passwords have to wait: %d %s", got.status, got.header.Get("Location"))
	}
	id := base64.RawURLEncoding.EncodeToString(ada.key.ID)
	if got := ada.act("/dashboard/security/passkey/remove", "passkey", id); got.header.Get("Location") != "/dashboard/security?wrong=confirm" {
		t.Errorf("removed without a second thought: %d", got.status)
	}
	for _, wrong := range []string{"", "AAAA", "%", strings.Repeat("A", 4000)} {
		if got := ada.act("/dashboard/security/passkey/remove", "passkey", wrong, "confirm", "yes"); got.header.Get("Location") != "/dashboard/security?wrong=no-such-passkey" {
			t.Errorf("removed %.10q: %d %s", wrong, got.status, got.header.Get("Location"))
		}
	}
	if got := ada.act("/dashboard/security/passkey/remove", "passkey", id, "confirm", "yes"); got.header.Get("Location") != "/dashboard/security?done=passkey-removed" {
		t.Errorf("removed: %d %s", got.status, got.header.Get("Location"))
	}
	removed := ada.at(newNamedPerson(t, ada.address))
	if got := removed.enter(""); got.status != 403 || removed.signedIn() {
		t.Errorf("signed in by a removed passkey: %d", got.status)
	}
	if trail := ada.get("/dashboard/trail").body; !strings.Contains(trail, "Passkey removed") {
		t.Error("the audit trail lacks the removal")
	}
}

// An answer signs in the browser that was asked, once, within ten minutes.
func TestDashboardPasskeyReplay(t *testing.T) {
	n := startDashboard(t)
	ada := n.keyHolder(t, n.account(t), "ada@example.com")
	const path = "/dashboard/sign-in/passkey"
	tick := func() { n.ahead.Add(int64(time.Second)) }
	tick()
	first := ada.at(newNamedPerson(t, ada.address))
	answer, cookie := first.answer()
	body := url.Values{"answer": {answer}}.Encode()
	mallory := newNamedPerson(t, ada.address)
	if got := mallory.send("POST", path, body, "Sec-Fetch-Site", "same-origin"); got.status != 403 || mallory.signedIn() {
		t.Errorf("a browser that was not asked: %d", got.status)
	}
	mallory.device().answer()
	if got := mallory.send("POST", path, body, "Sec-Fetch-Site", "same-origin"); got.status != 403 || mallory.signedIn() {
		t.Errorf("a browser that was asked something else: %d", got.status)
	}
	if got := first.send("POST", path, body, "Sec-Fetch-Site", "same-origin"); got.status != 303 || !first.signedIn() {
		t.Fatalf("the browser that was asked: %d %s", got.status, got.body)
	}
	if got := first.send("POST", path, body, "Sec-Fetch-Site", "same-origin"); got.status != 403 {
		t.Errorf("again: %d", got.status)
	}
	thief := newNamedPerson(t, ada.address) // who has the cookie, too
	if got := thief.send("POST", path, body, "Sec-Fetch-Site", "same-origin", "Cookie", cookie); got.status != 403 || thief.signedIn() {
		t.Errorf("again, with its cookie: %d", got.status)
	}
	if _, _, found := strings.Cut(cookie, "=acc_nobody."); !found {
		t.Errorf("the cookie tells an account: %s", cookie)
	}
	for name, late := range map[string]time.Duration{"in time": 10*time.Minute - 5*time.Second, "late": 10*time.Minute + 5*time.Second} {
		tick()
		p := ada.at(newNamedPerson(t, ada.address))
		answer, _ := p.answer()
		n.ahead.Add(int64(late))
		if got := p.post(path, "answer", answer); p.signedIn() != (name == "in time") {
			t.Errorf("%s: %d", name, got.status)
		}
	}
}

// Whatever is wrong with a passkey, nobody is signed in, and what it is is not told.
func TestDashboardPasskeyForgery(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	ada, bob := n.keyHolder(t, account, "ada@example.com"), n.keyHolder(t, account, "bob@example.com")
	ada.key.Counter = 9
	n.ahead.Add(int64(time.Second))
	if got := ada.at(newNamedPerson(t, ada.address)).enter(""); got.status != 303 {
		t.Fatalf("the passkey itself: %d", got.status)
	}
	n.machine.admin(t, "member", "remove", account, "bob@example.com")
	var told string
	for name, change := range map[string]func(h *keyHolder){
		"another origin":        func(h *keyHolder) { h.party.Origin = "http://localhost:8081" },
		"another party":         func(h *keyHolder) { h.party.ID = "evil.example" },
		"nobody verified":       func(h *keyHolder) { h.Options.UserNotVerified = true },
		"nobody there":          func(h *keyHolder) { h.Options.UserNotPresent = true },
		"a counter that stands": func(h *keyHolder) {},
		"a counter gone back":   func(h *keyHolder) { h.key.Counter = 8 },
		"no counter":            func(h *keyHolder) { h.key.Counter = 0 },
		"an unknown handle":     func(h *keyHolder) { h.Options.UserHandle = make([]byte, 32) },
		"a short handle":        func(h *keyHolder) { h.Options.UserHandle = h.Options.UserHandle[:31] },
		"no handle":             func(h *keyHolder) { h.Options.UserHandle = nil },
		"another member's id":   func(h *keyHolder) { h.key.ID = bob.key.ID },
		"another member's key":  func(h *keyHolder) { h.key.Key = bob.key.Key },
		"another's handle":      func(h *keyHolder) { h.Options.UserHandle = bob.Options.UserHandle },
		"a removed member's":    func(h *keyHolder) { *h = *bob.at(h.person) },
	} {
		n.ahead.Add(int64(10 * time.Second)) // so that not too many are tried in a minute
		h := ada.at(newNamedPerson(t, ada.address))
		change(h)
		got := h.enter("")
		if got.status != 403 || h.signedIn() {
			t.Errorf("%s: %d", name, got.status)
		}
		if told == "" {
			told = got.body
		}
		if got.body != told || !strings.Contains(told, "can’t sign you in") {
			t.Errorf("%s: it is told apart:\n%s", name, got.body)
		}
	}
	const copied = "a passkey was refused because its counter has gone back"
	if said := n.said.Text(); strings.Count(said, copied) != 3 || !strings.Contains(said, "passkey=Laptop counter=8 last=9") {
		t.Errorf("the log does not tell copies from unknown keys:\n%s", said)
	}
	for name, answer := range map[string]string{"nothing": "", "no JSON": "{", "null": "null", "a list": "[]", "much": strings.Repeat("x", 12_000)} {
		n.ahead.Add(int64(10 * time.Second))
		p := newNamedPerson(t, ada.address)
		p.device().answer()
		if got := p.post("/dashboard/sign-in/passkey", "answer", answer); got.status != 403 || got.body != told {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if got := newNamedPerson(t, ada.address).post("/dashboard/sign-in/passkey", "answer", strings.Repeat("x", 20_000)); got.status != 413 {
		t.Errorf("a body of 20 KB is read: %d %s", got.status, got.body)
	}
	n.ahead.Add(int64(time.Minute))
	statuses, guesser := map[int]int{}, newNamedPerson(t, ada.address)
	for range 22 {
		statuses[guesser.post("/dashboard/sign-in/passkey", "answer", "{}").status]++
	}
	if statuses[403] != 20 || statuses[429] != 2 {
		t.Errorf("22 attempts within a minute from one address: %v", statuses)
	}
}

// Passkeys are added and used by pages of the same session only, and by what was asked for them.
func TestDashboardPasskeyPages(t *testing.T) {
	n := startDashboard(t)
	ada := n.keyHolder(t, n.account(t), "ada@example.com")
	id := base64.RawURLEncoding.EncodeToString(ada.key.ID)
	for path, fields := range map[string]string{
		"/dashboard/security/passkey/ask":    "",
		"/dashboard/security/passkey":        "name=Evil&answer=",
		"/dashboard/security/passkey/remove": "confirm=yes&passkey=" + id,
	} {
		if got := ada.send("POST", path, fields, "Sec-Fetch-Site", "same-origin"); got.status != 403 {
			t.Errorf("%s without a token: %d", path, got.status)
		}
		if got := ada.send("POST", path, fields+"&token="+ada.token(), "Sec-Fetch-Site", "cross-site"); got.status != 403 {
			t.Errorf("%s from another site: %d", path, got.status)
		}
		if got := newNamedPerson(t, ada.address).send("POST", path, fields, "Sec-Fetch-Site", "same-origin"); got.status != 403 {
			t.Errorf("%s signed out: %d", path, got.status)
		}
	}
	for _, path := range []string{"/dashboard/sign-in/passkey/ask", "/dashboard/sign-in/passkey"} {
		if got := ada.send("POST", path, "", "Sec-Fetch-Site", "cross-site"); got.status != 403 || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s from another site: %d", path, got.status)
		}
	}
	second := ada.person.device()
	for _, name := range []string{"", "  ", strings.Repeat("n", team.MaxPasskeyName+1), "a\nb"} {
		if got := second.add(name); got.header.Get("Location") != "/dashboard/security?wrong=passkey-name" {
			t.Errorf("name %q: %d %s", name, got.status, got.header.Get("Location"))
		}
	}
	answer := second.make()
	if got := ada.act("/dashboard/security/passkey", "name", "x", "answer", "{}"); got.header.Get("Location") != "/dashboard/security?wrong=passkey" {
		t.Errorf("no answer: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.act("/dashboard/security/passkey", "name", "x", "answer", answer); got.header.Get("Location") != "/dashboard/security?wrong=stale" {
		t.Errorf("another answer to the same question: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.add("Laptop again"); got.header.Get("Location") != "/dashboard/security?wrong=already-exists" {
		t.Errorf("the same passkey: %d %s", got.status, got.header.Get("Location"))
	}
	signIn, _ := ada.answer() // its question is none for a new passkey
	if got := ada.act("/dashboard/security/passkey", "name", "x", "answer", signIn); got.header.Get("Location") != "/dashboard/security?wrong=stale" {
		t.Errorf("an answer to another question: %d %s", got.status, got.header.Get("Location"))
	}
	answer = second.make() // another member's, in the same browser
	n.member(t, n.account(t), "bob@example.com", "developer")
	ada.act("/dashboard/sign-out")
	ada.signIn("bob@example.com", password)
	if got := ada.act("/dashboard/security/passkey", "name", "x", "answer", answer); got.header.Get("Location") != "/dashboard/security?wrong=stale" {
		t.Errorf("an answer to another member's question: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.act("/dashboard/security/passkey/remove", "passkey", id, "confirm", "yes"); got.header.Get("Location") != "/dashboard/security?wrong=no-such-passkey" {
		t.Errorf("another member's passkey is removed: %d %s", got.status, got.header.Get("Location"))
	}
	ada.act("/dashboard/sign-out")
	ada.signIn("ada@example.com", password)
	answer = second.make() // nor the other way round
	if got := ada.post("/dashboard/sign-in/passkey", "answer", answer); got.status != 403 {
		t.Errorf("signed in by a question for a new passkey: %d", got.status)
	}
	for i := 2; i <= team.MaxPasskeys; i++ {
		n.ahead.Add(int64(time.Second))
		if got := ada.person.device().add(fmt.Sprint(i)); got.header.Get("Location") != "/dashboard/security?done=passkey-added" {
			t.Errorf("passkey %d: %d %s", i, got.status, got.header.Get("Location"))
		}
	}
	if got := ada.act("/dashboard/security/passkey/ask"); got.status != 403 || !strings.Contains(ada.get("/dashboard/security").body, "as many passkeys as you may have") {
		t.Errorf("one more is asked for: %d", got.status)
	}
}

// Who has signed in long ago signs in again before it adds a passkey. A one-time link takes passkeys away.
func TestDashboardPasskeyProof(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	ada := n.keyHolder(t, account, "ada@example.com")
	n.ahead.Add(int64(team.ProofTime - 5*time.Second))
	second := ada.person.device()
	answer := second.make()
	n.ahead.Add(int64(10 * time.Second))
	if got := ada.act("/dashboard/security/passkey", "name", "x", "answer", answer); got.status != 403 || !strings.Contains(got.body, "Sign in again") {
		t.Errorf("added 10 minutes after signing in: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.act("/dashboard/security/passkey/ask"); got.status != 403 || !strings.Contains(ada.get("/dashboard/security").body, "Sign in again") {
		t.Errorf("asked for 10 minutes after signing in: %d", got.status)
	}
	if got := ada.act("/dashboard/sign-out", "next", "/dashboard/security"); got.header.Get("Location") != "/dashboard/sign-in?next=/dashboard/security" || ada.signedIn() {
		t.Errorf("sign in again: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.enter("/dashboard/security"); got.header.Get("Location") != "/dashboard/security" {
		t.Errorf("signed in again: %d", got.status)
	}
	n.ahead.Add(int64(time.Second))
	if got := second.at(ada.person).add("Key"); got.header.Get("Location") != "/dashboard/security?done=passkey-added" {
		t.Errorf("added after signing in by a passkey: %d %s", got.status, got.header.Get("Location"))
	}
	if got := ada.act("/dashboard/sign-out", "next", "//evil.example"); got.header.Get("Location") != "/dashboard/sign-in" {
		t.Errorf("signed out to %s", got.header.Get("Location"))
	}
	n.member(t, account, "ada@example.com", "owner") // by a new link
	lost := ada.at(newNamedPerson(t, ada.address))
	if got := lost.enter(""); got.status != 403 || lost.signedIn() {
		t.Errorf("signed in by a passkey from before the link: %d", got.status)
	}
}

// A passkey asks for no code of an authenticator.
func TestDashboardPasskeyIsTwoSteps(t *testing.T) {
	n := startDashboard(t)
	ada := n.keyHolder(t, n.account(t), "ada@example.com")
	ada.setFactor()
	n.ahead.Add(int64(time.Second))
	if p := n.person(t); p.signIn("ada@example.com", password).status != 200 || p.signedIn() {
		t.Error("no code is asked for after a password")
	}
	p := ada.at(newNamedPerson(t, ada.address))
	if got := p.enter(""); got.status != 303 || !p.signedIn() {
		t.Errorf("a code is asked for after a passkey: %d %s", got.status, got.body)
	}
}

// Passkeys are offered where browsers make them: at localhost, or by TLS at the name of public_url.
func TestDashboardPasskeyHosts(t *testing.T) {
	testkit.Long(t)
	local, public := startDashboard(t), startInProcessNode(t)
	numbers := startInProcessNode(t, func(c *node.Config) { c.PublicURL = "https://192.0.2.1" })
	for name, c := range map[string]struct {
		n       *inProcessNode
		host    string
		proxied bool
		offered bool
	}{
		"localhost":                 {local, passkeyHost, false, true},
		"the machine's number":      {local, "127.0.0.1:8080", false, false},
		"a name by TLS":             {public, "pdf.example", true, true},
		"behind a proxy, localhost": {public, passkeyHost, false, true},
		"a number by TLS":           {numbers, "192.0.2.1", true, false},
	} {
		headers := []string{"Host", c.host}
		if c.proxied {
			headers = append(headers, "X-Forwarded-For", "192.0.2.7")
		}
		p := c.n.person(t)
		page := p.send("GET", "/dashboard/sign-in", "", headers...)
		asked := p.send("POST", "/dashboard/sign-in/passkey/ask", "", append(headers, "Sec-Fetch-Site", "same-origin")...)
		if page.status != 200 || strings.Contains(page.body, "Sign in with a passkey") != c.offered || (asked.status == 200) != c.offered {
			t.Errorf("%s: %d, asked: %d %s", name, page.status, asked.status, asked.body)
		}
		if want := `"rpId":"` + strings.TrimSuffix(c.host, ":8080") + `"`; c.offered && !strings.Contains(asked.body, want) {
			t.Errorf("%s: no %s in %s", name, want, asked.body)
		}
	}
}

// A passkey that was added at one node signs in at another, and an answer is good once over all of them.
func TestDashboardPasskeyOverNodes(t *testing.T) {
	testkit.Long(t)
	c := startLocalClusterOf(t, 3, func(i int, cfg *node.Config) { cfg.Dev = i == 0 })
	p := newNamedPerson(t, c.address(0))
	if got := p.post("/dashboard/sign-in/demo", "plan", "business"); got.status != 303 {
		t.Fatalf("sign in: %d %s", got.status, got.body)
	}
	h := p.device()
	if got := h.add("Laptop"); got.header.Get("Location") != "/dashboard/security?done=passkey-added" {
		t.Fatalf("add a passkey: %d %s", got.status, got.header.Get("Location"))
	}
	q := h.at(newNamedPerson(t, c.address(1)))
	var answer, cookie string
	testkit.Eventually(t, "signed in at another node, once it has read of the passkey", func() bool {
		answer, cookie = q.answer()
		return q.post("/dashboard/sign-in/passkey", "answer", answer).status == 303 && q.signedIn()
	})
	for i := range c.nodes {
		thief := newNamedPerson(t, c.address(i))
		got := thief.send("POST", "/dashboard/sign-in/passkey", url.Values{"answer": {answer}}.Encode(), "Sec-Fetch-Site", "same-origin", "Cookie", cookie)
		if got.status != 403 || thief.signedIn() {
			t.Errorf("again at node %d: %d", i, got.status)
		}
	}
}
