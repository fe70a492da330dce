package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/edge/openapi/openapitest"
	"platen.dev/edge/query"
	"platen.dev/events"
	"platen.dev/projections"
)

// parameters returns the parameters of a query string, by name.
func parameters(t testing.TB, text string) (all []query.Param) {
	t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			all = append(all, query.Param{Name: name, Value: value})
		}
	}
	return all
}

// Every parameter of a list is accepted up to its limit.
func TestJobQuery(t *testing.T) {
	q, violations := parseJobQuery(nil)
	if !reflect.DeepEqual(q, jobQuery{limit: 50}) || violations != nil {
		t.Errorf("without parameters: %+v, %v", q, violations)
	}
	at, no := projections.Place{Created: 1_700_000_000_000, Job: events.NewJobID()}, false
	q, violations = parseJobQuery(parameters(t, "status=failed&operation=url-to-pdf&key_id=key_1f0e&error_code=PAGE_TIMEOUT&test=false&limit=200"+
		"&tag:customer=A%26B&tag:order=&from=2026-01-31&to=2026-02-01T00:00:00Z&time_zone=Europe/Berlin&cursor="+at.Text()))
	want := jobQuery{limit: 200, after: &at, Filter: projections.Filter{
		Status: events.StatusFailed, Operation: events.URLToPDF, Key: "key_1f0e", Error: events.PageTimeout, Test: &no,
		Tags: []events.Tag{{Name: "customer", Value: "A&B"}, {Name: "order"}},
		From: events.Instant(time.Date(2026, 1, 30, 23, 0, 0, 0, time.UTC).UnixMilli()), To: events.Instant(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).UnixMilli()),
	}}
	if !reflect.DeepEqual(q, want) || violations != nil {
		t.Errorf("got %+v, %v", q, violations)
	}
}

// Invalid list parameters are refused by name.
func TestWrongJobQueries(t *testing.T) {
	eight := "tag:a=1&tag:b=1&tag:c=1&tag:d=1&tag:e=1&tag:f=1&tag:g=1&tag:h=1"
	for text, wrong := range map[string]string{
		"status=ended": "status literal_error", "operation=pdf": "operation literal_error", "error_code=OOPS": "error_code literal_error",
		"key_id=": "key_id string_too_short", "key_id=" + strings.Repeat("k", 64): "", "key_id=" + strings.Repeat("k", 65): "key_id string_too_long",
		"test=1": "test literal_error", "limit=0": "limit greater_than_equal", "limit=1": "", "limit=201": "limit less_than_equal", "limit=x": "limit int_type",
		"from=yesterday": "from value_error", "from=2026-01-02&to=2026-01-02": "from value_error", "to=2026-01-02": "", "time_zone=Berlin": "time_zone value_error",
		"cursor=": "cursor value_error", "cursor=abc": "cursor value_error", "cursor=" + strings.Repeat("A", 32): "cursor value_error", "cursor=AAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAA": "",
		"tag:=x": "tag: string_pattern_mismatch", "tag:a=" + strings.Repeat("x", 201): "tag:a string_too_long", "tag:a b=x": "tag:a b string_pattern_mismatch",
		eight: "", eight + "&tag:i=1": "tag:i value_error", "tag:a=1&tag:a=2": "tag:a value_error", "account=other": "account extra_forbidden", "status=done&status=failed": "status value_error",
	} {
		_, violations := parseJobQuery(parameters(t, text))
		got := ""
		if len(violations) > 0 {
			got = fmt.Sprint(violations[0].Loc[1], " ", violations[0].Type)
		}
		if got != wrong || len(violations) > 1 {
			t.Errorf("%s: %v, want %q", text, violations, wrong)
		}
	}
}

// A page matches its description and links to the next one; the first page of a list includes everything durable.
func TestJobList(t *testing.T) {
	d := newFixture(t)
	checker, err := openapitest.New(DescribeAPI())
	if err != nil {
		t.Fatal(err)
	}
	done := projections.ListedJob{ID: events.NewJobID(), Job: projections.Job{
		Account: "acc", Key: "key_1f0e", Operation: events.HTMLToPDF, Status: events.StatusDone, Created: 1_700_000_000_000, Finished: 1_700_000_001_000, Expires: 1_700_086_400_000,
		File: events.File{Size: 1000, Pages: 2}, Tags: []events.Tag{{Name: "customer", Value: "\"A\" & <B>"}},
	}}
	failed := projections.ListedJob{ID: events.NewJobID(), Job: projections.Job{
		Operation: events.URLToImage, Status: events.StatusFailed, Created: 1_700_000_000_000, Finished: 1_700_000_001_000, Error: events.PageTimeout, Test: true,
	}}
	next := projections.Place{Created: 1_700_000_000_000, Job: failed.ID}
	d.page = projections.JobPage{Jobs: []projections.ListedJob{done, failed}, Next: &next}
	a := d.do("GET", "/jobs?limit=2&tag:customer=x", "")
	if err := checker.Check("GET", "/jobs", a.StatusCode, a.Header, []byte(a.body)); err != nil {
		t.Error(err)
	}
	var list struct {
		Jobs []struct {
			ID        string            `json:"job_id"`
			Operation string            `json:"operation"`
			Key       *string           `json:"key_id"`
			Status    string            `json:"status"`
			Error     *string           `json:"error_code"`
			Tags      map[string]string `json:"tags"`
		} `json:"jobs"`
		Next string `json:"next_cursor"`
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || len(list.Jobs) != 2 {
		t.Fatalf("%d %s (%v)", a.StatusCode, a.body, err)
	}
	first, second := list.Jobs[0], list.Jobs[1]
	if first.ID != done.ID.String() || *first.Key != "key_1f0e" || first.Status != "done" || first.Tags["customer"] != "\"A\" & <B>" || second.Key != nil || *second.Error != "PAGE_TIMEOUT" || second.Operation != "url-to-image" {
		t.Errorf("got %s", a.body)
	}
	if link := a.Header.Get("Link"); !strings.Contains(link, "limit=2") || !strings.Contains(link, "cursor="+list.Next) || a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("headers %v", a.Header)
	}
	if d.caughtUp != 1 || d.asked.limit != 2 || len(d.asked.Tags) != 1 {
		t.Errorf("asked %+v after %d looks at what is durable", d.asked, d.caughtUp)
	}
	d.page.Next, d.page.Jobs = nil, nil
	if a := d.do("GET", "/jobs?cursor="+list.Next, ""); a.body != `{"jobs":[],"next_cursor":null}` || d.caughtUp != 1 || *d.asked.after != next || a.Header.Get("Link") != "" {
		t.Errorf("the last page: %s, after %v", a.body, d.asked.after)
	}
	if a := d.do("HEAD", "/jobs", ""); a.StatusCode != 200 || a.body != "" {
		t.Errorf("HEAD: %d %q", a.StatusCode, a.body)
	}
	if a := d.do("POST", "/jobs", ""); a.StatusCode != 405 {
		t.Errorf("POST: %d", a.StatusCode)
	}
}

// A list that cannot be read is refused like other reads.
func TestJobListRefused(t *testing.T) {
	d := newFixture(t)
	checker, err := openapitest.New(DescribeAPI())
	if err != nil {
		t.Fatal(err)
	}
	check := func(path string, want int, code string, headers ...string) {
		t.Helper()
		a := d.do("GET", path, "", headers...)
		if a.StatusCode != want || !strings.Contains(a.body, code) {
			t.Errorf("%s: %d %s, want %d with %s", path, a.StatusCode, a.body, want, code)
		}
		if err := checker.Check("GET", "/jobs", a.StatusCode, a.Header, []byte(a.body)); err != nil {
			t.Error(err)
		}
	}
	check("/jobs", 401, "INVALID_API_KEY", "X-API-Key", "sk_live_nobody")
	check("/jobs?status=ended&limit=0", 422, "literal_error")
	d.caught = errors.New("the log does not answer")
	check("/jobs", 503, "UNAVAILABLE")
	d.caught, d.err = nil, errors.New("disk")
	check("/jobs", 503, "UNAVAILABLE")
	d.err, d.rate = nil, events.Rate{Limit: 3, Reset: events.At(time.Now().Add(time.Minute))}
	check("/jobs", 429, "RATE_LIMIT")
}
