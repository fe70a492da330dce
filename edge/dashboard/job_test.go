package dashboard

import (
	"testing"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// An attempt that got no response is not called sent, and attempts are shown at the time when they began.
func TestCourseOfWebhooks(t *testing.T) {
	const ended events.Instant = 1_700_000_010_000
	failed := projections.WebhookEntry{At: ended, WebhookAttempt: events.WebhookAttempt{Number: 1, Millis: 4000, Error: "the host cannot be resolved"}}
	answered := projections.WebhookEntry{At: ended, WebhookAttempt: events.WebhookAttempt{Number: 2, Millis: 10_000, Status: 503}}
	steps := course(projections.Job{Created: 1}, projections.WebhookLog{Attempts: []projections.WebhookEntry{failed, answered}})
	want := []page.Step{
		{Kind: page.StepAccepted, At: events.Instant(1).Time()},
		{Kind: page.StepUndelivered, At: (ended - 4000).Time(), Detail: "the host cannot be resolved"},
		{Kind: page.StepWebhook, At: (ended - 10_000).Time(), Detail: "503"},
	}
	if len(steps) != len(want) {
		t.Fatalf("got %v", steps)
	}
	for i, got := range steps {
		if got != want[i] {
			t.Errorf("step %d: got %v, want %v", i, got, want[i])
		}
	}
	if got := attemptRow(failed); !got.At.Equal(want[1].At) {
		t.Errorf("the attempt is shown at %v, but began at %v", got.At, want[1].At)
	}
}
