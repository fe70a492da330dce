package conformance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
)

// Usage, by the ledger. The rows put entries of their own into the node's ledger, as a second process
// may, from a topic that the node does not read.

var usageRows = []row{
	{"usage/sums", "Extensions", "sums by time, in a time zone, and by groups", proveUsageSums},
	{"usage/tags", "Extensions", "tags are in the ledger: sums by them, entries with them", proveUsageTags},
	{"usage/csv", "Extensions", "CSV has the same rows, and no formulas", proveUsageCSV},
	{"usage/entries", "Extensions", "pages hold every entry once", proveUsageEntries},
	{"usage/windows", "Extensions", "quota windows with status, breakdown and fingerprint", proveUsageWindows},
	{"usage/own", "Extensions", "an account sees its own usage with any of its keys, and no other's", proveOwnUsage},
	{"usage/parameters", "Extensions", "bad and unknown parameters are 422, by name", proveUsageParameters},
	{"usage/rate", "Extensions", "queries count toward the request rate", proveUsageRate},
}

// charged puts n entries of the customer into the ledger, a minute after another from the start of the
// still node's time on, in a window that begins then.
func (c *customer) charged(n int) {
	c.t.Helper()
	l, err := embedded.Open(c.t.Context(), filepath.Join(c.server.data, "ledger.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer l.Close()
	b := ledger.Batch{Topic: "conformance." + string(c.account), Hi: int64(n) - 1}
	for i := range n {
		job := events.NewJobID().String()
		b.Entries = append(b.Entries, ledger.Entry{
			ID: job + "/debit", Account: string(c.account), Job: job, Kind: ledger.Debit, Key: string(c.key), Operation: []string{"html-to-pdf", "html-to-image"}[i%2],
			Tags:     []ledger.Tag{{Name: "customer", Value: []string{"=4711", "Müller"}[i%2]}},
			Occurred: contractEpoch.Add(time.Duration(i) * time.Minute), Window: contractEpoch, Units: 1, Bytes: 1000, Source: ledger.Source{Topic: b.Topic, Offset: int64(i)},
		})
	}
	if err := l.Append(c.t.Context(), b); err != nil {
		c.t.Fatal(err)
	}
}

const inMarch = "from=2026-03-01&to=2026-04-01"

func proveUsageSums(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	if o := c.get("/usage").status(200).json(); o["source"] != "ledger" || o["bucket"] != "day" || o["time_zone"] != "UTC" || len(o["rows"].([]any)) != 0 {
		t.Errorf("nothing was charged: %v", o)
	}
	c.charged(4)
	for query, want := range map[string]string{
		"bucket=total":                                      "4/4000/4",
		"bucket=day&time_zone=Europe/Berlin":                "4/4000/4",
		"bucket=hour&group_by=operation":                    "2/2000/2 2/2000/2",
		"bucket=month&group_by=key,tag:customer":            "2/2000/2 2/2000/2",
		"bucket=window":                                     "4/4000/4",
		"from=2026-03-02T08:01:00Z&to=2026-03-02T08:03:00Z": "2/2000/2",
	} {
		if !strings.Contains(query, "from=") {
			query += "&" + inMarch
		}
		o := c.get("/usage?" + query).status(200).json()
		var got []string
		for _, r := range o["rows"].([]any) {
			got = append(got, fmt.Sprintf("%v/%v/%v", r.(object)["render_units"], r.(object)["bytes"], r.(object)["entries"]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %s", query, got, want)
		}
	}
}

func proveUsageTags(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.charged(3)
	rows := c.get("/usage?bucket=total&group_by=tag:customer,tag:other&" + inMarch).status(200).json()["rows"].([]any)
	if got := fmt.Sprint(rows[0].(object)["tags"], rows[1].(object)["tags"]); got != "map[customer:=4711 other:] map[customer:Müller other:]" {
		t.Errorf("got %s", got)
	}
	entries := c.get("/usage/entries?tag:customer=M%C3%BCller&" + inMarch).status(200).json()["entries"].([]any)
	if len(entries) != 1 || fmt.Sprint(entries[0].(object)["tags"]) != "map[customer:Müller]" {
		t.Errorf("got %v", entries)
	}
}

func proveUsageCSV(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.charged(2)
	want := "start,end,tag:customer,render_units,bytes,entries\r\n" +
		"2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,'=4711,1,1000,1\r\n2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,Müller,1,1000,1\r\n"
	if got := string(c.get("/usage?group_by=tag:customer&format=csv&" + inMarch).status(200).body); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := string(c.get("/usage?group_by=tag:customer&"+inMarch, "Accept", "text/csv").status(200).body); got != want {
		t.Errorf("by Accept: got %q", got)
	}
	if got := string(c.get("/usage/entries?format=csv&" + inMarch).status(200).body); strings.Count(got, "\r\n") != 3 || !strings.HasPrefix(got, "entry_id,kind,job_id,") {
		t.Errorf("entries: got %q", got)
	}
}

func proveUsageEntries(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.charged(5)
	seen := map[any]bool{}
	for path := "/usage/entries?limit=2&" + inMarch; path != ""; {
		a := c.get(path).status(200)
		o := a.json()
		for _, e := range o["entries"].([]any) {
			seen[e.(object)["entry_id"]] = true
		}
		path = ""
		if next, more := o["next_cursor"].(string); more {
			path = "/usage/entries?limit=2&" + inMarch + "&cursor=" + next
			if !strings.Contains(a.Header.Get("Link"), "cursor="+next) {
				t.Errorf("Link is %q", a.Header.Get("Link"))
			}
		}
	}
	if len(seen) != 5 {
		t.Errorf("the pages have %d entries", len(seen))
	}
}

func proveUsageWindows(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.charged(3)
	windows := c.get("/usage/windows").status(200).json()["windows"].([]any)
	if len(windows) != 1 || windows[0].(object)["status"] != "open" || windows[0].(object)["entries"] != 3.0 {
		t.Fatalf("got %v", windows)
	}
	start := fmt.Sprint(windows[0].(object)["start"])
	for _, path := range []string{start, strings.ReplaceAll(start, ":", "%3A")} {
		w := c.get("/usage/windows/" + path).status(200).json()
		printed := w["fingerprint"].(object)
		if printed["algorithm"] != "platen-window-v1" || len(printed["sha256"].(string)) != 64 || printed["preliminary"] != true || len(w["by_operation"].([]any)) != 2 {
			t.Errorf("got %v", w)
		}
	}
	c.get("/usage/windows/2026-01-01T00:00:00Z").problem(404, "WINDOW_NOT_FOUND", "window-not-found: ")
	c.get("/usage/windows/now").status(422)
}

func proveOwnUsage(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanPro), s.customer(t, events.PlanPro)
	c.charged(2)
	_, second := c.issue("sk_test_")
	for _, path := range []string{"/usage/entries?" + inMarch, "/usage/entries?key_id=" + string(c.key) + "&" + inMarch} {
		if got := len(c.as(second).get(path).status(200).json()["entries"].([]any)); got != 2 {
			t.Errorf("with another key %d entries", got)
		}
		if got := len(other.get(path).status(200).json()["entries"].([]any)); got != 0 {
			t.Errorf("another account sees %d entries", got)
		}
	}
	for _, path := range []string{"/usage", "/usage/entries", "/usage/windows", "/usage/windows/2026-03-02T08:00:00Z"} {
		c.as("").get(path).problem(401, "INVALID_API_KEY", "Send a valid API key")
	}
}

func proveUsageParameters(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for path, want := range map[string]string{
		"/usage?from=yesterday": "from", "/usage?to=2101-01-01": "to", "/usage?bucket=week": "bucket", "/usage?time_zone=Mars": "time_zone", "/usage?group_by=job": "group_by",
		"/usage?format=xml": "format", "/usage?account=x": "account", "/usage?from=2026-03-02&to=2026-03-01": "from", "/usage?bucket=hour&from=2020-01-01": "bucket",
		"/usage/entries?limit=1001": "limit", "/usage/entries?cursor=x": "cursor", "/usage/entries?window=x": "window", "/usage/entries?tag:=x": "tag:", "/usage/windows?x=1": "x",
	} {
		c.refusesParameter(path, want)
	}
}

// refusesParameter checks that a request is refused for one of its parameters alone.
func (c *customer) refusesParameter(path, name string) {
	c.t.Helper()
	violations := c.get(path).status(422).json()["detail"].([]any)
	if len(violations) != 1 || fmt.Sprint(violations[0].(object)["loc"]) != "[query "+name+"]" {
		c.t.Errorf("%s: got %v", path, violations)
	}
}

func proveUsageRate(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for range perMinute[events.PlanFree] / 2 {
		c.get("/usage").status(200)
		c.get("/usage?bucket=x").status(422)
	}
	c.get("/usage/windows").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
}
