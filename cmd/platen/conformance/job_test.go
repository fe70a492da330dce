package conformance

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
)

// Jobs as the API shows them. On the still node a row plays the renderer.

var jobRows = []row{
	{"job/created", "JobCreatedResponse", "every operation answers 202 with job_id, status queued and detail", proveCreated},
	{"job/created-warning", "JobCreatedResponse", "for minimum and basicwl, detail warns of the incomplete invoice", proveWarning},
	{"job/queued", "JobStatusResponse", "a waiting job is queued; what is not known yet is null", proveQueued},
	{"job/rendering", "States and transitions", "a job whose file is being made is rendering", proveRendering},
	{"job/done", "JobStatusResponse", "a done job has finished_at, expires_at 24 hours later, pages_count and no error_code", proveDone},
	{"job/metrics", "JobMetrics", "the metrics are the file's size, pages and times", proveMetrics},
	{"job/size-human", "JobMetrics", "file_size_human is readable from bytes to gigabytes", proveHumanSizes},
	{"job/image-pages", "JobMetrics", "an image has no pages", proveImagePages},
	{"job/failed", "JobStatusResponse", "a failed job has finished_at and error_code, but no expires_at", proveFailed},
	{"job/error-codes", "Job error_code values named", "every named code is shown as it is", proveErrorCodes},
	{"job/reasons", "Extensions", "error_detail says in a sentence why a job failed, warnings what was done nevertheless", proveReasons},
	{"job/retried", "Jobs", "what may be retried is queued again, with growing delays, and fails the third time", proveRetried},
	{"job/not-retried", "Job error_code values named", "PAGE_TIMEOUT is not retried", proveNotRetried},
	{"job/test-flag", "JobStatusResponse", "test is true for a job that was submitted in test mode", proveTestFlag},
	{"job/unknown", "GET /jobs/{job_id}", "unknown, malformed and foreign ids are 404 alike", proveUnknownJobs},
	{"job/readable-30-days", "Jobs", "the status stays readable for 30 days after the job's end", proveReadable},
}

func proveCreated(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for i, path := range allOperations {
		body := minimal(path)
		body["test"] = i%2 == 0 // both kinds of jobs get the same response
		a := c.post(path, body)
		if id := a.accepted(); string(a.body) != `{"job_id":"`+id.String()+`","status":"queued","detail":"Job queued"}` {
			t.Errorf("%s: %s", path, a.body)
		}
	}
}

func proveWarning(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for profile, incomplete := range map[string]bool{"minimum": true, "basicwl": true, "basic": false, "en16931": false, "extended": false} {
		xml := invoiceXML(profile, "380")
		for path, body := range map[string]object{
			invoiceToPDF: {"xml": xml, "profile": profile},
			htmlToPDF:    {"html": "<p>x</p>", "einvoice": object{"xml": xml, "profile": profile}},
		} {
			a := c.post(path, body)
			a.accepted()
			detail := fmt.Sprint(a.json()["detail"])
			if warns := strings.Contains(detail, profile) && strings.Contains(detail, "not a complete legal invoice"); warns != incomplete || !strings.HasPrefix(detail, "Job queued") {
				t.Errorf("%s of %s: detail %q", path, profile, detail)
			}
		}
	}
}

// instants are UTC with milliseconds and a Z.
var instants = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func instant3339(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// is checks a JobStatusResponse: it has all members, and those given have the right
// values.
func (c *customer) is(id events.JobID, want object) {
	c.t.Helper()
	got := c.jobOf(id)
	for _, name := range []string{"status", "created_at", "finished_at", "expires_at", "test", "pages_count", "error_code", "error_detail", "warnings", "metrics"} {
		value, present := got[name]
		if !present {
			c.t.Errorf("the status lacks %s: %v", name, got)
		}
		if text, ok := value.(string); ok && strings.HasSuffix(name, "_at") && !instants.MatchString(text) {
			c.t.Errorf("%s is %q", name, text)
		}
		if wanted, given := want[name]; given && value != wanted {
			c.t.Errorf("%s is %v, want %v", name, value, wanted)
		}
	}
	if len(got) != 10 {
		c.t.Errorf("the status has other members: %v", got)
	}
}

func proveQueued(t *testing.T, s *server) {
	s.clock.pass(1234 * time.Millisecond) // so that the milliseconds show
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToPDF)
	c.is(id, object{
		"status": "queued", "created_at": instant3339(s.now()), "finished_at": nil, "expires_at": nil,
		"test": false, "pages_count": nil, "error_code": nil, "metrics": nil,
	})
}

func proveRendering(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToPDF)
	c.tell(events.StartRender{Job: id, Attempt: events.NewAttemptID(), Node: s.ID()})
	c.is(id, object{"status": "rendering", "finished_at": nil, "expires_at": nil, "pages_count": nil, "metrics": nil})
}

func proveDone(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	created := s.now()
	id := c.submit(htmlToPDF)
	s.clock.pass(2 * time.Second)
	c.finish(id, events.File{Name: id.String() + "-1.pdf", Size: 1536, Pages: 3})
	c.is(id, object{
		"status": "done", "created_at": instant3339(created), "finished_at": instant3339(s.now()),
		"expires_at": instant3339(s.now().Add(24 * time.Hour)), "pages_count": 3.0, "error_code": nil, "test": false,
	})
}

func proveMetrics(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToPDF)
	c.finish(id, events.File{Name: id.String() + "-1.pdf", Size: 1536, Pages: 3})
	got, _ := c.jobOf(id)["metrics"].(object)
	want := object{
		"file_size_bytes": 1536.0, "file_size_human": "1.5 KB", "page_load_ms": 12.0,
		"processing_ms": 34.0, "total_duration_ms": 56.0, "page_count": 3.0,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("metrics are %v, want %v", got, want)
	}
}

func proveHumanSizes(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for size, want := range map[int64]string{1023: "1023 B", 1024: "1.0 KB", 1<<20 - 1: "1.0 MB", 150 << 20: "150.0 MB", 3 << 29: "1.5 GB"} {
		id := c.submit(htmlToPDF)
		c.finish(id, events.File{Name: id.String() + "-1.pdf", Size: size, Pages: 1})
		metrics, _ := c.jobOf(id)["metrics"].(object)
		if metrics["file_size_human"] != want {
			t.Errorf("%d bytes are shown as %v, want %s", size, metrics["file_size_human"], want)
		}
	}
}

func proveImagePages(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToImage)
	c.finish(id, events.File{Name: id.String() + "-1.png", Size: 9})
	c.is(id, object{"status": "done", "pages_count": nil})
	if metrics, _ := c.jobOf(id)["metrics"].(object); metrics["page_count"] != nil || metrics["file_size_human"] != "9 B" {
		t.Errorf("metrics of an image: %v", metrics)
	}
}

func proveFailed(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToPDF)
	s.clock.pass(time.Second)
	c.fail(id, events.RenderFailed)
	c.is(id, object{
		"status": "failed", "finished_at": instant3339(s.now()), "expires_at": nil,
		"pages_count": nil, "error_code": "RENDER_FAILED", "metrics": nil,
	})
}

func proveErrorCodes(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for _, code := range []string{
		"SSRF_BLOCKED", "FILE_TOO_LARGE", "PAGE_TIMEOUT", "EINVOICE_FAILED", "EINVOICE_MISMATCH", "RENDER_FAILED",
		"NAVIGATION_FAILED", "SELECTOR_TIMEOUT", "FUNCTION_TIMEOUT", "RESOURCE_FAILED", "SCRIPT_FAILED", "PAGE_RANGE_EMPTY", "CONFORMANCE_FAILED", "DELIVERY_FAILED", "BROWSER_CRASHED",
	} {
		id := c.submit(htmlToPDF)
		c.fail(id, events.ErrorCode(code))
		c.is(id, object{"status": "failed", "error_code": code})
	}
}

func proveReasons(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	begin := func() (events.JobID, events.AttemptID) {
		id, attempt := c.submit(htmlToPDF), events.NewAttemptID()
		c.tell(events.StartRender{Job: id, Attempt: attempt, Node: s.ID()})
		return id, attempt
	}
	id, attempt := begin()
	c.tell(events.FailRender{Job: id, Attempt: attempt, Code: events.NavigationFailed, Detail: "The name a.example does not resolve."})
	c.is(id, object{"status": "failed", "error_code": "NAVIGATION_FAILED", "error_detail": "The name a.example does not resolve."})
	id, attempt = begin()
	c.tell(events.FailRender{Job: id, Attempt: attempt, Code: events.PageTimeout})
	c.is(id, object{"status": "failed", "error_code": "PAGE_TIMEOUT", "error_detail": "The page took too long."})
	id, attempt = begin()
	c.tell(events.FinishRender{Job: id, Attempt: attempt, File: events.File{Name: "f.pdf", Size: 9, Pages: 1}, Warnings: []events.Warning{{Code: "PAGE_CUT", Detail: "It is too wide."}}})
	want := []any{object{"code": "PAGE_CUT", "detail": "It is too wide."}}
	if got := c.jobOf(id); got["error_detail"] != nil || !reflect.DeepEqual(got["warnings"], want) {
		t.Errorf("a job with a warning has %v", got)
	}
}

func proveRetried(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	id := c.submit(htmlToPDF)
	for _, delay := range []time.Duration{250 * time.Millisecond, time.Second} {
		c.crash(id)
		c.is(id, object{"status": "queued", "finished_at": nil, "error_code": nil})
		c.tell(events.StartRender{Job: id, Attempt: events.NewAttemptID(), Node: s.ID()})
		c.is(id, object{"status": "queued"}) // it must not start before its delay is over
		s.clock.pass(delay)
		c.tell(events.WakeJob{Job: id})
	}
	c.crash(id)
	c.is(id, object{"status": "failed", "error_code": "BROWSER_CRASHED"})
}

// crash plays an attempt whose browser crashes.
func (c *customer) crash(id events.JobID) {
	c.t.Helper()
	attempt := events.NewAttemptID()
	c.tell(
		events.StartRender{Job: id, Attempt: attempt, Node: c.server.ID()},
		events.FailRender{Job: id, Attempt: attempt, Code: events.BrowserCrashed, Retryable: true},
	)
}

func proveNotRetried(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToImage)
	c.fail(id, events.PageTimeout)
	c.is(id, object{"status": "failed", "error_code": "PAGE_TIMEOUT"})
	s.clock.pass(time.Hour)
	c.tell(events.WakeJob{Job: id})
	c.is(id, object{"status": "failed", "error_code": "PAGE_TIMEOUT"})
}

func proveTestFlag(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, test := range []any{true, false, nil} {
		id := c.post(htmlToPDF, object{"html": "x", "test": test}).accepted()
		c.is(id, object{"test": test == true})
	}
}

func proveUnknownJobs(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanFree), s.customer(t, events.PlanFree)
	foreign := other.submit(htmlToPDF).String()
	var details []any
	for _, id := range []string{events.NewJobID().String(), "42", strings.ToUpper(foreign), foreign} {
		o := c.get("/jobs/"+id).problem(404, "JOB_NOT_FOUND", "job-not-found: ")
		details = append(details, o["detail"])
		c.get("/jobs/"+id+"/download").problem(404, "JOB_NOT_FOUND", "job-not-found: ")
	}
	if fmt.Sprint(details[1:]) != fmt.Sprint(details[:3]) {
		t.Errorf("unknown ids get different responses: %q", details)
	}
	other.get("/jobs/" + foreign).status(200)
}

// A job is remembered for 30 days after its end, however it ended. Nodes look once a
// second for jobs that are due. The row does not wait for that, but wakes them itself.
func proveReadable(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	done, failed := c.stored(htmlToPDF, "a file"), c.submit(htmlToPDF)
	c.fail(failed, events.PageTimeout)
	ended := s.now()
	s.clock.passTo(ended.Add(24 * time.Hour))
	c.awaitDeleted(done)
	s.clock.passTo(ended.Add(30*24*time.Hour - time.Millisecond))
	c.tell(events.WakeJob{Job: done}, events.WakeJob{Job: failed})
	c.is(done, object{"status": "done", "pages_count": 3.0})
	c.is(failed, object{"status": "failed", "error_code": "PAGE_TIMEOUT"})
	s.clock.pass(time.Millisecond)
	c.tell(events.WakeJob{Job: done}, events.WakeJob{Job: failed})
	for _, id := range []events.JobID{done, failed} {
		c.get("/jobs/"+id.String()).problem(404, "JOB_NOT_FOUND", "job-not-found: ")
	}
}
