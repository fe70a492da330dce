package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/net/html"

	"platen.dev/edge/dashboard/form"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

const tryHTML = "/dashboard/playground/html-to-pdf"

var resultLink = regexp.MustCompile(`href="/dashboard/jobs/([0-9a-f-]{36})"`)

// tried is the job that a page of the playground shows; "" for none.
func (r reply) tried() string {
	if found := resultLink.FindStringSubmatch(r.body); found != nil {
		return found[1]
	}
	return ""
}

// done waits until a job is done, and returns its page.
func (p *person) done(id string) (page string) {
	p.t.Helper()
	testkit.Eventually(p.t, "the job is done", func() bool {
		page = p.get("/dashboard/jobs/" + id).body
		return strings.Contains(page, "3 of 3 downloads left")
	})
	return page
}

// Input in the form runs as a job of the account, in test mode unless it is to be charged.
func TestDashboardPlayground(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	var ids []string
	for mode, test := range map[string]bool{"": true, "test": true, "LIVE": true, "live": false} {
		got := p.act(tryHTML, "do", "run", "mode", mode, "once", mode, "body.html", "<p>x</p>", "body.options.landscape", "true", "body.test", "false", "body.wait", "true")
		id := got.tried()
		if got.status != 200 || id == "" {
			t.Fatalf("mode %q: %d %s", mode, got.status, got.body)
		}
		if page := p.done(id); strings.Contains(page, "aren’t charged") != test || !strings.Contains(page, "<code>dashboard</code>") {
			t.Errorf("mode %q: the job is\n%s", mode, page)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	shown := p.act(tryHTML, "do", "show", "body.html", "<p>Only shown</p>")
	if shown.status != 200 || shown.tried() != "" || !strings.Contains(html.UnescapeString(shown.body), `"html": "<p>Only shown</p>"`) {
		t.Errorf("to show a request: %d %s", shown.status, shown.body)
	}
	if list := p.get("/dashboard/jobs?key_id=" + string(events.DashboardKey)).body; strings.Count(list, `data-label="Job"`) != len(slices.Compact(ids)) {
		t.Errorf("the jobs of the dashboard are\n%s", list)
	}
}

// A form sent twice makes one job; changed, or from another form, it makes another.
func TestDashboardTriesOnce(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	run := func(once, content string) string {
		t.Helper()
		got := p.act(tryHTML, "do", "run", "mode", "live", "once", once, "body.html", content)
		if got.tried() == "" {
			t.Fatalf("%d %s", got.status, got.body)
		}
		return got.tried()
	}
	first := run("a", "<p>x</p>")
	if again := run("a", "<p>x</p>"); again != first {
		t.Errorf("sent twice: %s and %s", first, again)
	}
	if other := run("a", "<p>y</p>"); other == first {
		t.Error("with something else in it, it makes no job")
	}
	if other := run("b", "<p>x</p>"); other == first {
		t.Error("another form makes no job")
	}
	form := regexp.MustCompile(`name="once" value="([^"]+)"`)
	a, b := form.FindString(p.get(tryHTML).body), form.FindString(p.get(tryHTML).body)
	if a == "" || a == b {
		t.Errorf("two forms have %s and %s", a, b)
	}
}

// The API's refusals are shown in its words, at the field or above the form, with the input kept.
func TestDashboardTriesInVain(t *testing.T) {
	n := startDashboard(t)
	business, free := n.demo(t, "business"), n.demo(t, "free")
	for name, c := range map[string]struct {
		who    *person
		path   string
		fields []string
		status int
		shows  []string
	}{
		"nothing typed":      {business, tryHTML, nil, 422, []string{`<a href="#field-1">html</a>`, `aria-invalid="true"`, "Field required"}},
		"a wrong number":     {business, tryHTML, []string{"body.html", "x", "body.options.scale", "<b>3"}, 422, []string{"options.scale</a>", "valid number", "&lt;b&gt;3"}},
		"inside of JSON":     {business, tryHTML, []string{"body.html", "x", "body.tags", `{"a b": "c"}`}, 422, []string{">tags</a>", "a b: String should match"}},
		"a larger plan":      {free, tryHTML, []string{"body.html", "x", "body.options.watermark.text", "DRAFT"}, 402, []string{"plan-upgrade-required: options.watermark needs the starter plan", "Change plan", "DRAFT</textarea>"}},
		"nothing to see":     {business, tryHTML, []string{"body.html", "<script>1</script>"}, 400, []string{"empty-html", "&lt;script&gt;"}},
		"a private address":  {business, "/dashboard/playground/url-to-pdf", []string{"body.url", "http://10.0.0.1/"}, 400, []string{"SSRF_BLOCKED"}},
		"no invoice":         {business, "/dashboard/playground/einvoice-to-pdf", []string{"body.xml", "<a/>"}, 422, []string{"EINVOICE_XML_INVALID"}},
		"excluding options":  {business, "/dashboard/playground/einvoice-to-pdf", []string{"body.xml", "<a/>", "body.template_id", "x", "body.template", template(t)}, 422, []string{"EINVOICE_OPTIONS_CONFLICT"}},
		"delivery of a test": {business, tryHTML, []string{"body.html", "x", "body.delivery.url", "https://storage.example/x"}, 422, []string{"delivery cannot be combined with test mode"}},
	} {
		got := c.who.act(c.path, append(c.fields, "do", "run", "mode", "test", "once", name)...)
		if got.status != c.status || got.tried() != "" {
			t.Errorf("%s: %d", name, got.status)
		}
		for _, text := range c.shows {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s: it does not show %q:\n%s", name, text, got.body)
			}
		}
	}
	if got := business.act(tryHTML, "do", "run", "body.html", "\xff"); got.status != 422 || got.tried() != "" {
		t.Errorf("what is no text: %d", got.status)
	}
	for _, path := range []string{"/dashboard/playground/", "/dashboard/playground/x", "/dashboard/playground/html-to-pdf/x", "/dashboard/playground/jobs"} {
		if got := business.act(path, "do", "run"); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

func template(t *testing.T) string {
	t.Helper()
	var blocks []map[string]string
	for _, name := range []string{"invoice-heading", "trading-parties", "line-items", "vat-breakdown", "amounts-due", "payment-instructions", "invoice-notes", "additional-invoice-data", "document-footer"} {
		blocks = append(blocks, map[string]string{"type": name})
	}
	b, err := json.Marshal(map[string]any{"version": 1, "blocks": blocks})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Requests of the account's programs and members are counted together.
func TestDashboardTriesAreCounted(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "free")
	var last reply
	for i := range 11 {
		last = p.act(tryHTML, "do", "run", "mode", "test", "once", fmt.Sprint(i), "body.html", "x")
		if want := map[bool]int{true: 200, false: 429}[i < 10]; last.status != want {
			t.Fatalf("the run number %d of a plan with 10 requests a minute: %d", i+1, last.status)
		}
	}
	if !strings.Contains(last.body, "rate-limit-exceeded") || last.header.Get("Retry-After") == "" {
		t.Errorf("%v %s", last.header, last.body)
	}
	if got := p.act(tryHTML, "do", "show", "body.html", "x"); got.status != 200 {
		t.Errorf("to show a request: %d", got.status)
	}
}

// A form may be as large as an invoice, if somebody is signed in. For nobody else is as much read.
func TestDashboardLargeForms(t *testing.T) {
	n := startDashboard(t)
	p, nobody := n.demo(t, "business"), n.person(t)
	form := func(token string, size int) string {
		fields := "token=" + token + "&do=show&body.html="
		return fields + strings.Repeat("x", size-len(fields))
	}
	const path, most = tryHTML, 4 << 20
	token := p.token()
	for size, want := range map[int]int{16 << 10: 200, 16<<10 + 1: 200, most: 200, most + 1: 413} {
		if got := p.send("POST", path, form(token, size), "Sec-Fetch-Site", "same-origin"); got.status != want {
			t.Errorf("a form of %d bytes: %d", size, got.status)
		}
	}
	for size, want := range map[int]int{16 << 10: 403, 16<<10 + 1: 413} {
		if got := nobody.send("POST", path, form("x", size), "Sec-Fetch-Site", "same-origin"); got.status != want {
			t.Errorf("nobody's form of %d bytes: %d", size, got.status)
		}
	}
	if got := p.send("POST", path, form("x", 1<<20), "Sec-Fetch-Site", "same-origin"); got.status != 403 {
		t.Errorf("a large form of another session: %d", got.status)
	}
	if got := p.act("/dashboard/playground/einvoice-to-pdf", "do", "run", "body.xml", strings.Repeat("<a>", contract.MaxXML/3)); got.status != 422 || !strings.Contains(got.body, "EINVOICE_XML_INVALID") {
		t.Errorf("an invoice of 1 MiB: %d", got.status)
	}
}

// All input is shown as text, in each field of each operation.
func TestDashboardShowsWhatIsTyped(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>` + "`${x}" + "</textarea></select></code>\u202e"
	for _, op := range request.Operations() {
		var fields []string
		for _, path := range paths(op) {
			fields = append(fields, path, evil)
		}
		got := p.act("/dashboard/playground/"+string(op.Name), append(fields, "do", "run", "mode", evil, "once", evil)...)
		document, err := html.Parse(strings.NewReader(got.body))
		if err != nil || got.status != 422 {
			t.Fatalf("%s: %d %v", op.Name, got.status, err)
		}
		kept := 0
		for node := range document.Descendants() {
			if node.Data == "script" && node.FirstChild != nil {
				t.Errorf("%s: script %s", op.Name, node.FirstChild.Data)
			}
			for _, a := range node.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: %s=%s", op.Name, a.Key, a.Val)
				}
				if (a.Key == "value" || a.Key == "name") && a.Val == evil {
					kept++
				}
			}
			if node.Data == "textarea" && node.FirstChild != nil && node.FirstChild.Data == evil {
				kept++
			}
		}
		if strings.Contains(got.body, "\u202e") || kept != len(fields)/2 {
			t.Errorf("%s: %d of %d values are kept", op.Name, kept, len(fields)/2)
		}
	}
}

// playgroundFields are the fields of an operation as the playground has them, but for its choice between test and live.
func playgroundFields(op *request.Operation) []page.Field {
	fields, _ := form.New(op.Kind(), append([]string{"wait", "test"}, op.Never...)...).Fields(func(string) string { return "" }, nil)
	return fields
}

// paths are those of the fields that hold a value.
func paths(op *request.Operation) (all []string) {
	fields := playgroundFields(op)
	for len(fields) > 0 {
		if f := fields[0]; len(f.Fields) > 0 {
			fields = append(fields[1:], f.Fields...)
			continue
		} else {
			all = append(all, f.Path)
		}
		fields = fields[1:]
	}
	return all
}

// A member chooses an operation, types, runs it, sees the page, and runs the request that is shown from a shell.
func playgroundFlow(t *testing.T, n *inProcessNode, s *screen) {
	w := s.open(t)
	w.must(proto.BrowserGrantPermissions{
		Permissions: []proto.BrowserPermissionType{"clipboardReadWrite", "clipboardSanitizedWrite"}, BrowserContextID: w.Browser().BrowserContextID,
	}.Call(w.Browser()))
	w.signInDemo()
	w.follow(".wide a", "Playground")
	w.follow("main a", "HTML to PDF")
	w.choose(`[name="body.options.landscape"]`, "false")
	w.fill(`[name="body.html"]`, "<p>It's `5` $x</p>")
	w.press(input.Tab)
	w.shows(".program[open] code", "It's `5` $x") // as soon as it is typed
	w.click("label", "Live: charged")
	w.follow("button", "Run")
	w.shows(".notice.good", "accepted")
	w.shows(".state .badge", "Done")
	w.shows(".timeline li", "File made")
	w.until(`() => [...document.querySelectorAll('.looks img')].some((i) => i.complete && i.naturalWidth === 800)`)
	w.click(".program[open] button", "Copy")
	w.shows("#news", "Copied")
	shell := w.eval(`() => navigator.clipboard.readText()`)
	if !strings.Contains(shell, "It's `5` $x") || strings.Contains(shell, `"landscape": true`) {
		t.Errorf("the request is\n%s", shell)
	}
	id := runShell(t, n, shell)
	w.visit("/dashboard/jobs/" + id)
	w.shows(".state .badge", "Done")
	w.quiet([]string{"/dashboard/playground", tryHTML})
}

// runShell runs a program of the shell with the key of the demo account, and returns the job that it has made.
func runShell(t *testing.T, n *inProcessNode, program string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed: the request is not run")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", program)
	cmd.Env = append(os.Environ(), "PLATEN_KEY="+n.client.key, "no_proxy=*")
	out, err := cmd.Output()
	var made struct {
		Job string `json:"job_id"`
	}
	if err != nil || json.Unmarshal(out, &made) != nil || made.Job == "" {
		t.Fatalf("%v: %s\n%s", err, out, program)
	}
	return made.Job
}
