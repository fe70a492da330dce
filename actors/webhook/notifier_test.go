package webhook

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/seal"
	"platen.dev/events/testkit"
)

// A webhook that cannot be decrypted here counts as a failed attempt, with its reason, so that it is retried by the schedule and given up. A fault of
// the node does not count: it is retried soon.
func TestUnsealableWebhook(t *testing.T) {
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	broken := errors.New("broken")
	prepared := make(chan error, 2)
	prepared <- broken
	prepared <- fmt.Errorf("secret of account acc: %w", seal.ErrSealed)
	observed := make(chan Outcome, 1)
	cfg := Config{
		Log: l, Now: time.Now, Logger: testkit.Silent(), Observe: func(o Outcome) { observed <- o },
		Prepare: func(int32, job.Notify) (Message, error) { return Message{}, <-prepared },
	}
	n := job.Notify{Account: "acc", Job: events.NewJobID(), Number: 3}
	if err := cfg.send(t.Context(), 0, n); !errors.Is(err, broken) {
		t.Errorf("a fault of the node: %v", err)
	}
	if err := cfg.send(t.Context(), 0, n); err != nil {
		t.Fatal(err)
	}
	record, err := eventlog.ReadOne(testkit.Context(t), l, events.TopicCommands, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := events.DecodeCommand(record.Value)
	want := events.ReportWebhook{Job: n.Job, WebhookAttempt: events.WebhookAttempt{Number: 3, Error: "the URL, a header or the secret that signs cannot be decrypted"}}
	if err != nil || c.Body != want || c.Account != "acc" {
		t.Errorf("reported %+v (%v), want %+v", c, err, want)
	}
	if o := <-observed; o.Status != 0 {
		t.Errorf("observed %+v", o)
	}
}
