package main

import (
	"net/http"
	"net/url"
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
	leave := p.get("/dashboard/sign-in/away?next=" + url.QueryEscape(next))
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

// Members sign in at the provider by their email address; who was invited joins so. Others are sent away.
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
	if got := ada.get(ada.goAway("/dashboard/keys")); got.header.Get("Location") != "/dashboard/keys" || !ada.signedIn() {
		t.Fatalf("an invited member: %d %s", got.status, got.body)
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

// What comes back signs in only the browser that went away, once.
func TestDashboardProviderForgery(t *testing.T) {
	n, _ := startWithProvider(t, "ada@example.com")
	n.machine.admin(t, "member", "invite", n.account(t), "ada@example.com")
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

// A second factor is asked for, whoever has vouched for the first.
func TestDashboardProviderSecondFactor(t *testing.T) {
	n, _ := startWithProvider(t, "ada@example.com")
	p := n.member(t, n.account(t), "ada@example.com", "developer")
	p.setFactor()
	q := n.person(t)
	if got := q.get(q.goAway("")); q.signedIn() || !strings.Contains(got.body, "Enter your code") {
		t.Errorf("without a code: %d %s", got.status, got.body)
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
