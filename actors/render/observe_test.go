package render

import (
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// An observer gets one report per attempt, with the steps that it reached.
func TestReports(t *testing.T) {
	reports := make(chan Report, 10)
	s := newFixtureWith(t, func(c *Config) { c.Observe = func(r Report) { reports <- r } })
	render := func(submit events.Submission, lane events.Lane) Report {
		submit.Job = events.NewJobID()
		s.renderer.Perform(0, job.Render{Account: "acc", Job: submit.Job, Content: s.append(submit), Lane: lane})
		return testkit.Receive(t, reports, "the report")
	}
	good := render(events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToPDF}, Content: events.Content{HTML: "page page"}}, events.Slow)
	if good.Operation != events.HTMLToPDF || good.Lane != events.Slow || good.Code != "" || good.Load != 3*time.Millisecond ||
		good.Made != 4*time.Millisecond || good.Size != 16 || good.Pages != 2 || good.Wait < 0 || good.Finish < 0 || good.Store < 0 {
		t.Errorf("a successful attempt is reported as %+v", good)
	}
	test := render(events.Submission{SubmitJob: events.SubmitJob{Operation: events.URLToPDF, Test: true}}, events.Quick)
	if test.Code != "" || test.Wait >= 0 || test.Size == 0 {
		t.Errorf("an attempt at a test job is reported as %+v", test)
	}
	s.print = fails(page.ErrTimeout)
	bad := render(events.Submission{SubmitJob: events.SubmitJob{Operation: events.URLToPDF}, Content: events.Content{URL: "https://example.test/"}}, events.Slow)
	if bad.Code != events.PageTimeout || bad.Operation != events.URLToPDF || bad.Size != 0 || bad.Store != 0 {
		t.Errorf("a failed attempt is reported as %+v", bad)
	}
}
