package node

import (
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A webhook whose URL was sealed with another secret is tried by the schedule, and says why it
// fails.
func TestWebhookOfAnotherSecret(t *testing.T) {
	n := newClockedNode(t)
	id := events.NewJobID()
	order(t, n.Node, events.Submission{SubmitJob: events.SubmitJob{Job: id, Key: "k", Operation: events.HTMLToPDF, Test: true, Webhook: events.Sealed("of another secret")}})
	testkit.Eventually(t, "an attempt is recorded", func() bool {
		w, err := n.Replica().Webhook("acc", id)
		if err != nil || len(w.Attempts) == 0 {
			return false
		}
		if a := w.Attempts[0]; a.Status != 0 || !strings.Contains(a.Error, "cannot be decrypted") || a.Next == 0 || a.Outcome != "" {
			t.Errorf("the attempt is %+v", a)
		}
		return true
	})
}
