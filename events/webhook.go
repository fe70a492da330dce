package events

// ReportWebhook reports how an attempt to send a job's webhook ended. An attempt that was sent but
// not reported is sent again: receivers recognise it by its id.
type ReportWebhook struct {
	Job JobID `cbor:"1,keyasint"`
	WebhookAttempt
	// RetryAfter is how many seconds the receiver asks to wait.
	RetryAfter int64 `cbor:"8,keyasint,omitempty"`
}

// WebhookAttempt is one attempt to send a webhook.
type WebhookAttempt struct {
	// Number counts the attempts of a webhook from 1, and keeps counting after a redelivery.
	Number int `cbor:"2,keyasint"`
	// Status is the receiver's HTTP status; zero if there was no response.
	Status int `cbor:"3,keyasint,omitempty"`
	// Millis is how long the attempt took.
	Millis int64 `cbor:"4,keyasint,omitempty"`
	// Error says why there was no response; "" if there was one.
	Error string `cbor:"5,keyasint,omitempty"`
	// Answer is the beginning of the response's body.
	Answer string `cbor:"6,keyasint,omitempty"`
}

// RedeliverWebhook asks to send the webhook of a finished job again, restarting the schedule of
// attempts.
type RedeliverWebhook struct {
	Job JobID `cbor:"1,keyasint"`
}

// RotateWebhookSecret gives an account another secret. The previous one keeps signing until the
// overlap has passed.
type RotateWebhookSecret struct {
	Secret Sealed `cbor:"1,keyasint"`
	// Overlap is in seconds.
	Overlap int64 `cbor:"2,keyasint"`
	// After is the mark of the secret that it replaces, so that a repeated command rotates once; empty
	// means the present one.
	After []byte `cbor:"3,keyasint,omitempty"`
	// Ends means that an overlap which is under way may end at once.
	Ends bool `cbor:"4,keyasint,omitempty"`
}

// SetWebhookHeader sets a header for all webhooks of an account.
type SetWebhookHeader struct {
	Name  string `cbor:"1,keyasint"`
	Value Sealed `cbor:"2,keyasint"`
}

// DeleteWebhookHeader removes a header.
type DeleteWebhookHeader struct {
	Name string `cbor:"1,keyasint"`
}

// WebhookAttempted recorded an attempt to send a job's webhook.
type WebhookAttempted struct {
	Job JobID `cbor:"1,keyasint"`
	WebhookAttempt
	// Next is when the next attempt may begin; zero if there is none.
	Next Instant `cbor:"7,keyasint,omitempty"`
	// Outcome is the outcome of the webhook; "" if it is tried again.
	Outcome WebhookOutcome `cbor:"8,keyasint,omitempty"`
}

// WebhookOutcome is the outcome of a webhook. The names are stored.
type WebhookOutcome string

// The outcomes.
const (
	WebhookDelivered WebhookOutcome = "delivered"
	// WebhookGivenUp is a webhook whose attempts are used up, or that the receiver refuses for good.
	WebhookGivenUp WebhookOutcome = "given-up"
)

// WebhookReleased ended the pause before the next attempt.
type WebhookReleased struct {
	Job JobID `cbor:"1,keyasint"`
}

// WebhookRedelivered restarted the attempts of a webhook.
type WebhookRedelivered struct {
	Job JobID `cbor:"1,keyasint"`
}

// WebhookSecretRotated gave an account another secret. The previous one signs until Overlap.
type WebhookSecretRotated struct {
	Secret  Sealed  `cbor:"1,keyasint"`
	Overlap Instant `cbor:"2,keyasint"`
}

// WebhookHeaderSet set a header of an account's webhooks.
type WebhookHeaderSet struct {
	Name  string `cbor:"1,keyasint"`
	Value Sealed `cbor:"2,keyasint"`
}

// WebhookHeaderDeleted removed a header.
type WebhookHeaderDeleted struct {
	Name string `cbor:"1,keyasint"`
}

func (RotateWebhookSecret) command()         {}
func (c RotateWebhookSecret) String() string { return text(c) }
func (SetWebhookHeader) command()            {}
func (c SetWebhookHeader) String() string    { return text(c) }
func (DeleteWebhookHeader) command()         {}
func (c DeleteWebhookHeader) String() string { return text(c) }
func (ReportWebhook) command()               {}
func (c ReportWebhook) String() string       { return text(c) }
func (RedeliverWebhook) command()            {}
func (c RedeliverWebhook) String() string    { return text(c) }

func (WebhookAttempted) event()               {}
func (e WebhookAttempted) String() string     { return text(e) }
func (WebhookReleased) event()                {}
func (e WebhookReleased) String() string      { return text(e) }
func (WebhookRedelivered) event()             {}
func (e WebhookRedelivered) String() string   { return text(e) }
func (WebhookSecretRotated) event()           {}
func (e WebhookSecretRotated) String() string { return text(e) }
func (WebhookHeaderSet) event()               {}
func (e WebhookHeaderSet) String() string     { return text(e) }
func (WebhookHeaderDeleted) event()           {}
func (e WebhookHeaderDeleted) String() string { return text(e) }
