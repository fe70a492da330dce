package job

import (
	"testing"

	"platen.dev/events"
)

// The state of a traced job has its place in the trace for the job's lifetime, and the time since
// which it waits: from the submit, and again from the end of each pause. Other jobs have neither.
func TestTraced(t *testing.T) {
	trace := events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}, Sampled: true}
	history := []struct {
		at     events.Instant
		event  events.Event
		queued events.Instant
	}{
		{10, nil, 10},
		{20, events.RenderStarted{Job: theJob, Attempt: 5, Node: "n"}, 10},
		{30, events.RenderRequeued{Job: theJob, Attempt: 5, Code: events.RenderFailed, NotBefore: 40}, 10},
		{41, events.RenderReleased{Job: theJob}, 41},
		{50, events.RenderStarted{Job: theJob, Attempt: 6, Node: "n"}, 41},
		{60, events.JobDone{Job: theJob, File: theFile}, 41},
	}
	for _, of := range []events.Trace{trace, {}} {
		submit := events.Command{At: 10, Body: events.SubmitJob{Job: theJob, Trace: of}}
		history[0].event = Decide(State{}, submit, 42)[0]
		s := State{}
		for _, h := range history {
			want := Traced{Trace: of, Queued: h.queued}
			if of.IsZero() {
				want = Traced{}
			}
			if s = Evolve(s, "acc", h.event, h.at); s.Traced != want {
				t.Errorf("after %v: %+v, want %+v", h.event, s.Traced, want)
			}
			for _, e := range Pending(theJob, s) {
				if r, ok := e.(Render); ok && r.Queued != want.Queued {
					t.Errorf("after %v: the render was queued at %s, want %s", h.event, r.Queued, want.Queued)
				}
			}
		}
		if s = Evolve(s, "acc", events.JobForgotten{Job: theJob}, 70); s.Traced != (Traced{}) {
			t.Errorf("forgotten: %+v", s.Traced)
		}
	}
}
