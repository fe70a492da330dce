package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"platen.dev/cmd/platen/node"
	"platen.dev/edge/dashboard/sso/ssotest"
)

// startWithProvider starts a node whose members may sign in at an OpenID provider.
func startWithProvider(t *testing.T, email string) (*inProcessNode, *ssotest.Server) {
	provider := ssotest.New(t, email)
	return startInProcessNode(t, func(c *node.Config) {
		makePublic(t, c)
		c.OIDC = node.OIDCConfig{Issuer: provider.URL, ClientID: ssotest.ClientID, ClientSecret: ssotest.ClientSecret, Name: "Lovelace Works"}
	}), provider
}

// goAway goes to the provider, and returns the address at which it sends the browser back.
func (p *person) goAway(next string) string {
	p.t.Helper()
	return p.leave("/dashboard/sign-in/away?next=" + url.QueryEscape(next))
}

// leave goes to the provider by a page's link.
func (p *person) leave(link string) string {
	p.t.Helper()
	leave := p.get(link)
	if leave.status != 303 {
		p.t.Fatalf("%d %s", leave.status, leave.body)
	}
	response, err := p.http.Get(leave.header.Get("Location"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	back := response.Header.Get("Location")
	if response.StatusCode != http.StatusFound || !strings.HasPrefix(back, p.address+"/dashboard/sign-in/back?") {
		p.t.Fatalf("sent back to %d %s", response.StatusCode, back)
	}
	return strings.TrimPrefix(back, p.address)
}

// Members sign in at the provider by their email address; invited ones join in this way. Others are turned away.
func TestDashboardProvider(t *testing.T) {
	n, provider := startWithProvider(t, "Ada@Example.com")
	account := n.account(t)
	if !strings.Contains(n.person(t).get("/dashboard/sign-in").body, "Sign in with Lovelace Works") {
		t.Error("the sign-in page does not name the provider")
	}
	stranger := n.person(t)
	if got := stranger.get(stranger.goAway("")); got.status != 403 || stranger.signedIn() || !strings.Contains(got.body, "No account") {
		t.Errorf("a stranger: %d %s", got.status, got.body)
	}
	link := strings.Fields(n.machine.admin(t, "member", "invite", account, "ada@example.com", "--role", "developer"))[0]
	ada := n.person(t)
	offer := ada.get(ada.goAway("/dashboard/keys"))
	if ada.signedIn() || !strings.Contains(offer.body, account) {
		t.Fatalf("somebody invited: %d %s", offer.status, offer.body)
	}
	if got := ada.choose(offer.body, account); got.header.Get("Location") != "/dashboard/keys" || !ada.signedIn() {
		t.Fatalf("an invitation that was chosen: %d %s", got.status, got.body)
	}
	if got := ada.get(strings.TrimPrefix(link, ada.address)); got.status != 404 {
		t.Errorf("the link is good after it was used: %d", got.status)
	}
	if trail := ada.get("/dashboard/trail").body; !strings.Contains(trail, "Member joined") || !strings.Contains(trail, "Session opened") {
		t.Error("the audit trail lacks the sign-in")
	}
	again := n.person(t)
	if again.get(again.goAway("https://evil.example")); !again.signedIn() {
		t.Error("a member cannot sign in twice")
	}
	provider.Claim(map[string]any{"email": "ada@example.com", "email_verified": false})
	doubtful := n.person(t)
	if got := doubtful.get(doubtful.goAway("")); got.status != 403 || doubtful.signedIn() {
		t.Errorf("an address that is not verified: %d", got.status)
	}
	n.machine.admin(t, "member", "remove", account, "ada@example.com")
	provider.Claim(map[string]any{"email": "ada@example.com", "email_verified": true})
	removed := n.person(t)
	if got := removed.get(removed.goAway("")); got.status != 403 || removed.signedIn() || ada.signedIn() {
		t.Errorf("a removed member: %d", got.status)
	}
}

// The provider's answer signs in only the browser that was sent there, once.
func TestDashboardProviderForgery(t *testing.T) {
	n, _ := startWithProvider(t, "ada@example.com")
	n.machine.admin(t, "member", "invite", n.account(t), "ada@example.com")
	first := n.person(t)
	first.choose(first.get(first.goAway("")).body, n.account(t))
	ada, mallory := n.person(t), n.person(t)
	back := ada.goAway("")
	if got := mallory.get(back); got.status != 403 || mallory.signedIn() {
		t.Errorf("a browser that never went away: %d", got.status)
	}
	mallory.goAway("")
	if got := mallory.get(back); got.status != 403 || mallory.signedIn() {
		t.Errorf("a browser with an attempt of its own: %d", got.status)
	}
	back = ada.goAway("")
	if ada.get(back); !ada.signedIn() {
		t.Error("the browser that went away is not signed in")
	}
	for _, path := range []string{"/dashboard/sign-in/back", "/dashboard/sign-in/back?error=access_denied&state=x", back} {
		p := n.person(t)
		if got := p.get(path); got.status != 403 || p.signedIn() {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := startDashboard(t).person(t).get("/dashboard/sign-in/away"); got.status != 303 || got.header.Get("Location") != "/dashboard/sign-in?next=/dashboard/sign-in/away" {
		t.Errorf("without a provider: %d %s", got.status, got.header.Get("Location"))
	}
}

// A second factor is required, whoever has vouched for the first.
func TestDashboardProviderSecondFactor(t *testing.T) {
	n, _ := startWithProvider(t, "ada@example.com")
	p := n.member(t, n.account(t), "ada@example.com", "developer")
	p.connect("ada@example.com")
	p.setFactor()
	q := n.person(t)
	if got := q.get(q.goAway("")); q.signedIn() || !strings.Contains(got.body, "Enter your code") {
		t.Errorf("without a code: %d %s", got.status, got.body)
	}
}

// Anybody with an account can invite any address, and use the link. A provider's word leads nobody to such an account: only to those that they have
// joined or connected themselves.
func TestDashboardProviderOfStrangers(t *testing.T) {
	n, provider := startWithProvider(t, "ada@example.com")
	mine := n.account(t)
	var foreign []string
	for range 22 { // more than a sign-in looks at
		account := strings.Fields(n.machine.admin(t, "account", "create", "--plan", "free"))[2]
		n.member(t, account, "ada@example.com", "owner") // the stranger, who has made the link
		foreign = append(foreign, account)
	}
	ada := n.member(t, mine, "ada@example.com", "developer")
	visit := n.person(t)
	if got := visit.get(visit.goAway("")); got.status != 403 || visit.signedIn() || strings.Contains(got.body, foreign[0]) {
		t.Fatalf("not connected: %d %s", got.status, got.body)
	}
	ada.connect("ada@example.com")
	if visit.get(visit.goAway("")); !strings.Contains(visit.get("/dashboard").body, mine) {
		t.Error("the account that is connected did not open")
	}
	if got := visit.signIn("ada@example.com", password); got.status != 200 || strings.Contains(got.body, "/dashboard/jobs") {
		t.Errorf("a password that is good in many accounts: %d %s", got.status, got.body)
	}
	named := n.person(t)
	if named.post("/dashboard/sign-in", "email", "ada@example.com", "password", password, "account", mine); !strings.Contains(named.get("/dashboard").body, mine) {
		t.Error("the account that was named did not open")
	}
	provider.Claim(map[string]any{"email": "ada@example.com", "email_verified": true, "sub": "4712"})
	other := n.person(t)
	if got := other.get(other.goAway("")); got.status != 403 || other.signedIn() {
		t.Errorf("another person with the address: %d", got.status)
	}
	provider.Claim(map[string]any{"email": "lovelace@example.com", "email_verified": true})
	moved := n.person(t)
	if moved.get(moved.goAway("")); !moved.signedIn() {
		t.Error("the same person with another address is not signed in")
	}
	moved.act("/dashboard/security/provider/remove", "confirm", "yes")
	gone := n.person(t)
	if got := gone.get(gone.goAway("")); got.status != 403 || gone.signedIn() {
		t.Errorf("disconnected: %d", got.status)
	}
}

// However many strangers have invited an address, the invitation by whose link somebody goes to the provider is offered.
func TestDashboardProviderOfTheInvitation(t *testing.T) {
	n, _ := startWithProvider(t, "ada@example.com")
	for range 22 { // more than a sign-in looks at
		account := strings.Fields(n.machine.admin(t, "account", "create", "--plan", "free"))[2]
		n.machine.admin(t, "member", "invite", account, "ada@example.com")
	}
	mine := strings.Fields(n.machine.admin(t, "account", "create", "--plan", "pro"))[2]
	link := strings.Fields(n.machine.admin(t, "member", "invite", mine, "ada@example.com"))[0]
	ada := n.person(t)
	button := regexp.MustCompile(`href="(/dashboard/sign-in/away[^"]*)"`).FindStringSubmatch(ada.get(strings.TrimPrefix(link, ada.address)).body)
	if button == nil {
		t.Fatal("the page of the invitation does not lead to the provider")
	}
	offer := ada.get(ada.leave(html.UnescapeString(button[1])))
	if ada.choose(offer.body, mine); !strings.Contains(ada.get("/dashboard").body, mine) {
		t.Errorf("the account of the invitation did not open: %d %s", offer.status, offer.body)
	}
}

// A member of several accounts chooses one, and another later. A choice holds as long as the proof behind it.
func TestDashboardChoice(t *testing.T) {
	n := startDashboard(t)
	first, second := n.account(t), strings.Fields(n.machine.admin(t, "account", "create", "--plan", "pro"))[2]
	n.member(t, first, "ada@example.com", "owner")
	there := n.member(t, second, "ada@example.com", "developer")
	p := n.person(t)
	offer := p.signIn("ada@example.com", password)
	if p.signedIn() || !strings.Contains(offer.body, first) || !strings.Contains(offer.body, second) {
		t.Fatalf("not asked: %d %s", offer.status, offer.body)
	}
	if p.choose(offer.body, second); !strings.Contains(p.get("/dashboard").body, second) {
		t.Error("the account that was chosen did not open")
	}
	if p.choose(p.signIn("ada@example.com", password).body, first); !strings.Contains(p.get("/dashboard").body, first) {
		t.Error("a member cannot switch to another account")
	}
	if sessions := strings.Count(there.get("/dashboard/security").body, `name="session"`); sessions != 1 {
		t.Errorf("%d sessions in the account that was left, want that of another browser", sessions)
	}
	there.act("/dashboard/security/password", "current", password, "password", password+"!", "repeat", password+"!")
	late := n.person(t)
	if late.choose(offer.body, second); late.signedIn() {
		t.Error("signed in by a password that was changed since")
	}
	forged := strings.ReplaceAll(choiceTicket(t, offer.body, first), first, second)
	if late.post("/dashboard/sign-in/account", "ticket", forged); late.signedIn() {
		t.Error("signed in to another account than was chosen")
	}
}

// choiceTicket finds the ticket of an account on a page that offers some.
func choiceTicket(t *testing.T, body, account string) string {
	t.Helper()
	m := regexp.MustCompile(`name="ticket" value="(` + account + `\.[^"]+)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("%s is not offered: %s", account, body)
	}
	return m[1]
}

// choose chooses one of the accounts that a page offers.
func (p *person) choose(body, account string) reply {
	p.t.Helper()
	next := regexp.MustCompile(`name="next" value="([^"]*)"`).FindStringSubmatch(body)
	return p.post("/dashboard/sign-in/account", "ticket", choiceTicket(p.t, body, account), "next", next[1])
}

// connect connects a member with its identity at the provider, which has the given address there.
func (p *person) connect(there string) {
	p.t.Helper()
	leave := p.get("/dashboard/security/provider")
	sent, err := p.http.Get(leave.header.Get("Location"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer sent.Body.Close()
	asked := p.get(strings.TrimPrefix(sent.Header.Get("Location"), p.address))
	ticket := ticketInput.FindStringSubmatch(asked.body)
	if asked.status != 200 || ticket == nil || !strings.Contains(asked.body, there) {
		p.t.Fatalf("not asked whether to connect: %d %s", asked.status, asked.body)
	}
	if got := p.act("/dashboard/security/provider", "ticket", ticket[1]); got.header.Get("Location") != "/dashboard/security?done=connected" {
		p.t.Fatalf("not connected: %d %s", got.status, got.header.Get("Location"))
	}
}

// setFactor sets an authenticator up.
func (p *person) setFactor() {
	p.t.Helper()
	page := p.get("/dashboard/security/factor").body
	code, err := totp.GenerateCode(setupKey.FindStringSubmatch(page)[1], time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	if got := p.act("/dashboard/security/factor", "ticket", ticketInput.FindStringSubmatch(page)[1], "code", code); got.header.Get("Location") != "/dashboard/security?done=factor-set" {
		p.t.Fatalf("set up: %d %s", got.status, got.body)
	}
}
