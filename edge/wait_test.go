package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// ends makes the fixture end the next submitted job as the journal would: before the reply to its submission, or later,
// when the returned function is called.
func (d *fixture) ends(row projections.Job, early bool) (later func()) {
	submitted := make(chan events.JobID, 10)
	end := func(id events.JobID) {
		d.jobs[id] = row
		ev := events.Event(events.JobDone{Job: id})
		if row.Status == events.StatusFailed {
			ev = events.JobFailed{Job: id}
		}
		d.server.Folded(projections.Progress{Steps: []projections.Step{{Entry: events.Envelope{Events: []events.Event{ev}}, Accepted: true}}})
	}
	d.on = func(body events.CommandBody) *events.Reply {
		if s, is := body.(events.Submission); is {
			if early {
				end(s.Job)
			}
			submitted <- s.Job
		}
		return nil
	}
	return func() {
		id := <-submitted
		d.mu.Lock()
		defer d.mu.Unlock()
		end(id)
	}
}

var doneJob = projections.Job{Status: events.StatusDone, Finished: 1, Expires: 1 << 50, File: events.File{Name: "f.pdf", Size: int64(len("content of f.pdf"))}}

// A request with wait gets the file as the first of its downloads, whether the job ends before or after the reply.
func TestWait(t *testing.T) {
	for _, early := range []bool{true, false} {
		d := newFixture(t)
		observed := make(chan string, 1)
		d.server.cfg.Observe = func(route string, status int, _ time.Duration) { observed <- fmt.Sprint(route, " ", status) }
		later := d.ends(doneJob, early)
		if !early {
			go later()
		}
		a := d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>","wait":true}`)
		if a.StatusCode != 200 || a.body != "content of f.pdf" || a.Header.Get("Content-Type") != "application/pdf" || a.Header.Get("X-Platen-Warning") != "" {
			t.Errorf("early %t: %d %q %v", early, a.StatusCode, a.body, a.Header)
		}
		if got := testkit.Receive(t, observed, "the request is observed"); got != "/html-to-pdf wait 200" {
			t.Errorf("early %t: observed %s", early, got)
		}
		id := a.Header.Get("X-Platen-Job-Id")
		if want := `attachment; filename="` + id + `.pdf"`; a.Header.Get("Content-Disposition") != want {
			t.Errorf("early %t: %v, want %s", early, a.Header, want)
		}
		d.mu.Lock()
		if n := len(d.commands); n != 1 || !d.commands[0].(events.Submission).Waits {
			t.Errorf("early %t: commands %v", early, d.commands)
		}
		d.mu.Unlock()
		if len(d.server.submissions.waiting.jobs) > 0 {
			t.Errorf("early %t: %d requests wait on", early, len(d.server.submissions.waiting.jobs))
		}
	}
}

// A repeated request begins another download.
func TestWaitRepeated(t *testing.T) {
	d := newFixture(t)
	id := events.NewJobID()
	d.jobs[id] = doneJob
	d.reply = events.Reply{Code: events.Replayed, Job: &id}
	d.on = func(body events.CommandBody) *events.Reply {
		if _, is := body.(events.BeginDownload); is {
			return &events.Reply{Code: events.Accepted}
		}
		return nil
	}
	a := d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>","wait":true}`, "Idempotency-Key", "k")
	if a.StatusCode != 200 || a.body != "content of f.pdf" || a.Header.Get("Idempotent-Replayed") != "true" || a.Header.Get("X-Platen-Job-Id") != id.String() {
		t.Errorf("%d %q %v", a.StatusCode, a.body, a.Header)
	}
	if n := len(d.commands); n != 2 || reflect.TypeOf(d.commands[1]) != reflect.TypeFor[events.BeginDownload]() {
		t.Errorf("commands %v", d.commands)
	}
}

// The warnings of a 202 are in a header here.
func TestWaitWarns(t *testing.T) {
	d := newFixture(t)
	d.ends(doneJob, true)
	a := d.do("POST", "/einvoice-to-pdf", `{"xml":"good","profile":"minimum","wait":true}`)
	if want := "an invoice of the profile minimum is not a complete legal invoice"; a.StatusCode != 200 || a.Header.Get("X-Platen-Warning") != want {
		t.Errorf("%d %s %v", a.StatusCode, a.body, a.Header)
	}
}

// A job that fails, or whose file is gone, gives a problem that names the job.
func TestWaitForFailure(t *testing.T) {
	for name, c := range map[string]struct {
		row    projections.Job
		status int
		slug   string
		code   string
	}{
		"failed":  {projections.Job{Status: events.StatusFailed, Finished: 1, Error: events.PageTimeout}, 422, "job-failed", "PAGE_TIMEOUT"},
		"expired": {projections.Job{Status: events.StatusDone, Finished: 1, Gone: true}, 410, "file-expired", "FILE_EXPIRED"},
	} {
		d := newFixture(t)
		d.ends(c.row, true)
		a := d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>","wait":true}`)
		p := a.problemOf(t)
		if p.Status != c.status || p.Error != c.code || !strings.HasSuffix(p.Type, "#"+c.slug) || p.JobID == "" || p.JobID != a.Header.Get("X-Platen-Job-Id") {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// impatient returns timeouts with no time to wait.
func impatient() timeouts {
	t := defaultTimeouts
	t.wait = -time.Hour
	return t
}

// A job that is late is cancelled, and its request forgotten. A job that ends at that moment is answered as usual. If
// the shard does not reply, the job continues.
func TestWaitTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		reply  *events.Reply
		ended  bool
		status int
		code   string
	}{
		"late":            {&events.Reply{Code: events.Accepted}, false, 503, "SYNC_TIMEOUT"},
		"just done":       {&events.Reply{Code: events.AlreadyEnded}, true, 200, ""},
		"no reply":        {nil, false, 503, "UNAVAILABLE"},
		"ended, and gone": {&events.Reply{Code: events.AlreadyEnded}, false, 404, "JOB_NOT_COMPLETE"},
	} {
		d := newFixtureFor(t, impatient())
		d.on = func(body events.CommandBody) *events.Reply {
			b, is := body.(events.CancelJob)
			if !is {
				return nil
			}
			if !b.Forget {
				t.Errorf("%s: the request is not forgotten", name)
			}
			if c.ended {
				d.fresh[b.Job] = doneJob
			}
			if c.reply == nil {
				d.err = fmt.Errorf("no reply")
			}
			return c.reply
		}
		a := d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>","wait":true}`)
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
		if c.code != "" {
			if p := a.problemOf(t); p.Error != c.code || p.JobID == "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// A node that shuts down releases the waiting requests; their jobs continue.
func TestWaitWhileStopping(t *testing.T) {
	d := newFixture(t)
	d.ends(doneJob, false)
	var waits sync.WaitGroup
	got := make(chan answer, 3)
	for range cap(got) {
		waits.Go(func() { got <- d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>","wait":true}`) })
	}
	testkit.Eventually(t, "three requests wait", func() bool {
		d.server.submissions.waiting.mu.Lock()
		defer d.server.submissions.waiting.mu.Unlock()
		return len(d.server.submissions.waiting.jobs) == cap(got)
	})
	close(d.server.draining)
	waits.Wait()
	for range cap(got) {
		if p := (<-got).problemOf(t); p.Status != http.StatusServiceUnavailable || p.Error != "UNAVAILABLE" || p.JobID == "" {
			t.Errorf("got %+v", p)
		}
	}
	d.server.draining = make(chan struct{}) // for the shutdown
}

// wait and delivery exclude each other.
func TestWaitWithDelivery(t *testing.T) {
	d := newFixture(t)
	a := d.do("POST", "/html-to-pdf", `{"html":"x","wait":true,"delivery":{"url":"https://storage.test/x"}}`)
	if a.StatusCode != 422 || !strings.Contains(a.body, `["body","wait"]`) || len(d.commands) > 0 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// A job is cancelled only once.
func TestCancel(t *testing.T) {
	d := newFixture(t)
	id := events.NewJobID()
	d.jobs[id] = projections.Job{Account: "acc", Status: events.StatusRendering}
	path := "/jobs/" + id.String() + "/cancel"
	if a := d.do("POST", path, ""); a.StatusCode != 200 || a.body != `{"job_id":"`+id.String()+`","status":"failed","detail":"Job cancelled"}` {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if len(d.commands) != 1 || d.commands[0] != events.CommandBody(events.CancelJob{Job: id}) {
		t.Errorf("commands %v", d.commands)
	}
	d.reply.Code = events.AlreadyEnded
	if p := d.do("POST", path, "").problemOf(t); p.Status != 409 || p.Error != "JOB_ALREADY_ENDED" {
		t.Errorf("got %+v", p)
	}
	if p := d.do("POST", "/jobs/"+events.NewJobID().String()+"/cancel", "").problemOf(t); p.Status != 404 {
		t.Errorf("got %+v", p)
	}
	if a := d.do("GET", path, ""); a.StatusCode != 405 || a.Header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", a.StatusCode, a.Header)
	}
}

// Two thousand requests can wait at once: each costs only its connection, others are served meanwhile, and all get their files.
func TestManyWait(t *testing.T) {
	const requests = 2_000
	needFiles(t, 3*requests)
	d := newFixture(t)
	var mu sync.Mutex
	var submitted []events.JobID
	d.on = func(body events.CommandBody) *events.Reply {
		if s, is := body.(events.Submission); is {
			mu.Lock()
			defer mu.Unlock()
			submitted = append(submitted, s.Job)
		}
		return nil
	}
	waits := func() int {
		d.server.submissions.waiting.mu.Lock()
		defer d.server.submissions.waiting.mu.Unlock()
		return len(d.server.submissions.waiting.jobs)
	}
	got := make(chan error, requests)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: requests}}
	defer client.CloseIdleConnections()
	before := heap()
	for range requests {
		go func() { got <- d.waitWith(client) }()
	}
	testkit.Eventually(t, "all wait", func() bool { return waits() == requests })
	perRequest := (heap() - before) / requests // includes this test's client
	t.Logf("%d bytes for each request that waits, with its client", perRequest)
	if perRequest > 128<<10 {
		t.Errorf("a request that waits takes %d bytes", perRequest)
	}
	if a := d.do("GET", "/jobs/"+events.NewJobID().String(), ""); a.StatusCode != 404 {
		t.Errorf("another request meanwhile: %d", a.StatusCode)
	}
	for _, id := range submitted {
		d.mu.Lock()
		d.jobs[id] = doneJob
		d.mu.Unlock()
		d.server.Folded(projections.Progress{Steps: []projections.Step{{Entry: events.Envelope{Events: []events.Event{events.JobDone{Job: id}}}, Accepted: true}}})
	}
	for range requests {
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
	if waits() > 0 {
		t.Errorf("%d requests wait on", waits())
	}
}

// waitWith sends a request that waits, and returns an error if its response is wrong.
func (d *fixture) waitWith(client *http.Client) error {
	req, err := http.NewRequest("POST", d.url+"/html-to-pdf", strings.NewReader(`{"html":"<p>x</p>","wait":true}`))
	if err != nil {
		return err
	}
	req.Header.Set("X-API-Key", d.secret)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(b) != "content of f.pdf" {
		return fmt.Errorf("%d %s %w", resp.StatusCode, b, err)
	}
	return nil
}

// heap returns the bytes in use, including stacks.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// brokenFile cannot be read to its end.
type brokenFile struct{ io.Reader }

func (brokenFile) Close() error { return nil }

// A file that breaks off while a waiting request gets it is reported to the operator as it is in a download.
func TestWaitedFileBreaksOff(t *testing.T) {
	d := newFixture(t)
	var said testkit.Lines
	d.server.cfg.Logger = slog.New(slog.NewTextHandler(&said, nil))
	d.server.cfg.Open = func(context.Context, string) (io.ReadCloser, int64, error) {
		return brokenFile{io.MultiReader(strings.NewReader(strings.Repeat("x", 100<<10)), iotest.ErrReader(errors.New("store: connection reset")))}, 1 << 20, nil
	}
	row := doneJob
	row.File.Size = 1 << 20
	d.ends(row, true)
	req, err := http.NewRequest("POST", d.url+"/html-to-pdf", strings.NewReader(`{"html":"<p>x</p>","wait":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", d.secret)
	if answer, err := http.DefaultClient.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
	testkit.Eventually(t, "a line", func() bool { return said.String() != "" })
	if line := said.String(); !strings.Contains(line, "file truncated while it was sent") {
		t.Error(line)
	}
}
