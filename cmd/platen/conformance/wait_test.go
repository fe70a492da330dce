package conformance

import (
	"bytes"
	"strings"
	"testing"

	"platen.dev/events"
)

const extensionSection = "Extensions"

// waitRows need files; cancelRows need jobs that stay as they are.
var waitRows = []row{
	{"wait/operations", extensionSection, "wait: 200 with the file on all six operations, as the first download", proveWait},
	{"wait/failed", extensionSection, "wait: a failed job is 422 job-failed with its code and job_id", proveWaitForFailure},
	{"wait/repeated", extensionSection, "wait: a repeated request gets the first one's file", proveWaitRepeated},
}

var cancelRows = []row{
	{"wait/delivery", extensionSection, "wait with delivery is 422", proveWaitWithDelivery},
	{"cancel/uncharged", extensionSection, "cancel: a job ends failed with CANCELLED, uncharged", proveCancel},
	{"cancel/ended", extensionSection, "cancel: 409 for a terminal job", proveCancelEnded},
	{"cancel/key", extensionSection, "a job that a waiting request cancels releases its idempotency key, another does not", proveCancelledKey},
}

func waiting(path string, more object) object {
	body := minimal(path)
	body["wait"] = true
	for name, value := range more {
		body[name] = value
	}
	return body
}

func proveWait(t *testing.T, s *server) {
	for _, path := range allOperations {
		for _, test := range []bool{true, false} {
			if !test && strings.HasPrefix(path, "/url") {
				continue // no page is to be had here
			}
			c := s.customer(t, events.PlanBusiness)
			a := c.post(path, waiting(path, object{"test": test})).status(200)
			id := a.Header.Get("X-Platen-Job-Id")
			if !strings.Contains(a.Header.Get("Content-Disposition"), id) || id == "" || a.ContentLength != int64(len(a.body)) || len(a.body) == 0 {
				t.Errorf("%s: %d bytes, %v", path, len(a.body), a.Header)
			}
			if u := c.usage(); !test && (u.Used != 1 || u.Bytes != int64(len(a.body))) || test && u.Used != 0 {
				t.Errorf("%s, test %t: %d bytes were charged as %+v", path, test, len(a.body), u.Usage)
			}
			for range 2 {
				if again := c.get("/jobs/" + id + "/download").status(200); !bytes.Equal(again.body, a.body) {
					t.Errorf("%s: the download differs", path)
				}
			}
			c.get("/jobs/"+id+"/download").problem(429, "DOWNLOAD_ATTEMPTS_EXHAUSTED", "download-attempts-exhausted: ")
		}
	}
}

func proveWaitForFailure(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	c.command(events.LimitFiles{Bytes: 100})
	o := c.post(htmlToPDF, waiting(htmlToPDF, nil)).status(422).json()
	kind, _ := o["type"].(string)
	id, _ := o["job_id"].(string)
	if !strings.HasSuffix(kind, "#job-failed") || o["error"] != "FILE_TOO_LARGE" || o["status"] != 422.0 {
		t.Errorf("got %v", o)
	}
	c.get("/jobs/" + id).status(200)
	c.chargedNothing()
}

func proveWaitRepeated(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	send := func() response {
		return c.post(htmlToPDF, waiting(htmlToPDF, nil), "Idempotency-Key", "once").status(200)
	}
	first, second := send(), send()
	if !bytes.Equal(first.body, second.body) || first.Header.Get("X-Platen-Job-Id") != second.Header.Get("X-Platen-Job-Id") || second.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%v and %v", first.Header, second.Header)
	}
	if u := c.usage(); u.Used != 1 {
		t.Errorf("charged as %+v", u.Usage)
	}
}

func proveWaitWithDelivery(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.post(htmlToPDF, waiting(htmlToPDF, object{"delivery": object{"url": "https://storage.test/x"}})).
		violations(wrong{"body.wait", "value_error", "Value error, wait cannot be combined with delivery"})
}

func proveCancel(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	queued, rendering := c.submit(htmlToPDF), c.submit(htmlToPDF)
	attempt := events.NewAttemptID()
	c.tell(events.StartRender{Job: rendering, Attempt: attempt, Node: s.ID()})
	for _, id := range []events.JobID{queued, rendering} {
		c.send("POST", "/jobs/"+id.String()+"/cancel", nil).status(200)
		c.is(id, object{"status": "failed", "error_code": "CANCELLED", "expires_at": nil, "metrics": nil})
	}
	c.tell(events.FinishRender{Job: rendering, Attempt: attempt, File: events.File{Name: rendering.String() + "-1.pdf", Size: 5}})
	c.is(rendering, object{"status": "failed", "error_code": "CANCELLED"})
	c.chargedNothing()
}

func proveCancelEnded(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	cancelled, done := c.submit(htmlToPDF), c.stored(htmlToPDF, "x")
	c.send("POST", "/jobs/"+cancelled.String()+"/cancel", nil).status(200)
	for _, id := range []events.JobID{cancelled, done} {
		c.send("POST", "/jobs/"+id.String()+"/cancel", nil).problem(409, "JOB_ALREADY_ENDED", "job-already-ended: ")
	}
	c.is(done, object{"status": "done"})
	c.send("POST", "/jobs/"+events.NewJobID().String()+"/cancel", nil).problem(404, "JOB_NOT_FOUND", "job-not-found: ")
}

func proveCancelledKey(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	submit := func() events.JobID {
		return c.post(htmlToPDF, minimal(htmlToPDF), "Idempotency-Key", "k").accepted()
	}
	first := submit()
	c.send("POST", "/jobs/"+first.String()+"/cancel", nil).status(200)
	if again := submit(); again != first {
		t.Errorf("after a cancellation, the key makes job %s, not %s", again, first)
	}
	other := c.post(htmlToPDF, minimal(htmlToPDF), "Idempotency-Key", "l").accepted()
	c.command(events.CancelJob{Job: other, Forget: true}) // as a waiting request does
	if again := c.post(htmlToPDF, minimal(htmlToPDF), "Idempotency-Key", "l").accepted(); again == other {
		t.Errorf("the key still stands for job %s", other)
	}
}
