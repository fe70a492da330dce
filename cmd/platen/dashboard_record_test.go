package main

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The record of a job shows the request, without credentials, and the job's history, to those who may see it.
func TestDashboardRecord(t *testing.T) {
	n, hooks := startDashboard(t), newHooks(t)
	id := n.submit(t, map[string]any{
		"html": "<h1>Fur &amp; feathers</h1>\n<p>two lines</p>", "tags": map[string]string{"order": "4711"}, "webhook_url": hooks.url + "/?x=Krokus",
		"options": map[string]any{"format": "A3", "margin": map[string]string{"top": "17mm"}, "user_password": "Kr0kodil"},
	})
	hooks.next(t)
	n.awaitOutcome(t, id)
	p, path := n.demo(t, "business"), "/dashboard/jobs/"+id.String()
	got := p.get(path + "/record")
	if got.status != 200 {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	at := 0
	for _, want := range []string{
		"&lt;h1&gt;Fur &amp;amp; feathers&lt;/h1&gt;", "options.format", "A3", "options.margin.top", "17mm", "options.user_password", "set, not shown", "tags", "order", "webhook_url",
		"Accepted", "Rendering started", "node-", "Done", "processing_ms", "Webhook attempted", "200",
	} {
		next := strings.Index(got.body[at:], want)
		if next < 0 {
			t.Fatalf("%q is not where it should be in\n%s", want, got.body)
		}
		at += next
	}
	for _, secret := range []string{"Kr0kodil", "Krokus"} {
		if strings.Contains(got.body, secret) {
			t.Errorf("the record shows %s", secret)
		}
	}
	if !strings.Contains(p.get(path).body, path+"/record") {
		t.Error("the job's page does not lead to its record")
	}
	if other := n.demo(t, "free").get(path + "/record"); other.status != 404 {
		t.Errorf("another account's member gets %d", other.status)
	}
	if billing := n.member(t, n.account(t), "b@example.com", "billing"); billing.get(path+"/record").status != 403 || strings.Contains(billing.get(path).body, "/record") {
		t.Error("billing sees the record")
	}
}

// awaitOutcome waits until the outcome of a job's webhook is recorded.
func (n *inProcessNode) awaitOutcome(t *testing.T, id events.JobID) {
	t.Helper()
	testkit.Eventually(t, "the webhook's outcome is recorded", func() bool {
		return strings.Contains(n.machine.admin(t, "webhook", "attempts", id.String()), "delivered")
	})
}

// A job can be run again from the form of the playground, which is filled in with its request except credentials.
func TestDashboardAgain(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	const quote = `"quoted" & <b>`
	id := n.submit(t, map[string]any{
		"html": "<p>once more</p>\n<p>" + quote + "</b></p>", "tags": map[string]string{"order": quote},
		"options": map[string]any{"format": "A3", "scale": 0.75, "landscape": true, "user_password": "Kr0kodil", "watermark": map[string]any{"text": "DRAFT", "rotation_degrees": 0}},
		"render":  map[string]any{"wait_after_load_ms": 5},
	})
	shown := p.get("/dashboard/playground/html-to-pdf?job=" + id.String())
	if shown.status != 200 || strings.Contains(shown.body, "Kr0kodil") {
		t.Fatalf("%d %s", shown.status, shown.body)
	}
	form := formIn(t, shown.body, "try")
	form.Set("do", "run")
	got := p.send("POST", "/dashboard/playground/html-to-pdf", form.Encode(), "Sec-Fetch-Site", "same-origin")
	again := regexp.MustCompile(`/dashboard/jobs/([0-9a-f-]{36})"`).FindStringSubmatch(got.body)
	if got.status != 200 || again == nil || again[1] == id.String() {
		t.Fatalf("%d %s", got.status, got.body)
	}
	field := regexp.MustCompile(`(?s)<tbody>.*?</tbody>`)
	first, second := p.get("/dashboard/jobs/"+id.String()+"/record").body, p.get("/dashboard/jobs/"+again[1]+"/record").body
	if !strings.Contains(second, "once more") {
		t.Error("the second job has another source")
	}
	asked := func(body string) []string {
		var rows []string
		for row := range strings.SplitSeq(field.FindString(body), "</tr>") {
			if strings.Contains(row, "<code>") && !strings.Contains(row, "<code>test</code>") && !strings.Contains(row, "<code>html</code>") && !strings.Contains(row, "set, not shown") {
				rows = append(rows, row)
			}
		}
		return rows
	}
	if a, b := asked(first), asked(second); !slices.Equal(a, b) || len(a) != 7 {
		t.Errorf("asked for\n%q\nnot\n%q", b, a)
	}
	made, status, err := n.client.post("http://"+n.Address()+"/markdown-to-pdf", map[string]any{"markdown": "# x"})
	if status != 202 {
		t.Fatal(status, err)
	}
	markdown := made.String()
	if strings.Contains(p.get("/dashboard/jobs/"+markdown).body, "?job=") {
		t.Error("a job whose source is not kept can be run again")
	}
	for path, want := range map[string]int{
		"/dashboard/playground/markdown-to-pdf?job=" + markdown:               404, // the source is not kept
		"/dashboard/playground/url-to-pdf?job=" + id.String():                 404,
		"/dashboard/playground/html-to-pdf?job=" + events.NewJobID().String(): 404,
		"/dashboard/playground/html-to-pdf?job=x":                             404,
	} {
		if got := p.get(path); got.status != want {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if other := n.demo(t, "pro").get("/dashboard/playground/html-to-pdf?job=" + id.String()); other.status != 404 {
		t.Errorf("another account: %d", other.status)
	}
}

// formIn returns what a form of a page would send as it is.
func formIn(t *testing.T, body, id string) url.Values {
	t.Helper()
	document, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	values, attr := url.Values{}, func(node *html.Node, name string) (string, bool) {
		i := slices.IndexFunc(node.Attr, func(a html.Attribute) bool { return a.Key == name })
		if i < 0 {
			return "", false
		}
		return node.Attr[i].Val, true
	}
	for form := range document.Descendants() {
		if got, _ := attr(form, "id"); form.Data != "form" || got != id {
			continue
		}
		for node := range form.Descendants() {
			name, named := attr(node, "name")
			value, _ := attr(node, "value")
			kind, _ := attr(node, "type")
			_, checked := attr(node, "checked")
			_, selected := attr(node, "selected")
			switch {
			case node.Data == "textarea" && node.FirstChild != nil:
				values.Set(name, node.FirstChild.Data)
			case node.Data == "option" && selected && value != "":
				name, _ = attr(node.Parent, "name")
				values.Set(name, value)
			case node.Data == "input" && named && (kind != "radio" || checked):
				values.Set(name, value)
			}
		}
	}
	return values
}
