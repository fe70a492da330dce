package edge

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// A JSON body is read even if its headers claim something else.
func TestOddBodies(t *testing.T) {
	d := newFixture(t)
	for name, tc := range map[string]struct {
		body    string
		headers []string
	}{
		"a byte order mark": {"\ufeff{\"html\":\"x\"}", nil},
		"Latin-1":           {`{"html":"é"}`, []string{"Content-Type", "application/json; charset=iso-8859-1"}},
		"a form":            {`{"html":"x"}`, []string{"Content-Type", "application/x-www-form-urlencoded"}}, // curl -d
		"identity":          {`{"html":"x"}`, []string{"Content-Encoding", "Identity"}},
		"no encoding":       {`{"html":"x"}`, []string{"Content-Encoding", " , "}},
	} {
		if a := d.do("POST", "/html-to-pdf", tc.body, tc.headers...); a.StatusCode != 202 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
}

// A byte order mark does not change a request's fingerprint.
func TestByteOrderMarkIsNoDifference(t *testing.T) {
	d := newFixture(t)
	for _, body := range []string{`{"html":"x"}`, "\ufeff{\"html\":\"x\"}", `{"html":"y"}`} {
		if a := d.do("POST", "/html-to-pdf", body, "Idempotency-Key", "k"); a.StatusCode != 202 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	fingerprint := func(i int) [32]byte { return d.commands[i].(events.Submission).Idempotency.Fingerprint }
	if fingerprint(0) != fingerprint(1) || fingerprint(0) == fingerprint(2) {
		t.Errorf("fingerprints %x, %x and %x", fingerprint(0), fingerprint(1), fingerprint(2))
	}
}

// A body with a content encoding is refused after the rate is counted and before its size is checked, without being
// read. The response names the accepted encoding.
func TestContentEncoding(t *testing.T) {
	var counted atomic.Int64
	b := startWith(t, patient, func(c *Config) {
		c.Rate = func(events.AccountID, events.Plan) events.Rate {
			return events.Rate{Allowed: counted.Add(1) <= 5, Limit: 5, Reset: events.At(time.Now().Add(time.Minute))}
		}
	})
	key, gzip := "X-API-Key: "+b.fixture.secret+"\r\nConnection: close\r\n", "Content-Encoding: gzip\r\n"
	for _, tc := range []struct {
		line, lines string
		status      int
	}{
		{"POST /html-to-pdf", gzip + "Content-Length: 0\r\n", 415},
		{"POST /html-to-pdf", gzip + lengths["length"], 415},
		{"POST /html-to-pdf", gzip + lengths["chunks"], 415},
		{"POST /html-to-pdf", gzip + "Expect: 100-continue\r\n" + lengths["length"], 415},
		{"POST /html-to-pdf", gzip + "Content-Length: 100000000\r\n", 415},
		{"POST /html-to-pdf", gzip + lengths["length"], 429},
		{"POST /html-to-pdf", gzip + "Content-Length: 0\r\n", 429},
	} {
		got := answered(t, b.announce(t, tc.line, key+tc.lines))
		wanted := ""
		if tc.status == 415 {
			wanted = "identity"
		}
		if got.StatusCode != tc.status || got.Header.Get("Accept-Encoding") != wanted || got.Header.Get(limitHeader) != "5" {
			t.Errorf("%s %q got %d %v %s, want %d", tc.line, tc.lines, got.StatusCode, got.Header, got.body, tc.status)
		}
	}
	b.holds(t, 0)
}

// Endpoints that take no body ignore its encoding.
func TestEncodingOfIgnoredBody(t *testing.T) {
	d := newFixture(t)
	for path, status := range map[string]int{"/jobs/x/cancel": 404, "/jobs/x/webhooks/redeliver": 404} {
		if a := d.do("POST", path, "x", "Content-Encoding", "gzip"); a.StatusCode != status {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

// The violation is short even for a body of the largest size that is not JSON.
func TestLargeBodyThatIsNoJSON(t *testing.T) {
	d := newFixture(t)
	for name, body := range map[string]string{
		"a form": "html=" + strings.Repeat("x", contract.MaxBody-5), "UTF-16": "\xfe\xff" + strings.Repeat("\x00x", contract.MaxBody/2-1),
		"Latin-1": `{"html":"` + strings.Repeat("\xe9", contract.MaxBody-9),
	} {
		a := d.do("POST", "/html-to-pdf", body, "Content-Type", "application/x-www-form-urlencoded; charset="+strings.Repeat("x", 10_000))
		if a.StatusCode != 422 || !strings.Contains(a.body, "JSON decode error: the body is ") || len(a.body) > 500 {
			t.Errorf("%s: %d %.1000s", name, a.StatusCode, a.body)
		}
	}
}
