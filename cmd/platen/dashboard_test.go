package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"platen.dev/cmd/platen/node"
	"platen.dev/events/testkit"
)

// password is one that the dashboard takes.
const password = "correct horse battery"

// person is somebody with a browser that has cookies, follows no redirects, and shows no pictures.
type person struct {
	t       *testing.T
	http    *http.Client
	address string // of the node
}

// reply is a response.
type reply struct {
	status int
	body   string
	header http.Header
}

func newPerson(t *testing.T, address string) *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, address: address}
	p.http = &http.Client{Jar: jar, Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return p
}

// send sends a request with headers that are names and values in turn.
func (p *person) send(method, path, body string, headers ...string) reply {
	p.t.Helper()
	req, err := http.NewRequest(method, p.address+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply{resp.StatusCode, string(b), resp.Header}
}

func (p *person) get(path string) reply { p.t.Helper(); return p.send("GET", path, "") }

// post sends a form as a page of the dashboard does. Fields are names and values in turn.
func (p *person) post(path string, fields ...string) reply {
	p.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return p.send("POST", path, form.Encode(), "Sec-Fetch-Site", "same-origin")
}

var tokenInput = regexp.MustCompile(`name="token" value="([^"]+)"`)

// token is that of the person's forms; "" if nobody is signed in.
func (p *person) token() string {
	p.t.Helper()
	if found := tokenInput.FindStringSubmatch(p.get("/dashboard/security").body); found != nil {
		return found[1]
	}
	return ""
}

// act sends a form with the token of the session.
func (p *person) act(path string, fields ...string) reply {
	p.t.Helper()
	return p.post(path, append(fields, "token", p.token())...)
}

func (p *person) signedIn() bool {
	p.t.Helper()
	return p.get("/dashboard").status == 200
}

func (p *person) signIn(email, password string) reply {
	p.t.Helper()
	return p.post("/dashboard/sign-in", "email", email, "password", password)
}

// startDashboard starts a node for people on this machine.
func startDashboard(t *testing.T) *inProcessNode {
	return startInProcessNode(t, func(c *node.Config) { c.PublicURL = "" })
}

func (n *inProcessNode) person(t *testing.T) *person { return newPerson(t, "http://"+n.Address()) }

// demo is signed in to the demo account of a plan.
func (n *inProcessNode) demo(t *testing.T, plan string) *person {
	t.Helper()
	p := n.person(t)
	if got := p.post("/dashboard/sign-in/demo", "plan", plan); got.status != 303 || !p.signedIn() {
		t.Fatalf("demo account %s: %d %s", plan, got.status, got.body)
	}
	return p
}

// member has somebody join an account by a link that the operator makes, and signs it in.
func (n *inProcessNode) member(t *testing.T, account, email, role string) *person {
	t.Helper()
	link := strings.Fields(n.machine.admin(t, "member", "invite", account, email, "--role", role))[0]
	p := n.person(t)
	path := strings.TrimPrefix(link, p.address)
	if got := p.get(path); got.status != 200 || !strings.Contains(got.body, email) {
		t.Fatalf("link %s: %d %s", link, got.status, got.body)
	}
	if got := p.post(path, "password", password, "repeat", password); got.status != 303 || !p.signedIn() {
		t.Fatalf("choose a password: %d %s", got.status, got.body)
	}
	return p
}

// A member cannot make a link for itself: a session would be enough to take the account.
func TestDashboardOwnLink(t *testing.T) {
	n := startDashboard(t)
	owner := n.member(t, n.account(t), "ada@example.com", "owner")
	if got := owner.act("/dashboard/members", "email", "Ada@Example.com", "role", "owner"); strings.Contains(got.body, "/dashboard/invitation/") || got.header.Get("Location") != "/dashboard/members?wrong=own-link" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if got := owner.act("/dashboard/members", "email", "grace@example.com", "role", "owner"); !strings.Contains(got.body, "/dashboard/invitation/") {
		t.Errorf("for another person: %d %s", got.status, got.body)
	}
}

// A person joins by a link, signs out and in again, and their actions are in the trail.
func TestDashboardMember(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	p := n.member(t, account, "ada@example.com", "owner")
	if got := p.act("/dashboard/sign-out"); got.status != 303 || p.signedIn() {
		t.Errorf("sign out: %d, signed in: %t", got.status, p.signedIn())
	}
	if got := p.get("/dashboard/jobs?status=failed"); got.status != 303 || got.header.Get("Location") != "/dashboard/sign-in?next=/dashboard/jobs%3Fstatus%3Dfailed" {
		t.Errorf("signed out, a page leads to %d %q", got.status, got.header.Get("Location"))
	}
	if got := p.signIn("ada@example.COM ", password); got.status != 303 || !p.signedIn() {
		t.Fatalf("sign in: %d %s", got.status, got.body)
	}
	made := p.act("/dashboard/keys", "name", "Shop", "kind", "test")
	secret := regexp.MustCompile(`sk_test_\w+`).FindString(made.body)
	if status := authenticated(p.address, secret); made.status != 200 || status != 404 {
		t.Fatalf("the new key is answered with %d; the page: %d %s", status, made.status, made.body)
	}
	if list := p.get("/dashboard/keys").body; strings.Contains(list, secret) || !strings.Contains(list, "Shop") {
		t.Error("the list of keys has the secret, or lacks the name")
	}
	id := regexp.MustCompile(`<code>(key_[a-z2-7]{8})<`).FindStringSubmatch(made.body)[1]
	if p.act("/dashboard/keys/revoke", "key", id); authenticated(p.address, secret) != 404 {
		t.Error("a key is revoked without a confirmation")
	}
	p.act("/dashboard/keys/revoke", "key", id, "confirm", "yes")
	testkit.Eventually(t, "the key is refused", func() bool { return authenticated(p.address, secret) == 401 })
	n.machine.admin(t, "account", "set-plan", account, "pro")
	trail := p.get("/dashboard/trail").body
	for _, want := range []string{"ada@example.com", "127.0.0.1", "operator", id} {
		if !strings.Contains(trail, want) {
			t.Errorf("the trail lacks %s:\n%s", want, trail)
		}
	}
	if list := n.machine.admin(t, "member", "list", account); !strings.Contains(list, "ada@example.com") || strings.Contains(list, "argon2") {
		t.Errorf("member list:\n%s", list)
	}
}

// Losing the right to a session ends it at the next request.
func TestDashboardSessionsEnd(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	for name, end := range map[string]func(p *person){
		"signed out by the operator": func(*person) { n.machine.admin(t, "member", "sign-out", account, "bob@example.com") },
		"removed":                    func(*person) { n.machine.admin(t, "member", "remove", account, "bob@example.com") },
		"everywhere":                 func(p *person) { p.act("/dashboard/security/close", "all", "yes") },
		"with a new password":        func(*person) { n.member(t, account, "bob@example.com", "owner") },
		"with another password": func(*person) {
			q := n.person(t)
			q.signIn("bob@example.com", password)
			changePassword(t, q)
		},
		"after two weeks": func(*person) { n.ahead.Add(int64(14*24*time.Hour + time.Minute)) },
	} {
		p := n.member(t, account, "bob@example.com", "developer")
		cookies := p.http.Jar.Cookies(mustURL(t, p.address))
		other := n.person(t) // the same session in another browser: a copied cookie
		other.http.Jar.SetCookies(mustURL(t, p.address), cookies)
		if !other.signedIn() {
			t.Fatalf("%s: not signed in before", name)
		}
		end(p)
		if other.signedIn() {
			t.Errorf("%s: still signed in", name)
		}
	}
}

// changePassword has somebody change the password, and looks at what is refused.
func changePassword(t *testing.T, p *person) {
	t.Helper()
	const other = "staple battery horse"
	for want, fields := range map[string][3]string{
		"wrong=current": {"not it at all", other, other}, "wrong=password-short": {password, "elevenchars", "elevenchars"},
		"wrong=password-repeat": {password, other, password}, "wrong=password-guess": {password, "bob@example.com", "bob@example.com"},
	} {
		if got := p.act("/dashboard/security/password", "current", fields[0], "password", fields[1], "repeat", fields[2]); got.header.Get("Location") != "/dashboard/security?"+want {
			t.Errorf("%s: %d %s", want, got.status, got.header.Get("Location"))
		} else if page := p.get(got.header.Get("Location")).body; !strings.Contains(page, "notice bad") {
			t.Errorf("%s is not said", want)
		}
	}
	if got := p.act("/dashboard/security/password", "current", password, "password", other, "repeat", other); got.header.Get("Location") != "/dashboard/security?done=password" || !p.signedIn() {
		t.Errorf("change the password: %d %s, signed in: %t", got.status, got.header.Get("Location"), p.signedIn())
	}
	if got := p.signIn("bob@example.com", password); got.status != 403 {
		t.Errorf("the password before: %d", got.status)
	}
	if got := p.signIn("bob@example.com", other); got.status != 303 {
		t.Errorf("the new password: %d", got.status)
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A member's permissions depend on its role.
func TestDashboardRoles(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	billing, developer := n.member(t, account, "bill@example.com", "billing"), n.member(t, account, "dev@example.com", "developer")
	id := n.submit(t, map[string]any{"html": "<p>x</p>"}).String()
	for path, want := range map[string][2]int{ // for billing and developer
		"GET ": {200, 200}, "GET /jobs": {200, 200}, "GET /jobs/" + id: {200, 200}, "GET /security": {200, 200},
		"GET /usage": {200, 200}, "GET /usage.csv": {200, 200}, "GET /usage/entries": {200, 200},
		"GET /webhooks": {403, 200}, "POST /webhooks/show": {403, 200}, "POST /webhooks/rotate": {403, 303}, "POST /webhooks/headers": {403, 303}, "POST /webhooks/headers/delete": {403, 303},
		"GET /playground": {403, 200}, "GET /playground/html-to-pdf": {403, 200}, "POST /playground/html-to-pdf": {403, 422}, "GET /playground/no-such": {403, 404}, "GET /jobs/" + id + "/pages/9.png": {403, 404},
		"GET /templates": {403, 200}, "GET /templates/edit": {403, 200}, "GET /templates/versions": {403, 303}, "GET /templates/export": {403, 303},
		"POST /templates/save": {403, 422}, "POST /templates/import": {403, 303}, "POST /templates/preview": {403, 200}, "POST /templates/preview.pdf": {403, 200},
		"POST /templates/default": {403, 303}, "POST /templates/duplicate": {403, 303}, "POST /templates/delete": {403, 303}, "POST /templates/restore": {403, 303},
		"GET /keys": {403, 200}, "GET /members": {403, 200}, "GET /trail": {403, 200}, "GET /jobs/" + id + "/download": {403, 0},
		"POST /keys": {403, 303}, "POST /keys/revoke": {403, 303}, "POST /jobs/" + id + "/cancel": {403, 0}, "POST /jobs/" + id + "/redeliver": {403, 303},
		"POST /members": {403, 403}, "POST /members/role": {403, 403}, "POST /members/remove": {403, 403}, "POST /members/invite-again": {403, 403},
	} {
		method, path, _ := strings.Cut(path, " ")
		for i, p := range []*person{billing, developer} {
			got := reply{}
			if method == "POST" {
				got = p.act("/dashboard" + path)
			} else {
				got = p.get("/dashboard" + path)
			}
			if want[i] != 0 && got.status != want[i] {
				t.Errorf("%s %s by %d: %d, not %d", method, path, i, got.status, want[i])
			}
		}
	}
}

// A form is accepted only if a page of the same session has sent it.
func TestDashboardForgery(t *testing.T) {
	testkit.Long(t)
	n := startDashboard(t)
	victim, other := n.demo(t, "business"), n.demo(t, "pro")
	fields := "name=Evil&kind=live&token="
	for name, c := range map[string]struct{ body, header, value string }{
		"no token":                 {fields, "Sec-Fetch-Site", "same-origin"},
		"another session's":        {fields + other.token(), "Sec-Fetch-Site", "same-origin"},
		"from another site":        {fields + victim.token(), "Sec-Fetch-Site", "cross-site"},
		"from a sibling":           {fields + victim.token(), "Sec-Fetch-Site", "same-site"},
		"typed":                    {fields + victim.token(), "Sec-Fetch-Site", "none"},
		"another origin":           {fields + victim.token(), "Origin", "https://evil.example"},
		"no origin":                {fields + victim.token(), "Origin", "null"},
		"a browser that says none": {fields + victim.token(), "Accept", "*/*"},
	} {
		if got := victim.send("POST", "/dashboard/keys", c.body, c.header, c.value); got.status != 403 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if got := victim.send("POST", "/dashboard/sign-in", "email=a&password=b", "Sec-Fetch-Site", "cross-site"); got.status != 403 {
		t.Errorf("a sign-in from another site: %d", got.status)
	}
	if got := victim.send("PUT", "/dashboard/keys", fields+victim.token(), "Sec-Fetch-Site", "same-origin"); got.status != 403 {
		t.Errorf("another method: %d", got.status)
	}
	if got := victim.send("GET", "/dashboard/keys?"+fields+victim.token(), "", "Sec-Fetch-Site", "same-origin"); strings.Contains(got.body, "sk_live_") && strings.Contains(got.body, "Evil") {
		t.Error("a link makes a key")
	}
	if list := victim.get("/dashboard/keys").body; strings.Contains(list, "Evil") {
		t.Error("a key was made")
	}
	if got := victim.send("POST", "/dashboard/keys", fields+victim.token(), "Origin", victim.address); got.status != 200 {
		t.Errorf("an older browser of the same origin: %d", got.status)
	}
}

// A cookie from before a sign-in is worthless after it, and scripts, other paths and plain HTTP do not see the new one.
func TestDashboardCookies(t *testing.T) {
	n := startDashboard(t)
	p := n.person(t)
	planted := &http.Cookie{Name: "platen", Value: "acc_dev_business.ses_planted." + strings.Repeat("A", 43), Path: "/"}
	p.http.Jar.SetCookies(mustURL(t, p.address), []*http.Cookie{planted})
	if p.signedIn() {
		t.Error("signed in by a cookie that somebody made up")
	}
	got := p.post("/dashboard/sign-in/demo", "plan", "business")
	set := got.header.Get("Set-Cookie")
	if strings.Contains(set, "ses_planted") || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax") || !p.signedIn() {
		t.Errorf("cookie %q", set)
	}
	for _, value := range []string{"", ".", "..", "a.b.c", "acc_dev_business..", strings.Repeat("x", 9000), "acc_dev_business.ses_x." + strings.Repeat("A", 43), "\x00.\x00.\x00"} {
		req, _ := http.NewRequest("GET", p.address+"/dashboard", nil)
		req.Header.Set("Cookie", "platen="+value)
		resp, err := (&http.Client{CheckRedirect: p.http.CheckRedirect}).Do(req)
		if err != nil {
			continue // the client refuses to send it
		}
		if resp.Body.Close(); resp.StatusCode != 303 {
			t.Errorf("cookie %.40q: %d", value, resp.StatusCode)
		}
	}
	id := n.submit(t, map[string]any{"html": "<p>x</p>"}).String()
	path := "/dashboard/jobs/" + id + "/download"
	testkit.Eventually(t, "the job is done", func() bool { return strings.Contains(p.get("/dashboard/jobs/"+id).body, path) })
	if got := p.send("GET", path, "", "Sec-Fetch-Site", "cross-site"); got.status != 403 {
		t.Errorf("another site's link downloads: %d", got.status)
	}
	if got := p.send("HEAD", path, ""); got.status != 403 {
		t.Errorf("a look at the headers downloads: %d", got.status)
	}
	if got := p.get(path); got.status != 200 || !strings.HasPrefix(got.body, "%PDF-") {
		t.Errorf("download: %d", got.status)
	}
	behind := startInProcessNode(t) // a proxy with TLS: https://pdf.example
	q := behind.person(t)
	if got := q.post("/dashboard/sign-in/demo", "plan", "business"); !strings.HasPrefix(got.header.Get("Set-Cookie"), "__Host-platen=") || !strings.Contains(got.header.Get("Set-Cookie"), "; secure") {
		t.Errorf("behind TLS the cookie is %q", got.header.Get("Set-Cookie"))
	}
	for host, want := range map[string]string{"10.0.0.1:8080": "https://pdf.example/dashboard", "pdf.example": ""} {
		if got := q.send("GET", "/dashboard/sign-in", "", "Host", host, "X-Forwarded-For", "192.0.2.1"); got.header.Get("Location") != want {
			t.Errorf("asked for %s: %d %q", host, got.status, got.header.Get("Location"))
		}
		if got := q.send("POST", "/dashboard/sign-in", "email=a&password=b", "Host", host, "Sec-Fetch-Site", "same-origin", "X-Forwarded-For", "192.0.2.1"); got.status != 403 {
			t.Errorf("signed in at %s: %d", host, got.status)
		}
	}
}

// One click signs in only from this machine: not through a proxy, and not by a name that somebody else has given to it.
func TestDashboardDemo(t *testing.T) {
	n := startDashboard(t)
	p := n.person(t)
	for _, h := range [][2]string{{"Host", "evil.example"}, {"X-Forwarded-For", "192.0.2.1"}, {"Forwarded", "for=192.0.2.1"}, {"Via", "1.1 proxy"}, {"Host", "127.0.0.1.evil.example"}} {
		got := p.send("POST", "/dashboard/sign-in/demo", "plan=business", "Sec-Fetch-Site", "same-origin", h[0], h[1])
		if got.status != 403 || p.signedIn() {
			t.Errorf("%s: %d", h, got.status)
		}
		if got := p.send("GET", "/dashboard/sign-in", "", h[0], h[1]); got.status != 403 || strings.Contains(got.body, "password") {
			t.Errorf("%s: without TLS a password is asked for: %d", h, got.status)
		}
	}
	if got := p.post("/dashboard/sign-in/demo", "plan", "gold"); got.status != 404 {
		t.Errorf("no such plan: %d", got.status)
	}
}

// Nobody learns which addresses are members', or whether the password is wrong; and guessing incurs delays.
func TestDashboardGuessing(t *testing.T) {
	testkit.Long(t)
	n := startDashboard(t)
	account := n.account(t)
	n.member(t, account, "ada@example.com", "owner")
	p := n.person(t)
	known, unknown := p.signIn("ada@example.com", "wrong password"), p.signIn("eve@example.com", "wrong password")
	if known.status != 403 || unknown.status != 403 || strings.ReplaceAll(known.body, "ada@", "eve@") != unknown.body {
		t.Errorf("known: %d\n%s\nunknown: %d\n%s", known.status, known.body, unknown.status, unknown.body)
	}
	for range 4 {
		p.signIn("ada@example.com", "wrong password")
	}
	if got := p.signIn("ada@example.com", password); got.status != 403 || got.body != known.body {
		t.Errorf("the right password after five wrong ones: %d", got.status)
	}
	n.ahead.Add(int64(16 * time.Second))
	if got := p.signIn("ada@example.com", password); got.status != 303 {
		t.Errorf("the right password after the delay: %d %s", got.status, got.body)
	}
	n.ahead.Add(int64(time.Minute))
	statuses := map[int]int{}
	for range 22 {
		statuses[p.signIn("eve@example.com", "wrong password").status]++
	}
	if statuses[403] != 20 || statuses[429] != 2 {
		t.Errorf("22 attempts within a minute from one address: %v", statuses)
	}
}

// A link works once, within its time, and only unchanged.
func TestDashboardLinks(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	p := n.person(t)
	link := func() string {
		return strings.TrimPrefix(strings.Fields(n.machine.admin(t, "member", "invite", account, "ada@example.com"))[0], p.address)
	}
	first := link()
	second := link() // which replaces it
	for name, path := range map[string]string{
		"replaced": first, "changed": second[:len(second)-2] + "AA", "of another account": strings.Replace(second, account, "acc_dev_pro", 1),
		"cut": second[:len(second)-1], "without a secret": second[:strings.LastIndex(second, "/")], "longer": second + "/x",
	} {
		if got := p.get(path); got.status != 404 || strings.Contains(got.body, "ada@example.com") {
			t.Errorf("%s: %d", name, got.status)
		}
		if got := p.post(path, "password", password, "repeat", password); got.status != 404 {
			t.Errorf("%s: a password is taken: %d", name, got.status)
		}
	}
	for _, c := range [][2]string{
		{"elevenchars", "elevenchars"},
		{strings.Repeat("é", 129), strings.Repeat("é", 129)},
		{password, password + "x"},
		{"aaaaaaaaaaaa", "aaaaaaaaaaaa"},
		{"ada@example.com", "ada@example.com"},
		{"", ""},
	} {
		if got := p.post(second, "password", c[0], "repeat", c[1]); got.status != 422 {
			t.Errorf("password %.20q: %d", c[0], got.status)
		}
	}
	if got := p.post(second, "password", "twelve chars", "repeat", "twelve chars"); got.status != 303 || !p.signedIn() {
		t.Errorf("twelve characters: %d", got.status)
	}
	if got := n.person(t).get(second); got.status != 404 {
		t.Errorf("a link that was used: %d", got.status)
	}
	third := link() // for a new password
	n.ahead.Add(int64(7*24*time.Hour + time.Second))
	if got := n.person(t).post(third, "password", password, "repeat", password); got.status != 404 {
		t.Errorf("a link that has run out: %d", got.status)
	}
	long := strings.Repeat("éa", 64)
	if got := n.person(t).post(link(), "password", long, "repeat", long); got.status != 303 {
		t.Errorf("128 characters: %d", got.status)
	}
	for _, typed := range []string{long, strings.ReplaceAll(long, "é", "e\u0301")} { // as another keyboard sends it
		if got := n.person(t).signIn("ada@example.com", typed); got.status != 303 {
			t.Errorf("sign in with 128 characters in %d bytes: %d", len(typed), got.status)
		}
	}
}

// A search finds a job by the part of its id that lists show, and says how much of it is needed.
func TestDashboardFindsJobs(t *testing.T) {
	n := startDashboard(t)
	id := n.submit(t, map[string]any{"html": "<p>x</p>"}).String()
	p := n.demo(t, "business")
	for _, typed := range []string{id, id[:8], id[:9], id[:12], strings.ToUpper(id[:8]), " " + id[:21] + " ", strings.ReplaceAll(id, "-", "")} {
		if got := p.get("/dashboard/jobs?id=" + url.QueryEscape(typed)); got.header.Get("Location") != "/dashboard/jobs/"+id {
			t.Errorf("%q: %d %s", typed, got.status, got.header.Get("Location"))
		}
	}
	for _, typed := range []string{id[:7], "00000000", id[:8] + "x", id + "0", "-", "job"} {
		if got := p.get("/dashboard/jobs?id=" + url.QueryEscape(typed)); got.status != 200 || !strings.Contains(got.body, "first 8 characters") || strings.Contains(got.body, "No jobs yet") {
			t.Errorf("%q: %d, without a word on what is needed", typed, got.status)
		}
	}
}

// The ids of another account reach nothing.
func TestDashboardOtherAccounts(t *testing.T) {
	n := startDashboard(t)
	id := n.submit(t, map[string]any{"html": "<p>Secret</p>"}).String()
	owner, stranger := n.demo(t, "business"), n.demo(t, "pro")
	if got := owner.get("/dashboard/jobs/" + id); got.status != 200 {
		t.Fatalf("its owner's job: %d", got.status)
	}
	for _, path := range []string{"", "/download", "/live", "/result", "/pages/1.png"} {
		if got := stranger.get("/dashboard/jobs/" + id + path); got.status != 404 {
			t.Errorf("GET job%s: %d", path, got.status)
		}
	}
	for _, path := range []string{"/cancel", "/redeliver"} {
		if got := stranger.act("/dashboard/jobs/" + id + path); got.status != 404 {
			t.Errorf("POST job%s: %d", path, got.status)
		}
	}
	for _, typed := range []string{id, id[:8]} {
		if got := stranger.get("/dashboard/jobs?id=" + typed); got.status == 303 || strings.Contains(got.body, "/dashboard/jobs/"+id) {
			t.Errorf("a search for %s finds another account's job", typed)
		}
	}
	key := strings.Fields(strings.Split(n.machine.admin(t, "key", "list", n.account(t)), "\n")[1])[0]
	stranger.act("/dashboard/keys/revoke", "key", key, "confirm", "yes")
	if got := authenticated("http://"+n.Address(), n.client.key); got != 404 {
		t.Errorf("another account's key is revoked: %d", got)
	}
	if got := stranger.act("/dashboard/members/remove", "member", "mem_x", "confirm", "yes"); got.header.Get("Location") != "/dashboard/members?wrong=no-such-member" {
		t.Errorf("another account's member: %d %s", got.status, got.header.Get("Location"))
	}
}

// No link leads away from the dashboard, no page can be framed or is cached, and callers' input is shown as text.
func TestDashboardPages(t *testing.T) {
	n := startDashboard(t)
	for _, next := range []string{"//evil.example", "https://evil.example", "/dashboard/../evil", `/dashboard\@evil.example`, "/docs", "javascript:alert(1)", "/dashboard\r\nX: y"} {
		p := n.person(t)
		n.machine.admin(t, "member", "invite", n.account(t), "ada@example.com")
		shown := p.get("/dashboard/sign-in?next=" + url.QueryEscape(next)).body
		if !strings.Contains(shown, `name="next" value="/dashboard"`) {
			t.Errorf("next %q is handed on:\n%s", next, shown)
		}
	}
	for _, next := range []string{"/dashboard/jobs", "/dashboard/jobs?status=failed&from=2026-01-31"} {
		if shown := n.person(t).get("/dashboard/sign-in?next=" + url.QueryEscape(next)).body; !strings.Contains(shown, fmt.Sprintf(`name="next" value="%s"`, html.EscapeString(next))) {
			t.Errorf("next %q is lost:\n%s", next, shown)
		}
	}
	const evil = `"><script>alert(1)</script>`
	p := n.demo(t, "business")
	p.act("/dashboard/keys", "name", evil, "kind", "live")
	id := n.submit(t, map[string]any{"html": "<p>x</p>", "tags": map[string]string{"a": evil}}).String()
	q := n.person(t)
	q.send("POST", "/dashboard/sign-in/demo", "plan=business", "Sec-Fetch-Site", "same-origin", "User-Agent", evil)
	for _, path := range []string{"", "/jobs", "/jobs/" + id, "/keys", "/members", "/trail", "/security", "/jobs?tag_name=" + url.QueryEscape(evil), "/jobs?id=" + url.QueryEscape(evil), "/jobs?from=" + url.QueryEscape(evil), "/nowhere" + url.PathEscape(evil), "/keys?done=" + url.QueryEscape(evil)} {
		got := p.get("/dashboard" + path)
		if strings.Contains(got.body, "<script>alert") {
			t.Errorf("%s shows what a caller has written as HTML", path)
		}
		for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if got.header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, got.header.Get(name))
			}
		}
		if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
}

var (
	ticketInput = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	setupKey    = regexp.MustCompile(`<code>([A-Z2-7]{32})</code>`)
)

// With a second factor the password is not enough, and a code works once.
func TestDashboardSecondFactor(t *testing.T) {
	n := startDashboard(t)
	account := n.account(t)
	p := n.member(t, account, "ada@example.com", "owner")
	setUp := p.get("/dashboard/security/factor")
	key, ticket := setupKey.FindStringSubmatch(setUp.body), ticketInput.FindStringSubmatch(setUp.body)
	if key == nil || ticket == nil {
		t.Fatalf("set-up: %d %s", setUp.status, setUp.body)
	}
	code := func(later time.Duration) string {
		c, err := totp.GenerateCode(key[1], time.Now().Add(time.Duration(n.ahead.Load())+later))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	tick := func() { n.ahead.Add(int64(30 * time.Second)) } // to the next code
	if got := p.act("/dashboard/security/factor", "ticket", ticket[1], "code", code(-2*time.Minute)); got.status != 422 {
		t.Errorf("set up with an old code: %d", got.status)
	}
	other := n.demo(t, "pro")
	if got := other.act("/dashboard/security/factor", "ticket", ticket[1], "code", code(0)); got.header.Get("Location") != "/dashboard/security/factor?wrong=ticket" {
		t.Errorf("another account's ticket: %d %s", got.status, got.header.Get("Location"))
	}
	first := code(0)
	if got := p.act("/dashboard/security/factor", "ticket", ticket[1], "code", first[:3]+" "+first[3:]); got.header.Get("Location") != "/dashboard/security?done=factor-set" {
		t.Fatalf("set up: %d %s", got.status, got.body)
	}
	q := n.person(t)
	asked := q.signIn("ada@example.com", password)
	if found := ticketInput.FindStringSubmatch(asked.body); asked.status != 200 || found == nil || q.signedIn() {
		t.Fatalf("the password alone: %d %s", asked.status, asked.body)
	} else {
		ticket = found
	}
	enter := func(code string) reply {
		return q.post("/dashboard/sign-in/code", "ticket", ticket[1], "code", code, "next", "/dashboard/jobs")
	}
	for name, wrong := range map[string]string{"used": first, "wrong": "000000", "empty": "", "long": strings.Repeat("1", 4000)} {
		if got := enter(wrong); got.status != 403 || q.signedIn() {
			t.Errorf("a code that is %s: %d", name, got.status)
		}
	}
	tick()
	if got := q.post("/dashboard/sign-in/code", "ticket", ticket[1]+"x", "code", code(0)); got.status != 303 || q.signedIn() {
		t.Errorf("a ticket that somebody changed: %d", got.status)
	}
	if got := enter(code(0)); got.header.Get("Location") != "/dashboard/jobs" || !q.signedIn() {
		t.Errorf("a code: %d %s", got.status, got.body)
	}
	signedIn := code(0)
	if got := q.act("/dashboard/security/factor/remove", "code", signedIn); got.header.Get("Location") != "/dashboard/security?wrong=code" {
		t.Errorf("turned off with the code that has signed in: %d %s", got.status, got.header.Get("Location"))
	}
	tick()
	if got := q.act("/dashboard/security/factor/remove", "code", "000000"); got.header.Get("Location") != "/dashboard/security?wrong=code" {
		t.Errorf("turned off with a wrong code: %d %s", got.status, got.header.Get("Location"))
	}
	if got := q.act("/dashboard/security/factor/remove", "code", code(0)); got.header.Get("Location") != "/dashboard/security?done=factor-removed" {
		t.Errorf("turned off: %d %s", got.status, got.header.Get("Location"))
	}
	if got := n.person(t).signIn("ada@example.com", password); got.status != 303 {
		t.Errorf("without a second factor again: %d", got.status)
	}
	n.ahead.Add(int64(11 * time.Minute))
	if got := enter(code(0)); got.header.Get("Location") != "/dashboard/sign-in" {
		t.Errorf("a code eleven minutes after the password: %d", got.status)
	}
	if got := q.act("/dashboard/security/password", "current", password, "password", password+"2", "repeat", password+"2"); got.status != 403 || !strings.Contains(got.body, "/dashboard/sign-in?next=/dashboard/security") {
		t.Errorf("another password eleven minutes after signing in: %d %s", got.status, got.body)
	}
}

// fieldIn is what a page's form sends in a hidden field.
func fieldIn(t *testing.T, page reply, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(page.body)
	if found == nil {
		t.Fatalf("the page has no %s: %s", name, page.body)
	}
	return found[1]
}

// A form that makes a secret makes only one, however often it is sent, as when a page is reloaded; the secret is shown once.
func TestDashboardSecretsAreMadeOnce(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	for _, c := range []struct {
		page, form, field, secret, again string
		fields                           []string
	}{
		{"/dashboard/keys", "/dashboard/keys", "next", `sk_live_\w+`, "/dashboard/keys?wrong=key-made", []string{"name", "Shop", "kind", "live"}},
		{"/dashboard/webhooks", "/dashboard/webhooks/rotate", "after", `whsec_[\w+/=]+`, "/dashboard/webhooks?wrong=secret-made", []string{"hours", "24", "confirm", "yes"}},
	} {
		fields := append(c.fields, c.field, fieldIn(t, p.get(c.page), c.field))
		shown := regexp.MustCompile(c.secret)
		made := p.act(c.form, fields...)
		if secret := shown.FindString(html.UnescapeString(made.body)); made.status != 200 || secret == "" {
			t.Fatalf("%s: %d without a secret", c.form, made.status)
		}
		for range 2 {
			again := p.act(c.form, fields...)
			if again.status != 303 || again.header.Get("Location") != c.again {
				t.Errorf("%s again: %d %s", c.form, again.status, again.header.Get("Location"))
			}
		}
		said := html.UnescapeString(p.get(c.again).body)
		if !strings.Contains(said, "already") || shown.MatchString(said) {
			t.Errorf("%s says nothing, or the secret: %s", c.again, said)
		}
		fields[len(fields)-1] = fieldIn(t, made, c.field) // the form of the page with the secret makes another
		if next := p.act(c.form, fields...); next.status != 200 || !shown.MatchString(html.UnescapeString(next.body)) {
			t.Errorf("%s makes no second one: %d", c.form, next.status)
		}
	}
	if keys := strings.Count(p.get("/dashboard/keys").body, "<bdi>Shop</bdi></th>"); keys != 2 {
		t.Errorf("two forms, one of them sent three times, made %d keys", keys)
	}
}

// Receivers get what members set for webhooks.
func TestDashboardWebhooks(t *testing.T) {
	n, hooks := startDashboard(t), newHooks(t)
	account, p := n.account(t), n.demo(t, "business")
	shown := regexp.MustCompile(`whsec_[\w+/=]+`)
	secretIn := func(r reply) string { return html.UnescapeString(shown.FindString(html.UnescapeString(r.body))) }
	if got, want := secretIn(p.act("/dashboard/webhooks/show")), strings.TrimSpace(n.machine.admin(t, "webhook", "secret", "show", account)); got != want {
		t.Errorf("the first secret is shown as %s, not %s", got, want)
	}
	if p.act("/dashboard/webhooks/rotate", "hours", "24"); secretIn(p.get("/dashboard/webhooks")) != "" {
		t.Error("the page shows a secret")
	}
	secret := secretIn(p.act("/dashboard/webhooks/rotate", "hours", "24", "confirm", "yes"))
	if got := p.act("/dashboard/webhooks/show"); got.header.Get("Location") != "/dashboard/webhooks?wrong=rotated" {
		t.Errorf("a secret is shown again: %d %s", got.status, got.header.Get("Location"))
	}
	for _, hours := range []string{"0", "121", "-1", "x", ""} {
		if got := p.act("/dashboard/webhooks/rotate", "hours", hours, "confirm", "yes"); got.status != 303 {
			t.Errorf("rotated with an overlap of %q hours: %d", hours, got.status)
		}
	}
	for _, name := range []string{"Content-Length", "webhook-id", "Acme-Signature", "a b", "", "X:"} {
		if got := p.act("/dashboard/webhooks/headers", "name", name, "value", "x"); got.header.Get("Location") != "/dashboard/webhooks?wrong=header" {
			t.Errorf("header %q: %d %s", name, got.status, got.header.Get("Location"))
		}
	}
	p.act("/dashboard/webhooks/headers", "name", "Authorization", "value", "Bearer 4711")
	p.act("/dashboard/webhooks/headers", "name", "X-Shop", "value", "1")
	p.act("/dashboard/webhooks/headers/delete", "header", "X-Shop", "confirm", "yes")
	if page := p.get("/dashboard/webhooks").body; strings.Contains(page, "4711") || !strings.Contains(page, "Authorization") {
		t.Error("the page shows the value of a header, or lacks its name")
	}
	n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": hooks.url})
	got := hooks.next(t)
	got.signed(t, secret, 0)
	if got.header.Get("Authorization") != "Bearer 4711" || got.header.Get("X-Shop") != "" {
		t.Errorf("headers %v", got.header)
	}
}
