package job

import (
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// The lane of a job follows from its content, and the render effect carries it.
func TestLane(t *testing.T) {
	for name, tc := range map[string]struct {
		submit events.SubmitJob
		want   events.Lane
	}{
		"HTML":                {events.SubmitJob{Summary: events.Content{HTML: strings.Repeat("x", quickHTML)}.Summary()}, events.Quick},
		"much HTML":           {events.SubmitJob{Summary: events.Content{HTML: strings.Repeat("x", quickHTML+1)}.Summary()}, events.Slow},
		"HTML of an invoice":  {events.SubmitJob{Summary: events.Content{Invoice: &events.Invoice{HTMLBytes: quickHTML + 1}}.Summary()}, events.Slow},
		"much HTML, pictures": {events.SubmitJob{Summary: events.Content{HTML: strings.Repeat("x", quickHTML+1), Embeds: true}.Summary()}, events.Remote},
		"URL":                 {events.SubmitJob{Summary: events.Content{URL: "https://example.test/"}.Summary()}, events.Remote},
		"HTML with pause":     {events.SubmitJob{Summary: events.Content{HTML: "x", Load: &contract.Load{WaitAfter: 1}}.Summary()}, events.Remote},
		"HTML, a selector":    {events.SubmitJob{Summary: events.Content{HTML: "x", Load: &contract.Load{WaitFor: "#x"}}.Summary()}, events.Remote},
		"HTML, until idle":    {events.SubmitJob{Summary: events.Content{HTML: "x", Load: &contract.Load{WaitUntil: "networkidle"}}.Summary()}, events.Remote},
		"HTML, no wait":       {events.SubmitJob{Summary: events.Content{HTML: "x", Load: &contract.Load{Timeout: 9000, WaitUntil: "load"}}.Summary()}, events.Quick},
		"test of a URL":       {events.SubmitJob{Test: true, Summary: events.Content{URL: "https://example.test/"}.Summary()}, events.Quick},
	} {
		tc.submit.Job = events.NewJobID()
		evs := Decide(State{}, events.Command{Body: tc.submit}, 7)
		s := Evolve(State{}, "acc", evs[0], 0)
		if e, ok := Pending(tc.submit.Job, s)[0].(Render); !ok || e.Lane != tc.want {
			t.Errorf("%s: effect %+v, want the lane %s", name, e, tc.want)
		}
	}
}
