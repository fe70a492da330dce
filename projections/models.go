package projections

import (
	"cmp"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// The read models: the data shown by the edge and the admin interface. Each is a fold of events,
// independent of the deciders' state.

// Job is the read model of one job.
type Job struct {
	Account   events.AccountID `cbor:"1,keyasint"`
	Operation events.Operation `cbor:"2,keyasint"`
	Status    events.Status    `cbor:"3,keyasint"`
	Test      bool             `cbor:"4,keyasint,omitempty"`
	Created   events.Instant   `cbor:"5,keyasint"`
	Finished  events.Instant   `cbor:"6,keyasint,omitempty"`
	// Expires is when the file may no longer be downloaded; zero without a file.
	Expires events.Instant   `cbor:"7,keyasint,omitempty"`
	File    events.File      `cbor:"8,keyasint"`
	Metrics events.Metrics   `cbor:"9,keyasint"`
	Error   events.ErrorCode `cbor:"10,keyasint,omitempty"`
	// Gone is true once the file has expired.
	Gone bool `cbor:"11,keyasint,omitempty"`
	// Delivered is true if the file goes to the caller's own storage.
	Delivered bool `cbor:"12,keyasint,omitempty"`
	// Downloads counts the downloads that have begun.
	Downloads int `cbor:"13,keyasint,omitempty"`
	// FileURL is the download URL that a webhook names.
	FileURL string `cbor:"14,keyasint,omitempty"`
	// Webhook is true if the outcome is reported to a URL.
	Webhook bool `cbor:"15,keyasint,omitempty"`
	// Tags are the caller's own.
	Tags []events.Tag `cbor:"16,keyasint,omitempty"`
	// Key is that of the request that made the job.
	Key events.KeyID `cbor:"17,keyasint,omitempty"`
	// Detail says why the job failed, for its caller; "" if Error says it all.
	Detail   string           `cbor:"18,keyasint,omitempty"`
	Warnings []events.Warning `cbor:"19,keyasint,omitempty"`
	// Evidence is about the e-invoice of a job that is done; nil for other jobs.
	Evidence *events.Evidence `cbor:"20,keyasint,omitempty"`
}

// Reason says why the job failed, in a sentence for its caller; "" if it did not.
func (j Job) Reason() string { return cmp.Or(j.Detail, j.Error.Reason()) }

// KeyRef refers to an API key: the account that owns it, and its id there.
type KeyRef struct {
	Account events.AccountID `cbor:"1,keyasint"`
	Key     events.KeyID     `cbor:"2,keyasint"`
}

// Caller is the sender of a request, found by its API key.
type Caller struct {
	KeyRef
	// Plan is the account's plan, as far as this replica has folded the journal.
	Plan events.Plan
	// LastUsed is when the key was last used, to the hour.
	LastUsed events.Instant
}

// Account is the read model of one account, for operators.
type Account struct {
	ID      events.AccountID `cbor:"1,keyasint" json:"id"`
	Plan    events.Plan      `cbor:"2,keyasint" json:"plan"`
	Anchor  events.Instant   `cbor:"3,keyasint" json:"anchor_ms"`
	Created events.Instant   `cbor:"4,keyasint" json:"created_ms"`
	Keys    []events.Key     `cbor:"5,keyasint,omitempty" json:"-"`
	// Used counts the account's billed units over all quota windows, corrections included, Bytes the bytes of
	// their files.
	Used  int64 `cbor:"6,keyasint,omitempty" json:"used_units"`
	Bytes int64 `cbor:"7,keyasint,omitempty" json:"used_bytes"`
	// MaxFile is the limit of a file in bytes, zero for the default. Blocks is the number of extra
	// blocks of volume.
	MaxFile int64 `cbor:"8,keyasint,omitempty" json:"max_file_bytes,omitempty"`
	Blocks  int64 `cbor:"9,keyasint,omitempty" json:"volume_blocks,omitempty"`
	// Templates are the saved block templates.
	Templates       []TemplateInfo    `cbor:"10,keyasint,omitempty" json:"-"`
	DefaultTemplate events.TemplateID `cbor:"11,keyasint,omitempty" json:"default_template,omitempty"`
	// Suspended is since when the account has got no new jobs, zero if it gets them; SuspendedFor is
	// why.
	Suspended    events.Instant `cbor:"12,keyasint,omitempty" json:"suspended_ms,omitempty"`
	SuspendedFor string         `cbor:"13,keyasint,omitempty" json:"suspended_for,omitempty"`
}

// ReadModels is the projection of jobs, accounts, API keys, templates and replies.
type ReadModels struct{}

var _ table.Projection = ReadModels{}

// Apply folds one envelope.
func (ReadModels) Apply(tx *table.Tx, partition int32, e events.Envelope) {
	table.KeepReply(tx, partition, e)
	for _, ev := range e.Events {
		if id, ok := events.JobOf(ev); ok {
			applyJob(tx, partition, id, e, ev)
		}
		applyTemplate(tx, partition, e, ev)
		applyWebhook(tx, partition, e, ev)
		applyAccount(tx, accountKey(partition, e.Account), e, ev)
		applyTeam(tx, partition, e, ev)
	}
}

func applyJob(tx *table.Tx, partition int32, id events.JobID, e events.Envelope, ev events.Event) {
	key := jobKey(partition, id)
	if q, ok := ev.(events.JobQueued); ok {
		putJob(tx, partition, id, Job{
			Account: e.Account, Operation: q.Operation, Status: events.StatusQueued, Test: q.Test, Created: e.At,
			Delivered: q.Delivered, Webhook: len(q.Webhook) > 0, Tags: q.Tags, Key: q.Key,
		})
		return
	}
	j, _ := jobs.Load(tx, key)
	before := j.Status
	switch ev := ev.(type) {
	case events.JobForgotten:
		jobs.Delete(tx, key)
		listed.Delete(tx, listedKey(partition, j.Account, Place{j.Created, id}))
		return
	case events.RenderStarted:
		j.Status = events.StatusRendering
	case events.RenderRequeued:
		j.Status = events.StatusQueued
	case events.UploadBegun:
		j.Status = events.StatusUploading
	case events.JobDone:
		j.Status, j.Finished, j.Expires = events.StatusDone, e.At, ev.Expires
		j.File, j.Metrics, j.FileURL, j.Warnings, j.Evidence = ev.File, ev.Metrics, ev.FileURL, ev.Warnings, ev.Evidence
		if ev.Sent {
			j.Downloads++
		}
	case events.JobFailed:
		j.Status, j.Finished, j.Error, j.Detail = events.StatusFailed, e.At, ev.Code, ev.Detail
	case events.FileExpired:
		j.Gone = true
	case events.DownloadBegun:
		j.Downloads++
	default:
		return // not shown in the read model
	}
	if j.Status != before {
		putJob(tx, partition, id, j)
		return
	}
	jobs.Put(tx, key, j)
}

// putJob writes a job whose place in the list of its account is new, or whose listed properties
// have changed.
func putJob(tx *table.Tx, partition int32, id events.JobID, j Job) {
	jobs.Put(tx, jobKey(partition, id), j)
	listed.Put(tx, listedKey(partition, j.Account, Place{j.Created, id}), j.summary())
}

func applyAccount(tx *table.Tx, key []byte, e events.Envelope, ev events.Event) {
	switch ev := ev.(type) {
	case events.AccountCreated:
		accounts.Put(tx, key, Account{ID: e.Account, Plan: ev.Plan, Anchor: ev.Anchor, Created: e.At})
	case events.PlanChanged:
		updateAccount(tx, key, func(a *Account) { a.Plan = ev.Plan })
	case events.AnchorMoved:
		updateAccount(tx, key, func(a *Account) { a.Anchor = ev.Anchor })
	case events.FilesLimited:
		updateAccount(tx, key, func(a *Account) { a.MaxFile = ev.Bytes })
	case events.VolumeBlocksSet:
		updateAccount(tx, key, func(a *Account) { a.Blocks = ev.Blocks })
	case events.AccountSuspended:
		updateAccount(tx, key, func(a *Account) { a.Suspended, a.SuspendedFor = cmp.Or(a.Suspended, e.At), ev.Reason })
	case events.AccountResumed:
		updateAccount(tx, key, func(a *Account) { a.Suspended, a.SuspendedFor = 0, "" })
	case events.KeyIssued:
		apiKeys.Put(tx, apiKeyKey(ev.Key.Hash), KeyRef{e.Account, ev.Key.ID})
		updateAccount(tx, key, func(a *Account) { a.Keys = append(a.Keys[:len(a.Keys):len(a.Keys)], ev.Key) })
	case events.KeyRevoked:
		apiKeys.Delete(tx, apiKeyKey(ev.Hash))
		updateAccount(tx, key, func(a *Account) { a.Keys = events.Revoke(a.Keys, ev.Key, e.At) })
	case events.KeyUsed:
		updateAccount(tx, key, func(a *Account) { a.Keys = events.WithKey(a.Keys, ev.Key, func(k *events.Key) { k.LastUsed = e.At }) })
	case events.UsageAdjusted:
		updateAccount(tx, key, func(a *Account) { a.Used, a.Bytes = a.Used+ev.Units, a.Bytes+ev.Bytes })
	case events.QuotaDebited:
		updateAccount(tx, key, func(a *Account) { a.Used, a.Bytes = a.Used+1, a.Bytes+ev.Bytes })
	}
}

func updateAccount(tx *table.Tx, key []byte, change func(*Account)) {
	a, _ := accounts.Load(tx, key)
	change(&a)
	accounts.Put(tx, key, a)
}
