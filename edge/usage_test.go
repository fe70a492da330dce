package edge

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/edge/openapi/openapitest"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
)

var usageWindowStart = time.Date(2026, 1, 15, 8, 0, 0, 0, time.UTC)

// ledgerOf is a ledger that can be made to fail.
type ledgerOf struct {
	ledger.Ledger
	fails func() error
}

func (l ledgerOf) Usage(ctx context.Context, q ledger.Query) ([]ledger.Row, error) {
	if err := l.fails(); err != nil {
		return nil, err
	}
	return l.Ledger.Usage(ctx, q)
}

// newUsageFixture starts a server whose ledger has entries of the fixture's account and of another.
func newUsageFixture(t *testing.T, fails func() error) *fixture {
	t.Helper()
	l, err := embedded.Open(testkit.Context(t), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	b := ledger.Batch{Topic: events.TopicEvents, Hi: 9}
	for i := range 10 {
		job := fmt.Sprintf("job-%d", i)
		e := ledger.Entry{
			ID: job + "/debit", Account: []string{"acc", "other"}[i%2], Job: job, Kind: ledger.Debit, Key: "key", Operation: "html-to-pdf", Tags: []ledger.Tag{{Name: "c", Value: "=1"}},
			Occurred: usageWindowStart.Add(time.Duration(i) * time.Minute), Window: usageWindowStart, Units: 1, Bytes: 100, Source: ledger.Source{Topic: b.Topic, Offset: int64(i)},
		}
		b.Entries = append(b.Entries, e)
	}
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	d := newFixture(t)
	live := usage.Live{
		Window: usageWindowStart.AddDate(0, 1, 0), All: usage.Charged{Units: 5, Bytes: 500},
		End: func(start time.Time) time.Time { return start.AddDate(0, 1, 0) },
	}
	d.server.usage.service = usage.New(ledgerOf{l, fails}, func(events.AccountID) (usage.Live, error) { return live, nil }, time.Now)
	return d
}

func never() error { return nil }

const january = "from=2026-01-01&to=2026-02-01"

// The responses of these endpoints match the description.
func TestUsageIsDescribed(t *testing.T) {
	d := newUsageFixture(t, never)
	checker, err := openapitest.New(DescribeAPI())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/usage?" + january: 200, "/usage?group_by=key,operation,tag:c&format=csv&" + january: 200, "/usage?bucket=x": 422,
		"/usage/entries?limit=2&" + january: 200, "/usage/entries?format=csv&" + january: 200, "/usage/entries?limit=0": 422,
		"/usage/windows": 200, "/usage/windows?from=2026-01-01": 422,
		"/usage/windows/2026-01-15T08:00:00Z": 200, "/usage/windows/2026-01-15T08%3A00%3A00Z": 200, "/usage/windows/2026-01-15T09:00:00%2B01:00": 200,
		"/usage/windows/2026-01-15T08:00:01Z": 404, "/usage/windows/x": 422,
	} {
		a := d.do("GET", path, "")
		if a.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", path, a.StatusCode, a.body, want)
		}
		if err := checker.Check("GET", path, a.StatusCode, a.Header, []byte(a.body)); err != nil {
			t.Error(err)
		}
		if head := d.do("HEAD", path, ""); head.StatusCode != want || head.body != "" {
			t.Errorf("HEAD %s: %d %q", path, head.StatusCode, head.body)
		}
		if post := d.do("POST", path, ""); post.StatusCode != 405 {
			t.Errorf("POST %s: %d", path, post.StatusCode)
		}
	}
	for _, path := range []string{"/usage/", "/usage/windows/", "/usage/windows/a/b", "/usage/nothing"} {
		if a := d.do("GET", path, ""); a.StatusCode != 404 || a.problemOf(t).Error != "NOT_FOUND" {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

// An account gets only its own entries, whatever it asks for; without a key there are none.
func TestUsageOfOthers(t *testing.T) {
	d := newUsageFixture(t, never)
	for _, path := range []string{
		"/usage?group_by=key,operation,tag:c&" + january, "/usage/entries?" + january, "/usage/entries?key_id=key&tag:c=%3D1&window=2026-01-15T08:00:00Z",
		"/usage/windows", "/usage/windows/2026-01-15T08:00:00Z", "/usage?bucket=total&format=csv&" + january,
	} {
		a := d.do("GET", path, "")
		if a.StatusCode != 200 || !strings.Contains(a.body, "500") && strings.Count(a.body, `"entry_id"`) != 5 || strings.Contains(a.body, "job-1") {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
		if a := d.do("GET", path, "", "X-API-Key", "sk_live_nobody"); a.StatusCode != 401 {
			t.Errorf("%s without a key: %d", path, a.StatusCode)
		}
	}
	for _, path := range []string{"/usage?account=other", "/usage/entries?account=other", "/usage/entries?account_id=other"} {
		if a := d.do("GET", path, ""); a.StatusCode != 422 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}

// The header Accept selects CSV like the parameter, which takes precedence.
func TestUsageFormats(t *testing.T) {
	d := newUsageFixture(t, never)
	plain := d.do("GET", "/usage?group_by=tag:c&format=csv&"+january, "")
	asked := d.do("GET", "/usage?group_by=tag:c&"+january, "", "Accept", "text/csv")
	if plain.body != asked.body || !strings.HasPrefix(plain.Header.Get("Content-Type"), "text/csv") || plain.Header.Get("Content-Disposition") != `attachment; filename="usage.csv"` {
		t.Errorf("%v %q, asked by Accept %q", plain.Header, plain.body, asked.body)
	}
	if lines, err := csv.NewReader(strings.NewReader(plain.body)).ReadAll(); err != nil || fmt.Sprint(lines) != "[[start end tag:c render_units bytes entries] [2026-01-15T00:00:00Z 2026-01-16T00:00:00Z '=1 5 500 5]]" {
		t.Errorf("%q, %v", lines, err)
	}
	if a := d.do("GET", "/usage?format=json&"+january, "", "Accept", "text/csv"); a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("format=json: %s", a.Header.Get("Content-Type"))
	}
}

// Each page links to the next one, until all entries were shown.
func TestUsagePages(t *testing.T) {
	d := newUsageFixture(t, never)
	got, path := "", "/usage/entries?limit=2&tag:c=%3D1&"+january
	for path != "" {
		a := d.do("GET", path, "")
		var page usage.Entries
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, a.StatusCode, a.body)
		}
		for _, e := range page.Entries {
			got += e.Job + " "
		}
		path = ""
		if link := a.Header.Get("Link"); link != "" {
			query, last, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
			if path = "/usage/entries" + query; last != `; rel="next"` || page.Next == nil {
				t.Errorf("the link is %s, the cursor %v", link, page.Next)
			}
		}
	}
	if got != "job-0 job-2 job-4 job-6 job-8 " {
		t.Errorf("got %q", got)
	}
}

// Each failure of the ledger has its problem, and internal details are not shown.
func TestUsageProblems(t *testing.T) {
	var fails error
	d := newUsageFixture(t, func() error { return fails })
	for _, c := range []struct {
		err    error
		status int
		code   string
		retry  string
	}{
		{errors.New("dial tcp 10.0.0.7"), 503, "LEDGER_UNAVAILABLE", "5"},
		{ledger.ErrClosed, 503, "LEDGER_UNAVAILABLE", "5"},
		{context.DeadlineExceeded, 503, "LEDGER_UNAVAILABLE", "5"},
		{ledger.ErrTooMany, 422, "USAGE_TOO_LARGE", ""},
		{ledger.ErrOverflow, 422, "USAGE_TOO_LARGE", ""},
		{ledger.ErrInvalid, 500, "INTERNAL_ERROR", ""},
	} {
		fails = c.err
		a := d.do("GET", "/usage", "")
		if p := a.problemOf(t); a.StatusCode != c.status || p.Error != c.code || a.Header.Get("Retry-After") != c.retry || strings.Contains(a.body, "10.0.0.7") {
			t.Errorf("%v: %d %s", c.err, a.StatusCode, a.body)
		}
	}
}

// While two queries of an account are under way, a third is refused at once.
func TestUsageIsBounded(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	d := newUsageFixture(t, func() error { begun <- struct{}{}; <-release; return nil })
	ended := make(chan int)
	for range 2 {
		go func() {
			req, _ := http.NewRequest("GET", d.url+"/usage", nil)
			req.Header.Set("X-API-Key", d.secret)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				ended <- 0
				return
			}
			_ = resp.Body.Close()
			ended <- resp.StatusCode
		}()
		<-begun
	}
	for _, path := range []string{"/usage", "/usage/entries", "/usage/windows", "/usage/windows/2026-01-15T08:00:00Z"} {
		a := d.do("GET", path, "")
		if p := a.problemOf(t); a.StatusCode != 429 || p.Error != "USAGE_BUSY" || a.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	close(release)
	if first, second := <-ended, <-ended; first != 200 || second != 200 {
		t.Errorf("the first two got %d and %d", first, second)
	}
}
