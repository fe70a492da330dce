package render

import (
	"net/url"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing"
	"platen.dev/events/tracing/tracingtest"
)

// below is where the jobs of these tests belong.
var below = events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}, Sampled: true}

func newTracedFixture(t *testing.T) (*fixture, *tracingtest.Collector, *tracing.Tracer) {
	t.Helper()
	collector := tracingtest.Start(t)
	endpoint, err := url.Parse(collector.URL)
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := tracing.Start(tracing.Config{Endpoint: endpoint, Node: "n1", Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	return newFixtureWith(t, func(c *Config) { c.Traces = tracer }), collector, tracer
}

// perform asks for an attempt at a job that was queued at an instant.
func (s *fixture) perform(id events.JobID, offset int64, queued time.Time) {
	s.renderer.Perform(0, job.Render{Account: "acc", Job: id, Content: offset, Queued: events.At(queued)})
}

// Each attempt has its own spans, once: its time in the queue, from when the journal says that the
// job was queued, and below the attempt's own span those of the phases that it reached.
func TestSpansOfAttempts(t *testing.T) {
	s, collector, tracer := newTracedFixture(t)
	succeeds := s.print
	s.print = fails(page.ErrCrashed)
	id := events.NewJobID()
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id, Operation: events.HTMLToPDF, Trace: below}, Content: events.Content{HTML: "page"}})
	first, second := time.UnixMilli(1700000000000), time.UnixMilli(1700000005000)
	s.perform(id, offset, first)
	s.told(2)
	s.figures("the first attempt has ended", func(f Figures) bool { return f.Load.Total() == 0 })
	s.print = succeeds
	s.perform(id, offset, second)
	s.told(2)
	s.figures("the second attempt has ended", func(f Figures) bool { return f.Load.Total() == 0 })
	if err := tracer.Close(testkit.Context(t)); err != nil {
		t.Fatal(err)
	}
	got := map[string][]tracingtest.Span{}
	for _, span := range collector.Of(id.String()) {
		got[span.Name] = append(got[span.Name], span)
	}
	for name, n := range map[string]int{"queue": 2, "attempt": 2, "render": 2, "load": 1, "make": 1, "finish": 1, "store": 1} {
		if len(got[name]) != n {
			t.Fatalf("%d spans of %q, want %d: %+v", len(got[name]), name, n, collector.Spans())
		}
	}
	if !got["queue"][0].Begin.Equal(first) || !got["queue"][1].Begin.Equal(second) {
		t.Errorf("queued at %s and %s", got["queue"][0].Begin, got["queue"][1].Begin)
	}
	for i, code := range []string{string(events.BrowserCrashed), ""} {
		if a, r := got["attempt"][i], got["render"][i]; a.Attributes["error.type"] != code || r.Attributes["error.type"] != code || r.Parent != a.ID || a.Parent != below.Span.String() {
			t.Errorf("attempt %d: %+v %+v, want the code %q", i+1, a, r, code)
		}
	}
	if a := got["attempt"][1]; got["store"][0].Parent != a.ID || got["finish"][0].Parent != a.ID || a.Attributes["platen.pages"] != "1" {
		t.Errorf("the second attempt: %+v", a)
	}
}

// A job whose trace nobody records has no spans.
func TestNoSpansUnlessRecorded(t *testing.T) {
	s, collector, tracer := newTracedFixture(t)
	id := events.NewJobID()
	not := below
	not.Sampled = false
	s.perform(id, s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id, Trace: not}, Content: events.Content{HTML: "page"}}), time.Now())
	s.told(2)
	s.figures("the attempt has ended", func(f Figures) bool { return f.Load.Total() == 0 })
	if err := tracer.Close(testkit.Context(t)); err != nil {
		t.Fatal(err)
	}
	if got := collector.Spans(); len(got) != 0 {
		t.Errorf("spans %+v", got)
	}
}

// An attempt allocates nothing for traces that are off.
func TestNoTracesCostNothing(t *testing.T) {
	w := &work{cfg: Config{Now: time.Now}, job: events.NewJobID()}
	w.submission.Trace, w.traced.below = below, below
	n := testing.AllocsPerRun(100, func() {
		for _, name := range []tracing.Name{tracing.Render, tracing.Finish, tracing.Store} {
			if err := w.phase(t.Context(), name, func() error { w.held++; return nil }); err != nil {
				t.Error(err)
			}
		}
		w.endTrace()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
