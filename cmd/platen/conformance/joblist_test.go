package conformance

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
)

// The list of an account's jobs, on the still node.

var jobListRows = []row{
	{"jobs/list", extensionSection, "GET /jobs has every job at once: what its status has, and what it came from", proveJobList},
	{"jobs/filters", extensionSection, "… by status, operation, key, error, test mode, tags and time", proveJobFilters},
	{"jobs/pages", extensionSection, "pages hold every job once", proveJobPages},
	{"jobs/own", extensionSection, "an account sees its own jobs with any of its keys, and no other's", proveOwnJobs},
	{"jobs/parameters", extensionSection, "bad and unknown parameters are 422, by name", proveJobParameters},
	{"jobs/rate", extensionSection, "lists count toward the request rate", proveJobListRate},
}

// listed returns the jobs of a page.
func (c *customer) listed(parameters string) (jobs []object, next string) {
	c.t.Helper()
	o := c.get("/jobs?" + parameters).status(200).json()
	for _, j := range o["jobs"].([]any) {
		jobs = append(jobs, j.(object))
	}
	next, _ = o["next_cursor"].(string)
	return jobs, next
}

// tagged submits a job with a tag.
func (c *customer) tagged(path, name, value string) events.JobID {
	c.t.Helper()
	body := minimal(path)
	body["tags"] = object{name: value}
	return c.post(path, body).accepted()
}

func proveJobList(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	id := c.tagged(htmlToPDF, "customer", "Müller & <Sons>")
	jobs, next := c.listed("")
	if len(jobs) != 1 || next != "" || jobs[0]["job_id"] != id.String() || jobs[0]["operation"] != "html-to-pdf" || jobs[0]["key_id"] != string(c.key) {
		t.Fatalf("got %v, next %q", jobs, next)
	}
	for range 2 {
		status := c.jobOf(id)
		for _, name := range []string{"job_id", "operation", "key_id"} {
			delete(jobs[0], name)
		}
		if fmt.Sprint(jobs[0]) != fmt.Sprint(status) {
			t.Errorf("the list has %v, the status is %v", jobs[0], status)
		}
		c.finish(id, events.File{Name: id.String() + "-1.pdf", Size: 5, Pages: 1})
		jobs, _ = c.listed("")
	}
}

func proveJobFilters(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	_, second := c.issue("sk_test_")
	ids := map[string]events.JobID{
		"queued": c.submit(htmlToPDF), "done": c.submit(htmlToImage), "failed": c.tagged(markdownToPDF, "customer", "A&B"), "other key": c.as(second).tagged(htmlToPDF, "customer", "C"),
	}
	body := minimal(htmlToPDF)
	body["test"] = true
	ids["test"] = c.post(htmlToPDF, body).accepted()
	c.finish(ids["done"], events.File{Name: ids["done"].String() + "-1.png", Size: 5})
	c.fail(ids["failed"], events.PageTimeout)
	created := fmt.Sprint(c.jobOf(ids["queued"])["created_at"])[:len("2026-01-31T09:00:00")] + "Z"
	all := slices.Sorted(maps.Keys(ids))
	for filter, want := range map[string][]string{
		"": all, "status=done": {"done"}, "status=failed": {"failed"}, "status=rendering": nil, "status=queued": {"other key", "queued", "test"},
		"operation=html-to-image": {"done"}, "operation=html-to-pdf&test=false": {"other key", "queued"}, "test=true": {"test"},
		"key_id=" + string(c.key) + "&status=queued": {"queued", "test"}, "key_id=key_none": nil, "error_code=PAGE_TIMEOUT": {"failed"}, "error_code=CANCELLED": nil,
		"tag:customer=A%26B": {"failed"}, "tag:customer=A": nil, "tag:customer=C&status=queued": {"other key"}, "tag:customer=A%26B&tag:order=1": nil,
		"from=" + created: all, "to=" + created: nil, "from=2020-01-01&to=2099-12-31": all, "from=2099-12-31": nil,
	} {
		jobs, _ := c.listed(filter)
		var got []string
		for name, id := range ids {
			if slices.ContainsFunc(jobs, func(j object) bool { return j["job_id"] == id.String() }) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || len(jobs) != len(want) {
			t.Errorf("%s: got %q (%d jobs), want %q", filter, got, len(jobs), want)
		}
	}
}

func proveJobPages(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	want, got := map[any]bool{}, map[any]bool{}
	for range 5 {
		want[c.submit(htmlToPDF).String()] = true
	}
	for path, pages := "/jobs?limit=2", 0; path != ""; pages++ {
		if pages > 5 {
			t.Fatal("the list does not end")
		}
		a := c.get(path).status(200)
		o := a.json()
		for _, j := range o["jobs"].([]any) {
			id := j.(object)["job_id"]
			if got[id] {
				t.Errorf("%v is listed twice", id)
			}
			got[id] = true
		}
		path = ""
		if next, more := o["next_cursor"].(string); more {
			path = "/jobs?limit=2&cursor=" + url.QueryEscape(next)
			if !strings.Contains(a.Header.Get("Link"), "cursor="+next) {
				t.Errorf("Link is %q", a.Header.Get("Link"))
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the pages have %v, want %v", got, want)
	}
}

func proveOwnJobs(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanPro), s.customer(t, events.PlanPro)
	first := c.submit(htmlToPDF)
	c.submit(htmlToPDF)
	_, second := c.issue("sk_test_")
	page := c.get("/jobs?limit=1").status(200).json()
	for _, path := range []string{"/jobs", "/jobs?cursor=" + fmt.Sprint(page["next_cursor"]), "/jobs?key_id=" + string(c.key)} {
		if mine, others := c.as(second).get(path).status(200).json()["jobs"], other.get(path).status(200).json()["jobs"]; len(mine.([]any)) == 0 || len(others.([]any)) != 0 {
			t.Errorf("%s: another key sees %v, another account %v", path, mine, others)
		}
	}
	other.get("/jobs/"+first.String()).problem(404, "JOB_NOT_FOUND", "job-not-found: ")
	c.as("").get("/jobs").problem(401, "INVALID_API_KEY", "Send a valid API key")
}

func proveJobParameters(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for query, want := range map[string]string{
		"status=ended": "status", "operation=x": "operation", "key_id=": "key_id", "error_code=x": "error_code", "test=yes": "test", "tag:=x": "tag:", "from=yesterday": "from",
		"to=2101-01-01": "to", "from=2026-03-02&to=2026-03-01": "from", "time_zone=Mars": "time_zone", "limit=201": "limit", "cursor=x": "cursor", "account=x": "account", "limit=1&limit=2": "limit",
	} {
		c.refusesParameter("/jobs?"+query, want)
	}
}

func proveJobListRate(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for range perMinute[events.PlanFree] / 2 {
		c.get("/jobs").status(200)
		c.get("/jobs?limit=0").status(422)
	}
	c.get("/jobs").problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
}
