package contract

import "time"

// Limits of webhooks (docs/WEBHOOKS.md).
const (
	// WebhookConnect bounds the connection to a receiver, WebhookTimeout a whole attempt.
	WebhookConnect = 5 * time.Second
	WebhookTimeout = 15 * time.Second
	// WebhookAnswer is how many bytes of the response's body are read; the first of them are kept
	// with the attempt.
	WebhookAnswer = 64 << 10
	// MaxRetryAfter is the longest pause that a receiver may ask for.
	MaxRetryAfter = 24 * time.Hour
	// DefaultOverlap is how long the secret before the last rotation keeps signing, unless the
	// rotation says otherwise within the bounds.
	DefaultOverlap = 24 * time.Hour
	MinOverlap     = time.Hour
	MaxOverlap     = 5 * 24 * time.Hour
	// MaxWebhookHeaders is the number of headers that an account can set.
	MaxWebhookHeaders = 20
)

// WebhookPauses returns the pause before each attempt to send a webhook, ± 10 %, counted from the
// end of the one before.
func WebhookPauses() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}
