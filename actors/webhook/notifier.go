package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/actors/perform"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/seal"
	"platen.dev/events/tracing"
)

// Config configures the performer of job.Notify effects.
type Config struct {
	Log    eventlog.Log
	Client *Client
	// URL finds the address of a job's webhook, and Prepare makes its message from the journal. ErrNothing means that the job has no webhook.
	URL     func(partition int32, n job.Notify) (string, error)
	Prepare func(partition int32, n job.Notify) (Message, error)
	Now     func() time.Time
	Logger  *slog.Logger
	// Traces makes the spans of attempts; nil for none.
	Traces *tracing.Tracer
	// Observe is called after each attempt; it may be nil.
	Observe func(Outcome)
}

// ErrNothing means that there is nothing to send.
var ErrNothing = errors.New("the job has no webhook")

// limits are those of a node. A hanging receiver holds at most PerHost attempts, and delays no other receiver.
var limits = perform.Limits{Total: 512, PerAccount: 64, PerHost: 16}

// retryAfter is the pause after an attempt that could not be prepared or reported.
const retryAfter = 5 * time.Second

// Start starts the performer of the job.Notify effects of a node's shards.
func Start(system *actor.ActorSystem, cfg Config) (*perform.Performer, error) {
	return perform.Start(system, perform.Config[job.Notify]{
		Name: "webhooks", Limits: limits, RetryAfter: retryAfter,
		Place: func(p int32, e job.Notify) (events.AccountID, string) { return e.Account, cfg.host(p, e) },
		Do:    cfg.send,
		Failed: func(e job.Notify, err error) {
			cfg.Logger.Warn("webhook could not be sent or recorded, retrying", "job", e.Job.String(), "error", err)
		},
	})
}

// host returns the receiver's host. An unknown one fails when the message is sent.
func (c Config) host(p int32, n job.Notify) string {
	text, err := c.URL(p, n)
	if err != nil {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}

// send makes one attempt and reports it. If the report is lost, the attempt is repeated: the receiver recognises it by its id.
func (c Config) send(ctx context.Context, p int32, n job.Notify) error {
	m, err := c.Prepare(p, n)
	switch {
	case errors.Is(err, ErrNothing):
		return nil
	case errors.Is(err, seal.ErrSealed):
		c.Logger.Error("webhook cannot be decrypted, which counts as an attempt: compare the secrets of this node with the others'", "job", n.Job.String(), "error", err)
		return c.report(ctx, n, Outcome{WebhookAttempt: events.WebhookAttempt{Error: unsealable}})
	case err != nil:
		return fmt.Errorf("prepare: %w", err)
	}
	span := c.Traces.Span(m.Trace, tracing.Webhook, c.Now())
	m.Trace = span.Below(m.Trace)
	o := c.Client.Send(ctx, m)
	span.End(c.Now(), tracing.Facts{Job: n.Job, Partition: p, Number: n.Number, Status: o.Status, Failed: !contract.Succeeded(o.Status), Bytes: int64(len(m.Body))})
	return c.report(ctx, n, o)
}

// unsealable is why an attempt failed when something could not be decrypted. Damage looks the same as another secret's seal, and waiting cures
// neither. If a secret is missing, the schedule leaves days to add it.
const unsealable = "the URL, a header or the secret that signs cannot be decrypted"

// report reports an attempt.
func (c Config) report(ctx context.Context, n job.Notify, o Outcome) error {
	if ctx.Err() != nil { // the node is stopping: the next owner makes the attempt
		return nil
	}
	if c.Observe != nil {
		c.Observe(o)
	}
	o.Number = n.Number
	return command.AppendWait(ctx, c.Log, events.NewCommand(n.Account, c.Now(),
		events.ReportWebhook{Job: n.Job, WebhookAttempt: o.WebhookAttempt, RetryAfter: o.RetryAfter}))
}
