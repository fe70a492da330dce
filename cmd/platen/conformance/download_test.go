package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/store"
)

// Downloads: the rules of GET /jobs/{job_id}/download.

const downloadSection = "GET /jobs/{job_id}/download"

var downloadRows = []row{
	{"download/headers", downloadSection, "200 has the type, the length, the file name and no ranges", proveDownloadHeaders},
	{"download/24-hours", downloadSection, "a file is there for 24 hours, then 410 file-expired", proveExpiry},
	{"download/deleted", downloadSection, "files are physically deleted after their time", proveDeletion},
	{"download/attempts", downloadSection, "three downloads, then 429 until the file expires", proveAttempts},
	{"download/interrupted", downloadSection, "an interrupted download is one of the three", proveInterrupted},
	{"download/busy", downloadSection, "one stream at a time: a second gets 429 download-busy, and spends nothing", proveBusy},
	{"download/lost-stream", downloadSection, "the stream of an edge that died is free after 30 seconds", proveLostStream},
	{"download/incomplete", downloadSection, "404 while the job is queued or rendering, and when it failed", proveIncomplete},
	{"download/delivered", downloadSection, "404 for a file that went to the caller's storage, and no expires_at", proveDelivered},
	{"download/undelivered", downloadSection, "404 for a job whose file is not delivered yet, or could not be, says so", proveUndelivered},
	{"download/no-debit", downloadSection, "a download debits no quota", proveNoDebit},
	{"download/head", "Jobs", "HEAD has the same headers and does not count", proveHead},
	{"download/conditional", "Jobs", "a conditional request that sends nothing spends nothing", proveConditional},
}

func proveDownloadHeaders(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for path, kind := range map[string]string{htmlToPDF: "application/pdf", htmlToImage: "image/png"} {
		id := c.stored(path, "the content")
		a := c.download(id).status(200)
		want := `attachment; filename="` + id.String() + "." + kind[strings.Index(kind, "/")+1:] + `"`
		if a.kind() != kind || a.Header.Get("Content-Disposition") != want || a.ContentLength != 11 ||
			a.Header.Get("Accept-Ranges") != "none" || string(a.body) != "the content" {
			t.Errorf("%s: %v %q", path, a.Header, a.body)
		}
	}
	if a := c.download(c.stored(htmlToPDF, "whole"), "Range", "bytes=0-1").status(200); string(a.body) != "whole" {
		t.Errorf("a range was served: %q", a.body)
	}
}

func proveExpiry(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")
	expires := s.now().Add(24 * time.Hour)
	s.clock.passTo(expires.Add(-time.Millisecond))
	c.download(id).status(200)
	s.clock.passTo(expires)
	c.download(id).problem(410, "FILE_EXPIRED", "file-expired: ")
	c.is(id, object{"status": "done", "expires_at": instant3339(expires)})
}

// awaitDeleted waits until a job's state says that its file is deleted, and checks that
// it is.
func (c *customer) awaitDeleted(id events.JobID) {
	c.t.Helper()
	decided := account.ReplicaStore{Reader: c.server.Replica(), Partition: events.Partition(c.account, c.server.Log().Partitions())}
	testkit.Eventually(c.t, "an expired file is deleted", func() bool {
		state, err := decided.Job(c.account, id)
		return err == nil && state.Phase == job.Deleted
	})
	if _, err := c.server.Files().Open(c.t.Context(), id.String()+"-1.pdf"); !errors.Is(err, store.ErrNotExist) {
		c.t.Errorf("a deleted file: %v", err)
	}
}

// Files are deleted within an hour after they expire; the contract allows 48.
func proveDeletion(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")
	s.clock.pass(24 * time.Hour)
	c.awaitDeleted(id)
	c.download(id).problem(410, "FILE_EXPIRED", "file-expired: ")
}

func proveAttempts(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")
	for range 3 {
		c.download(id).status(200)
	}
	s.clock.pass(time.Hour)
	o := c.download(id).problem(429, "DOWNLOAD_ATTEMPTS_EXHAUSTED", "download-attempts-exhausted: ")
	if want := float64(23 * 3600); o["retry_after_seconds"] != want {
		t.Errorf("retry after %v s, want %v: until the file expires", o["retry_after_seconds"], want)
	}
}

// bigFile exceeds the buffers of a connection, so that a client that does not read keeps
// its stream.
const bigFile = 48 << 20

// begin starts a download and reads only the headers.
func (c *customer) begin(id events.JobID) net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.server.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "GET /jobs/%s/download HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", id, c.secret)
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil || resp.StatusCode != 200 || resp.ContentLength != bigFile {
		c.t.Fatalf("begin a download: %v %v", resp, err)
	}
	return conn
}

func proveInterrupted(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness) // its rate allows the polls
	id := c.stored(htmlToPDF, strings.Repeat("x", bigFile))
	_ = c.begin(id).Close()
	c.awaitFree(id)            // the second
	c.download(id).status(200) // the third
	c.download(id).problem(429, "DOWNLOAD_ATTEMPTS_EXHAUSTED", "download-attempts-exhausted: ")
}

// awaitFree downloads a file as soon as its stream is free.
func (c *customer) awaitFree(id events.JobID) {
	c.t.Helper()
	testkit.Eventually(c.t, "the stream of a client that left is free", func() bool {
		return c.download(id).StatusCode == 200
	})
}

func proveBusy(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	id := c.stored(htmlToPDF, strings.Repeat("x", bigFile))
	first := c.begin(id)
	for range 3 {
		o := c.download(id).problem(429, "DOWNLOAD_BUSY", "download-busy: ")
		if o["retry_after_seconds"] != 10.0 {
			t.Errorf("retry after %v s, want 10", o["retry_after_seconds"])
		}
	}
	if n, err := io.CopyN(io.Discard, first, bigFile); err != nil {
		t.Fatalf("the first download got %d bytes: %v", n, err)
	}
	c.download(id).status(200) // refused downloads do not count
	c.download(id).status(200)
	c.download(id).problem(429, "DOWNLOAD_ATTEMPTS_EXHAUSTED", "download-attempts-exhausted: ")
}

// The row plays an edge that begins a download and dies.
func proveLostStream(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")
	c.command(events.BeginDownload{Job: id, Download: events.NewDownloadID()})
	s.clock.pass(30*time.Second - time.Millisecond)
	c.download(id).problem(429, "DOWNLOAD_BUSY", "download-busy: ")
	s.clock.pass(time.Millisecond)
	c.download(id).status(200)
	c.download(id).status(200)
	c.download(id).problem(429, "DOWNLOAD_ATTEMPTS_EXHAUSTED", "download-attempts-exhausted: ")
}

func proveIncomplete(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id, failed := c.submit(htmlToPDF), c.submit(htmlToPDF)
	c.download(id).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
	c.tell(events.StartRender{Job: id, Attempt: events.NewAttemptID(), Node: s.ID()})
	c.download(id).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
	c.fail(failed, events.PageTimeout)
	c.download(failed).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
}

// The row plays a renderer and an uploader. The node's own finds no file, which ends the job if it is the quicker one: then
// the row tries another job.
func proveDelivered(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	var id events.JobID
	testkit.Eventually(t, "an upload of the row counts", func() bool {
		id = c.post(htmlToPDF, object{"html": "x", "delivery": object{"url": "https://127.0.0.1/put"}}).accepted()
		attempt := events.NewAttemptID()
		c.tell(
			events.StartRender{Job: id, Attempt: attempt, Node: s.ID()},
			events.FinishRender{Job: id, Attempt: attempt, File: events.File{Name: id.String() + "-1.pdf", Size: 5, Pages: 1}},
			events.ReportUpload{Job: id, UploadAttempt: events.UploadAttempt{Number: 1, Status: 200}},
		)
		return c.jobOf(id)["status"] == "done"
	})
	c.download(id).problem(404, "OUTPUT_DELIVERED_EXTERNALLY", "output-delivered-externally: ")
	c.is(id, object{"status": "done", "expires_at": nil, "pages_count": 1.0})
}

func proveUndelivered(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	body := object{"html": "x", "delivery": object{"url": "https://storage.test/put"}}
	queued, failed := c.post(htmlToPDF, body).accepted(), c.post(htmlToPDF, body).accepted()
	c.fail(failed, events.DeliveryFailed)
	c.download(queued).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
	c.download(failed).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
}

func proveNoDebit(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, strings.Repeat("x", 1000))
	before := c.usage()
	c.download(id).status(200)
	if after := c.usage(); after.Bytes != before.Bytes || after.Used != before.Used || before.Bytes != 1000 {
		t.Errorf("usage was %+v before and is %+v after", before, after)
	}
}

func proveHead(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.stored(htmlToPDF, "x")
	path := "/jobs/" + id.String()
	for range 4 {
		a := c.send("HEAD", path+"/download", nil).status(200)
		if a.kind() != "application/pdf" || a.ContentLength != 1 || a.Header.Get("Content-Disposition") == "" {
			t.Errorf("HEAD: %v", a.Header)
		}
	}
	c.send("HEAD", path, nil).status(200)
	s.clock.pass(time.Minute) // a free account has ten requests per minute
	for range 3 {
		c.download(id).status(200)
	}
	c.send("HEAD", path+"/download", nil).status(429)
}

func proveConditional(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	id := c.stored(htmlToPDF, "x")
	tag := c.download(id).status(200).Header.Get("ETag")
	earlier, later := s.now().Add(-time.Hour).Format(http.TimeFormat), s.now().Add(time.Hour).Format(http.TimeFormat)
	for range 3 {
		c.download(id, "If-None-Match", tag).status(304)
		c.download(id, "If-None-Match", `"other", `+tag).status(304)
		c.download(id, "If-Modified-Since", later).status(304)
		c.download(id, "If-None-Match", "W/"+tag).status(304)
		c.download(id, "If-Match", "W/"+tag).problem(412, "PRECONDITION_FAILED", "precondition-failed: ")
		c.download(id, "If-Match", `"other"`).problem(412, "PRECONDITION_FAILED", "precondition-failed: ")
		c.download(id, "If-Unmodified-Since", earlier).problem(412, "PRECONDITION_FAILED", "precondition-failed: ")
	}
	c.download(id, "If-None-Match", `"other"`).status(200)
	c.download(id, "If-Match", tag).status(200)
}
