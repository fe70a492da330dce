package public

import (
	"time"

	"platen.dev/events"
)

// Data is the data of an event. Tags describe its JSON fields: doc says what a field is, and omitempty that it may be missing.
type Data interface{ eventType() string }

// Time is an instant as JSON shows it: RFC 3339 in UTC, to the millisecond.
type Time string

func timeOf(at events.Instant) Time {
	if at == 0 {
		return ""
	}
	return Time(at.String())
}

// Parse returns the time; the zero time for "".
func (t Time) Parse() (time.Time, error) {
	if t == "" {
		return time.Time{}, nil
	}
	return time.Parse(timeLayout, string(t))
}

// AccountOpened says that an account was opened.
type AccountOpened struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Plan    events.Plan      `json:"plan" doc:"The account's plan."`
	Anchor  Time             `json:"anchor" doc:"From when the quota windows run, month by month."`
}

// PlanChanged says that an account has another plan.
type PlanChanged struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Plan    events.Plan      `json:"plan" doc:"The plan from now on."`
}

// AccountSuspended says that an account gets no new jobs.
type AccountSuspended struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Reason  string           `json:"reason" doc:"Why, as the account's members read it."`
}

// AccountResumed says that a suspended account gets jobs again.
type AccountResumed struct {
	Account events.AccountID `json:"account" doc:"The account."`
}

// KeyIssued says that an account has another API key.
type KeyIssued struct {
	Account  events.AccountID `json:"account" doc:"The account."`
	Key      events.KeyID     `json:"key_id" doc:"The key. It is not secret."`
	Prefix   string           `json:"prefix" doc:"How the secret begins: sk_live_ or sk_test_."`
	LastFour string           `json:"last_four" doc:"The last four characters of the secret."`
}

// KeyRevoked says that a key is no longer valid.
type KeyRevoked struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Key     events.KeyID     `json:"key_id" doc:"The key."`
}

// WindowOpened says that a quota window has begun.
type WindowOpened struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Start   Time             `json:"window_start" doc:"When the window began. Usage names its window by this instant."`
	End     Time             `json:"window_end" doc:"When the window ends, unless the account's anchor is moved before."`
}

// JobAccepted says that a job was accepted.
type JobAccepted struct {
	Account   events.AccountID `json:"account" doc:"The account."`
	Job       string           `json:"job_id" doc:"The job."`
	Key       events.KeyID     `json:"key_id" doc:"The API key of the request."`
	Operation events.Operation `json:"operation" doc:"What the job does, by the name of its endpoint."`
	Test      bool             `json:"test" doc:"Whether it is a test job, which is never charged."`
	Delivery  bool             `json:"delivery" doc:"Whether the file goes to the caller's own storage."`
	Window    Time             `json:"window_start,omitempty" doc:"The quota window that the job is charged to; missing for test jobs."`
	Tags      Tags             `json:"tags,omitempty" doc:"The caller's own names and values; missing if there are none."`
}

// JobStarted says that an attempt at a job has begun. A job that is tried again starts again.
type JobStarted struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
	Attempt string           `json:"attempt_id" doc:"The attempt."`
}

// Usage is an amount charged to an account. It is zero for jobs that fail and for test jobs, so the sum
// over all jobs that have ended is the amount charged for them. Only corrections may be negative.
type Usage struct {
	Units int64 `json:"render_units" doc:"Render units charged: for a job 1 or 0."`
	Bytes int64 `json:"bytes" doc:"Bytes charged."`
}

// Origin describes the request that a job came from.
type Origin struct {
	Key       events.KeyID     `json:"key_id,omitempty" doc:"The API key of the request."`
	Operation events.Operation `json:"operation,omitempty" doc:"What the job does, by the name of its endpoint."`
	Tags      Tags             `json:"tags,omitempty" doc:"The caller's own names and values; missing if there are none."`
}

// Tags are the tags of a job by their names.
type Tags map[string]string

func tagsOf(tags []events.Tag) Tags {
	all := Tags{}
	for _, tag := range tags {
		all[tag.Name] = tag.Value
	}
	return all
}

// JobFinished says that a job has ended with a file.
type JobFinished struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
	Origin
	Test bool `json:"test" doc:"Whether it was a test job."`
	Usage
	FileBytes  int64     `json:"file_bytes" doc:"Size of the file."`
	Pages      int       `json:"pages,omitempty" doc:"Pages of a PDF; missing for images."`
	PageLoad   int64     `json:"page_load_ms" doc:"Milliseconds to load the page."`
	Processing int64     `json:"processing_ms" doc:"Milliseconds to make and store the file."`
	Total      int64     `json:"total_ms" doc:"Milliseconds from the start of the attempt to the stored file."`
	Expires    Time      `json:"expires_at,omitempty" doc:"Until when the file can be downloaded; missing if it went to the caller's own storage."`
	Warnings   []Warning `json:"warnings,omitempty" doc:"What was done nevertheless, such as pictures that were missing."`
}

// Warning describes a flaw that did not fail the job.
type Warning struct {
	Code   string `json:"code" doc:"A warning code of jobs."`
	Detail string `json:"detail" doc:"A sentence for the account's holder."`
}

func warningsOf(all []events.Warning) (out []Warning) {
	for _, w := range all {
		out = append(out, Warning(w))
	}
	return out
}

// JobFailed says that a job has ended without a file.
type JobFailed struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
	Origin
	Test bool `json:"test" doc:"Whether it was a test job."`
	Usage
	Error  events.ErrorCode `json:"error" doc:"Why: an error code of jobs."`
	Detail string           `json:"error_detail,omitempty" doc:"Why, in a sentence for the account's holder."`
}

// JobDownloaded says that a download of a file has begun, and was counted.
type JobDownloaded struct {
	Account  events.AccountID `json:"account" doc:"The account."`
	Job      string           `json:"job_id" doc:"The job."`
	Download string           `json:"download_id,omitempty" doc:"The download; missing if the file was sent to the request that waited for it."`
}

// JobExpired says that a file can no longer be downloaded.
type JobExpired struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
}

// JobDeleted says that an expired file was deleted from storage.
type JobDeleted struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
}

// Webhook is the outcome of a webhook.
type Webhook struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Job     string           `json:"job_id" doc:"The job."`
	Attempt int              `json:"attempt" doc:"The number of the last attempt, from 1; a redelivery continues the count."`
	Status  int              `json:"status,omitempty" doc:"HTTP status of the receiver; missing if there was no response."`
}

// WebhookDelivered says that a receiver has accepted a webhook.
type WebhookDelivered struct{ Webhook }

// WebhookGivenUp says that a webhook is no longer sent.
type WebhookGivenUp struct{ Webhook }

// UsageDebited says that a job was charged.
type UsageDebited struct {
	Account events.AccountID `json:"account" doc:"The account."`
	Entry   events.EntryID   `json:"entry_id" doc:"The entry of the ledger: no other entry has this id."`
	Job     string           `json:"job_id" doc:"The job."`
	Origin
	Window Time `json:"window_start" doc:"The quota window that the job is charged to."`
	Usage
}

// UsageAdjusted says that an account's charges have been corrected.
type UsageAdjusted struct {
	Account events.AccountID      `json:"account" doc:"The account."`
	Entry   events.EntryID        `json:"entry_id" doc:"The entry of the ledger: no other entry has this id."`
	Kind    events.AdjustmentKind `json:"kind" doc:"credit, which gives something back, or adjust."`
	Ref     events.EntryID        `json:"ref_entry,omitempty" doc:"The entry that is corrected; missing if it is none in particular."`
	Reason  string                `json:"reason" doc:"Why, for people."`
	Window  Time                  `json:"window_start" doc:"The quota window in which it counts: the one that was open, whichever the corrected entry is in."`
	Usage
}

// TimelineBegun says that a partition continues from an earlier event than its last one: it was restored from a backup, or has lost its end. It
// concerns no account.
type TimelineBegun struct {
	Partition int               `json:"partition" doc:"The partition, whose events all have a number above After from now on."`
	Timeline  events.TimelineID `json:"timeline" doc:"The timeline of the events from this one on."`
	Former    events.TimelineID `json:"former,omitempty" doc:"The timeline before; missing if the events before name none."`
	After     int64             `json:"after" doc:"The number of the last event before this one that is part of the timeline. Events with higher numbers that came before never happened."`
	Restored  bool              `json:"restored" doc:"Whether the partition was restored from a backup."`
}

func (TimelineBegun) eventType() string    { return "platen.timeline.begun.v1" }
func (AccountOpened) eventType() string    { return "platen.account.opened.v1" }
func (PlanChanged) eventType() string      { return "platen.account.plan_changed.v1" }
func (AccountSuspended) eventType() string { return "platen.account.suspended.v1" }
func (AccountResumed) eventType() string   { return "platen.account.resumed.v1" }
func (KeyIssued) eventType() string        { return "platen.key.issued.v1" }
func (KeyRevoked) eventType() string       { return "platen.key.revoked.v1" }
func (WindowOpened) eventType() string     { return "platen.window.opened.v1" }
func (JobAccepted) eventType() string      { return "platen.job.accepted.v1" }
func (JobStarted) eventType() string       { return "platen.job.started.v1" }
func (JobFinished) eventType() string      { return "platen.job.finished.v1" }
func (JobFailed) eventType() string        { return "platen.job.failed.v1" }
func (JobDownloaded) eventType() string    { return "platen.job.downloaded.v1" }
func (JobExpired) eventType() string       { return "platen.job.expired.v1" }
func (JobDeleted) eventType() string       { return "platen.job.deleted.v1" }
func (WebhookDelivered) eventType() string { return "platen.webhook.delivered.v1" }
func (WebhookGivenUp) eventType() string   { return "platen.webhook.given_up.v1" }
func (UsageDebited) eventType() string     { return "platen.usage.debited.v1" }
func (UsageAdjusted) eventType() string    { return "platen.usage.adjusted.v1" }

// all has one value of each type, in the order in which the contract names them.
var all = []struct {
	data Data
	doc  string
}{
	{AccountOpened{}, "An account was opened."},
	{PlanChanged{}, "An account has another plan."},
	{AccountSuspended{}, "An account gets no new jobs. Those accepted before continue."},
	{AccountResumed{}, "A suspended account gets jobs again."},
	{KeyIssued{}, "An account has another API key."},
	{KeyRevoked{}, "An API key is no longer valid."},
	{WindowOpened{}, "A quota window has begun: the first with the account, each other with the first job that is charged to it."},
	{JobAccepted{}, "A job was accepted."},
	{JobStarted{}, "An attempt at a job has begun. A job that is tried again starts again."},
	{JobFinished{}, "A job has ended with a file."},
	{JobFailed{}, "A job has ended without a file."},
	{JobDownloaded{}, "A download of a file has begun, and was counted."},
	{JobExpired{}, "A file can no longer be downloaded."},
	{JobDeleted{}, "An expired file was deleted from storage."},
	{WebhookDelivered{}, "A receiver has accepted a webhook."},
	{WebhookGivenUp{}, "A webhook is not sent any more: its attempts are used up, or the receiver refused it for good."},
	{UsageDebited{}, "A job was charged."},
	{UsageAdjusted{}, "What an account is charged was corrected, by an operator."},
	{TimelineBegun{}, "A partition continues from an earlier event: it was restored from a backup, or has lost its end. Undo what came before with a number above after."},
}

// IsUsage reports whether events of a type charge an account, or correct a charge.
func IsUsage(name string) bool {
	return name == UsageDebited{}.eventType() || name == UsageAdjusted{}.eventType()
}

// Types returns the names of all types.
func Types() (names []string) {
	for _, t := range all {
		names = append(names, t.data.eventType())
	}
	return names
}
