package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice/sample"
)

// The evidence of a job is on its page and in a file, the one of the API, for the members who may have the job's file; and longer than that.
func TestDashboardEvidence(t *testing.T) {
	n := startDashboard(t)
	p := n.demo(t, "business")
	id, status, err := n.client.post("http://"+n.Address()+"/einvoice-to-pdf", map[string]any{"xml": string(sample.XML("en16931")), "profile": "en16931"})
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	page := p.done(id.String())
	got := p.get("/dashboard/jobs/" + id.String() + "/evidence")
	_, sent, err := n.client.do("GET", "http://"+n.Address()+"/jobs/"+id.String()+"/evidence", nil)
	if err != nil || got.body != string(sent) || got.header.Get("Content-Type") != "application/json" || !strings.Contains(got.header.Get("Content-Disposition"), `"evidence-`+id.String()+`.json"`) {
		t.Fatalf("the file is %d %v %s, and not %s, %v", got.status, got.header, got.body, sent, err)
	}
	var file struct {
		Evidence struct{ XML, File struct{ SHA256 string } }
	}
	if err := json.Unmarshal(sent, &file); err != nil {
		t.Fatal(err)
	}
	shows := func(page string) bool {
		return strings.Contains(page, "<code>"+file.Evidence.XML.SHA256+"<") && strings.Contains(page, "<code>"+file.Evidence.File.SHA256+"<")
	}
	if !shows(page) || !strings.Contains(page, "/evidence") || !strings.Contains(page, "They agree") {
		t.Errorf("the page lacks the evidence:\n%s", page)
	}
	plain := n.submit(t, map[string]any{"html": "<p>x</p>"}).String()
	if page := p.done(plain); strings.Contains(page, "vidence") || p.get("/dashboard/jobs/"+plain+"/evidence").status != 404 {
		t.Error("a job without an e-invoice has evidence")
	}
	billing := n.member(t, n.account(t), "bill@example.com", "billing")
	if page := billing.get("/dashboard/jobs/" + id.String()).body; !shows(page) || strings.Contains(page, "/evidence") {
		t.Error("billing does not see the evidence, or may download it")
	}
	if other := n.demo(t, "pro").get("/dashboard/jobs/" + id.String() + "/evidence"); other.status != 404 {
		t.Errorf("another account: %d", other.status)
	}
	n.ahead.Add(int64(24*time.Hour + time.Minute))
	if again := p.get("/dashboard/jobs/" + id.String() + "/evidence"); again.body != got.body {
		t.Errorf("without its file, the job's evidence is %d %s", again.status, again.body)
	}
}
