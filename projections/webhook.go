package projections

import (
	"time"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// WebhookLog lists the attempts to send the webhook of a job, in order.
type WebhookLog struct {
	Attempts []WebhookEntry `cbor:"1,keyasint"`
}

// WebhookEntry is one attempt.
type WebhookEntry struct {
	// At is when it was recorded.
	At events.Instant `cbor:"1,keyasint"`
	events.WebhookAttempt
	Next    events.Instant        `cbor:"7,keyasint,omitempty"`
	Outcome events.WebhookOutcome `cbor:"8,keyasint,omitempty"`
}

// Began is about when the attempt began.
func (w WebhookEntry) Began() events.Instant {
	return w.At.Add(-time.Duration(w.Millis) * time.Millisecond)
}

// Delivered reports whether the last attempt has delivered the webhook.
func (l WebhookLog) Delivered() bool {
	n := len(l.Attempts)
	return n > 0 && l.Attempts[n-1].Outcome == events.WebhookDelivered
}

// maxWebhookEntries bounds the log of a webhook. A redelivery adds up to ten attempts; the oldest
// are dropped.
const maxWebhookEntries = 50

var webhookLogs = table.Table[WebhookLog]{Name: 'w'} // partition, job

func webhookKey(partition int32, id events.JobID) []byte { return webhookLogs.Key(partition, id[:]...) }

// applyWebhook keeps the log of a webhook as long as its job is known.
func applyWebhook(tx *table.Tx, partition int32, e events.Envelope, ev events.Event) {
	switch ev := ev.(type) {
	case events.WebhookAttempted:
		key := webhookKey(partition, ev.Job)
		log, _ := webhookLogs.Load(tx, key)
		log.Attempts = append(log.Attempts, WebhookEntry{e.At, ev.WebhookAttempt, ev.Next, ev.Outcome})
		log.Attempts = log.Attempts[max(0, len(log.Attempts)-maxWebhookEntries):]
		webhookLogs.Put(tx, key, log)
	case events.JobForgotten:
		webhookLogs.Delete(tx, webhookKey(partition, ev.Job))
	}
}

// Webhook reads the attempts to send the webhook of an account's job.
func (r *Replica) Webhook(account events.AccountID, id events.JobID) (WebhookLog, error) {
	log, _, err := webhookLogs.Get(r, webhookKey(r.partition(account), id))
	return log, err
}
