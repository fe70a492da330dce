package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/events/testkit"
)

// operator is somebody with a browser on the machine of a node.
type operator struct{ *person }

// startConsole starts a node with a listener for operators.
func startConsole(t *testing.T) *inProcessNode {
	return startInProcessNode(t, func(c *node.Config) { c.Ops, c.PublicURL = "127.0.0.1:0", "" })
}

// link is one that `platen admin console` prints, as a path.
func (n *inProcessNode) link(t *testing.T) string {
	t.Helper()
	link := strings.Fields(n.machine.admin(t, "console"))[0]
	path, here := strings.CutPrefix(link, "http://"+n.OpsAddress())
	if !here {
		t.Fatalf("the link is %s", link)
	}
	return path
}

// operator is signed in to the console.
func (n *inProcessNode) operator(t *testing.T) operator {
	t.Helper()
	o := operator{newPerson(t, "http://"+n.OpsAddress())}
	if got := o.get(n.link(t)); got.status != 303 || got.header.Get("Location") != "/operator" {
		t.Fatalf("link: %d %s", got.status, got.body)
	}
	return o
}

func (o operator) token() string {
	o.t.Helper()
	if found := tokenInput.FindStringSubmatch(o.get("/operator/queues").body); found != nil {
		return found[1]
	}
	return ""
}

// act sends a form with the token of the session.
func (o operator) act(path string, fields ...string) reply {
	o.t.Helper()
	return o.post(path, append(fields, "token", o.token())...)
}

// does sends a form, and returns the page that it leads to.
func (o operator) does(path string, fields ...string) string {
	o.t.Helper()
	got := o.act(path, fields...)
	if got.status != 303 {
		o.t.Fatalf("POST %s: %d %s", path, got.status, got.body)
	}
	return o.get(got.header.Get("Location")).body
}

func holds(t *testing.T, where, body string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(body, w) {
			t.Errorf("%s lacks %q:\n%s", where, w, body)
		}
	}
}

// Nobody sees or does anything but an operator on this machine, with a link of its own.
func TestConsoleGuard(t *testing.T) {
	n := startConsole(t)
	link := n.link(t)
	stranger := newPerson(t, "http://"+n.OpsAddress())
	if got := stranger.get("/operator"); got.status != 401 || !strings.Contains(got.body, "platen admin console") {
		t.Errorf("without a session: %d", got.status)
	}
	if got := stranger.send("HEAD", link, ""); got.status != 403 {
		t.Errorf("HEAD of a link: %d", got.status)
	}
	if got := stranger.send("GET", link, "", "Host", "evil.example"); got.status != 403 {
		t.Errorf("link by a name of another host: %d", got.status)
	}
	o := operator{stranger}
	got := o.get(link)
	cookie := got.header.Get("Set-Cookie")
	if got.status != 303 || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "path=/operator") || !strings.Contains(cookie, "max-age=28800") {
		t.Errorf("link: %d, cookie %q", got.status, cookie)
	}
	if got := newPerson(t, "http://"+n.OpsAddress()).get(link); got.status != 403 {
		t.Errorf("link again: %d", got.status)
	}
	if got := o.get("/operator"); got.status != 200 || got.header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("signed in: %d %v", got.status, got.header)
	}
	form, token := "/operator/accounts/acc_dev_free/plan", o.token()
	for name, headers := range map[string][]string{
		"no origin": nil, "another site": {"Sec-Fetch-Site", "cross-site"}, "another port": {"Sec-Fetch-Site", "same-site"},
		"another origin": {"Origin", "http://127.0.0.1:1"}, "a name of another host": {"Sec-Fetch-Site", "same-origin", "Host", "evil.example"},
	} {
		if got := o.send("POST", form, "plan=pro&token="+token, headers...); got.status != 403 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	for _, wrong := range []string{"", "x", token + "x"} {
		if got := o.post(form, "plan", "pro", "token", wrong); got.status != 403 {
			t.Errorf("token %q: %d", wrong, got.status)
		}
	}
	if got := o.send("PUT", form, "plan=pro&token="+token, "Sec-Fetch-Site", "same-origin"); got.status != 403 {
		t.Errorf("PUT: %d", got.status)
	}
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		if got := o.send("GET", "/operator", "", header, "192.0.2.1"); got.status != 404 || got.body != sansID(o.get("/nowhere"), got) {
			t.Errorf("through a proxy (%s): %d %s", header, got.status, got.body)
		}
	}
	if usage := n.machine.admin(t, "account", "usage", "acc_dev_free"); !strings.Contains(usage, "free") {
		t.Errorf("something has changed the account:\n%s", usage)
	}
	if got := o.act("/operator/sign-out"); got.status != 303 || o.get("/operator").status != 401 {
		t.Errorf("sign out: %d", got.status)
	}
}

// sansID is the body of a response, with what is different in every response as in another.
func sansID(r, as reply) string {
	return strings.ReplaceAll(r.body, r.header.Get("X-Request-ID"), as.header.Get("X-Request-ID"))
}

// The console is not on the API's port, and what else is on the operator's is for reading only.
func TestConsoleIsOnItsListenerOnly(t *testing.T) {
	n := startConsole(t)
	api := newPerson(t, "http://"+n.Address())
	for _, path := range []string{"/operator", "/operator/cluster", n.link(t)} {
		if got := api.get(path); got.status != 404 {
			t.Errorf("%s at the API: %d", path, got.status)
		}
	}
	ops := newPerson(t, "http://"+n.OpsAddress())
	for path, want := range map[string]int{"/metrics": 405, "/healthz": 405, "/jobs": 404, "/dashboard": 404, "/operators": 404} {
		if got := ops.send("POST", path, ""); got.status != want {
			t.Errorf("POST %s: %d, want %d", path, got.status, want)
		}
	}
	for size, want := range map[int]int{16 << 10: 403, 16<<10 + 1: 413} {
		response, err := http.Post("http://"+n.OpsAddress()+"/operator/accounts", "text/plain", strings.NewReader(strings.Repeat("x", size)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.Body.Close() != nil || response.StatusCode != want {
			t.Errorf("%d bytes: %d, %v", size, response.StatusCode, err)
		}
	}
}

// Without a listener for operators there is no link, and the command says why.
func TestConsoleWithoutListener(t *testing.T) {
	n := startInProcessNode(t, func(c *node.Config) { c.Ops = "" })
	err := run([]string{"admin", "console", "--data", n.machine.data}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "set ops in platen.toml") {
		t.Errorf("got %v", err)
	}
}

// Accounts are found, opened and changed as by `platen admin`, and the audit trail says that an operator did it.
func TestConsoleAccounts(t *testing.T) {
	n := startConsole(t)
	o := n.operator(t)
	list := o.get("/operator").body
	holds(t, "the list", list, "acc_dev_free", "acc_dev_business")
	if found := o.get("/operator?find=dev_pro").body; !strings.Contains(found, "acc_dev_pro") || strings.Contains(found, "acc_dev_free") {
		t.Errorf("search:\n%s", found)
	}
	const account = "/operator/accounts/acc_dev_free"
	holds(t, "the account", o.get(account).body, "acc_dev_free", "Live quota", "sk_")
	holds(t, "a refused change", o.act(account+"/blocks", "number", "2").body, "Extra volume is sold on the business plan only")
	holds(t, "a wrong number", o.act(account+"/blocks", "number", "-1").body, "not a whole number")
	holds(t, "an unknown plan", o.act(account+"/plan", "plan", "gold").body, "There’s no such plan")
	holds(t, "a plan", o.does(account+"/plan", "plan", "business"), "Plan changed.")
	holds(t, "blocks", o.does(account+"/blocks", "number", "2"), "Extra volume changed.")
	holds(t, "a file limit", o.does(account+"/file-limit", "number", "200"), "File limit changed.")
	holds(t, "the usage", n.machine.admin(t, "account", "usage", "acc_dev_free"), "business", "2 blocks", "209715200 bytes")
	form := []string{"name", "<Shop>", "kind", "test", "next", fieldIn(t, o.get(account), "next")}
	made := o.act(account+"/keys", form...).body
	holds(t, "a key", made, "sk_test_", "&lt;Shop&gt;", "operator")
	if strings.Contains(o.get(account).body, secretOf(made)) {
		t.Error("the secret is shown again")
	}
	if again := o.act(account+"/keys", form...); again.status != 409 || !strings.Contains(again.body, "made already") || strings.Contains(again.body, secretOf(made)) {
		t.Errorf("a form that is sent again: %d", again.status)
	}
	if keys := n.machine.admin(t, "key", "list", "acc_dev_free"); strings.Count(keys, "<Shop>") != 1 {
		t.Errorf("a form that was sent twice made\n%s", keys)
	}
	key := strings.Fields(lineWith(n.machine.admin(t, "key", "list", "acc_dev_free"), "<Shop>"))[0]
	holds(t, "a revoked key", o.does(account+"/keys/revoke", "key", key), "Key revoked.", "Revoked")
	holds(t, "a new account", o.does("/operator/accounts", "plan", "starter"), "Account created.", "Starter")
	if got := o.get("/operator/accounts/acc_nobody"); got.status != 404 || !strings.Contains(got.body, "There’s no such account") {
		t.Errorf("an account that does not exist: %d", got.status)
	}
}

// A suspended account gets no new job, whoever asks, keeps what it has, and reads why.
func TestConsoleSuspends(t *testing.T) {
	n := startConsole(t)
	o, account := n.operator(t), "/operator/accounts/"+n.account(t)
	body := map[string]any{"html": "<p>x</p>", "test": true}
	before := n.submit(t, body)
	for name, reason := range map[string]string{"none": "", "too long": strings.Repeat("ä", 201), "two lines": "a\nb"} {
		if got := o.act(account+"/suspend", "reason", reason); got.status != 409 || !strings.Contains(got.body, "a reason of up to 200 characters") {
			t.Errorf("reason %s: %d", name, got.status)
		}
	}
	holds(t, "the longest reason", o.does(account+"/suspend", "reason", strings.Repeat("ä", 200)), "Account suspended.")
	holds(t, "another reason", o.does(account+"/suspend", "reason", "<b>unpaid</b>"), "&lt;b&gt;unpaid&lt;/b&gt;", "Account suspended", "Resume account", "operator")
	holds(t, "the list", o.get("/operator").body, "badge failed")
	if _, status, err := n.client.post("http://"+n.Address()+"/html-to-pdf", body); err != nil || status != 403 {
		t.Errorf("a job of a suspended account: %d, %v", status, err)
	}
	p := n.demo(t, "business")
	p.done(before.String())
	holds(t, "the member's page", p.get("/dashboard").body, "This account is suspended", "&lt;b&gt;unpaid&lt;/b&gt;")
	holds(t, "the playground", p.act(tryHTML, "do", "run", "mode", "test", "body.html", "<p>x</p>").body, "account-suspended")
	if other := n.demo(t, "pro").get("/dashboard").body; strings.Contains(other, "suspended") {
		t.Error("another account is suspended too")
	}
	holds(t, "resumed", o.does(account+"/resume"), "Account resumed.", "Suspend account")
	n.submit(t, body)
	if strings.Contains(p.get("/dashboard").body, "suspended") {
		t.Error("the account still seems to be suspended")
	}
	holds(t, "the command", n.machine.admin(t, "account", "suspend", n.account(t), "--reason", "Invoice 7"), "is suspended")
	holds(t, "the list", lineWith(n.machine.admin(t, "account", "list"), n.account(t)), "T")
	holds(t, "the command", n.machine.admin(t, "account", "resume", n.account(t)), "gets jobs again")
}

func secretOf(body string) string {
	at := strings.Index(body, "sk_test_")
	return body[at : at+strings.IndexAny(body[at:], "<\" ")]
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return part
}

// Operators see which jobs have failed or taken long, and which receivers fail.
func TestConsoleRecent(t *testing.T) {
	n := startConsole(t)
	o := n.operator(t)
	holds(t, "no jobs yet", o.get("/operator/jobs").body, "0 done and 0 failed", "No job has failed.", "No webhook has failed.")
	gone := httptest.NewServer(http.NotFoundHandler())
	address := gone.URL
	gone.Close()
	n.submit(t, map[string]any{"html": "<p>x</p>", "test": true, "webhook_url": address + "/secret"})
	failed, status, err := n.client.post("http://"+n.Address()+"/url-to-pdf", map[string]any{"url": address, "test": false})
	if err != nil || status != 202 {
		t.Fatal(status, err)
	}
	var page string
	testkit.Eventually(t, "the jobs have ended, and the webhook has failed", func() bool {
		page = o.get("/operator/jobs").body
		return strings.Contains(page, "1 done and 1 failed") && strings.Contains(page, "connection refused")
	})
	holds(t, "the page", page, failed.String(), n.account(t), strings.TrimPrefix(address, "http://"), "Page not reached")
	if strings.Contains(page, "secret") {
		t.Error("the path of the webhook is shown")
	}
	holds(t, "the command", n.machine.admin(t, "job", "recent"), "1 done, 1 failed", "1 × NAVIGATION_FAILED", failed.String(), strings.TrimPrefix(address, "http://"))
}

// An operator drains a node of a cluster by its page, and takes it back.
func TestConsoleDrains(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startLocalClusterOf(t, 2, func(_ int, c *node.Config) { c.Ops, c.PublicURL = "127.0.0.1:0", "" })
	testkit.Eventually(t, "the nodes share the shards", func() bool { s := c.share(); return s[0] == 3 && s[1] == 3 })
	o := (&inProcessNode{Node: c.nodes[0], machine: c.machines[0]}).operator(t)
	holds(t, "drain", o.does("/operator/cluster/drain"), "This node is draining.", "Stop draining this node", "draining")
	testkit.Eventually(t, "the other one owns everything", func() bool { return c.share()[1] == clusterPartitions })
	if got := o.act("/operator/cluster/drain"); got.status != 303 {
		t.Errorf("drained again: %d", got.status)
	}
	taken := o.does("/operator/cluster/undrain")
	holds(t, "undrain", taken, "This node is no longer draining.")
	if strings.Contains(taken, "Stop draining this node") {
		t.Error("the page would stop a draining that has ended")
	}
	testkit.Eventually(t, "the node has its share again", func() bool { return c.share()[0] == 3 })
}

// The cluster and the queues are shown as `platen status` has them. A node that is alone cannot be drained.
func TestConsoleCluster(t *testing.T) {
	n := startConsole(t)
	o := n.operator(t)
	holds(t, "the cluster", o.get("/operator/cluster").body, "this node", "serving", "Partitions", "Feature level")
	holds(t, "the queues", o.get("/operator/queues").body, "quick", "No jobs are waiting or running.")
	if got := o.act("/operator/cluster/drain"); got.status != 409 || !strings.Contains(got.body, "no other node is up") {
		t.Errorf("drain: %d %s", got.status, got.body)
	}
	holds(t, "undrain", o.does("/operator/cluster/undrain"), "no longer draining")
	holds(t, "raise", o.does("/operator/cluster/raise"), "Feature level raised.")
	if got := o.get("/operator/nowhere"); got.status != 404 {
		t.Errorf("a page that does not exist: %d", got.status)
	}
}
