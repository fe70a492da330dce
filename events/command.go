package events

import "time"

// Command asks for one change of one account or one of its jobs. The order of
// commands in a partition is the order in which they are decided.
type Command struct {
	ID      CommandID `cbor:"1,keyasint"`
	Account AccountID `cbor:"2,keyasint"`
	// At is the sender's clock in the record. The owner replaces it by its own before the decision,
	// and the decision sees no other clock.
	At Instant `cbor:"3,keyasint"`
	// Latest is the latest that true time may be when the owner has the command decided. It equals At unless
	// the owner's clock is held back. Anything that must last for a while after a decision lasts that long
	// after Latest.
	Latest Instant `cbor:"-"`
	// ReplyTo is where the sender waits for the reply; nil if it does not wait.
	ReplyTo *Address `cbor:"4,keyasint,omitempty"`
	// By is who sent the command; see Author.
	By   Author      `cbor:"5,keyasint,omitzero"`
	Body CommandBody `cbor:"-"`
}

// NewCommand returns a command with a new id, sent at a time.
func NewCommand(account AccountID, at time.Time, body CommandBody) Command {
	return Command{ID: NewCommandID(), Account: account, At: At(at), Body: body}
}

// Address names the actor that waits for a reply: a promise on some node.
type Address struct {
	Node string `cbor:"1,keyasint" log:"show"`
	ID   string `cbor:"2,keyasint" log:"show"`
}

// CommandBody is one of the command types below. String shows its fields as Describe does.
type CommandBody interface {
	command() // seals the interface: a type here has a row in registry.go
	String() string
}

// CreateAccount opens an account. Creating it again with the same plan changes nothing.
type CreateAccount struct {
	Plan Plan `cbor:"1,keyasint"`
	// Anchor is the instant from which the quota windows run, month by month; zero means the time of
	// the decision.
	Anchor Instant `cbor:"2,keyasint"`
}

// ChangePlan moves an account to another plan at once; the window stays.
type ChangePlan struct {
	Plan Plan `cbor:"1,keyasint"`
}

// IssueKey adds an API key. Issuing the same key id with the same hash again changes nothing.
type IssueKey struct {
	Key Key `cbor:"1,keyasint"`
}

// RevokeKey makes a key invalid for good. Revoking it again changes nothing.
type RevokeKey struct {
	Key KeyID `cbor:"1,keyasint"`
}

// SubmitJob asks for a job. It is the command's head, which is all that the decision
// needs. The content stays in the command's record, to which the journal refers by
// offset; Submission is the command with its content.
type SubmitJob struct {
	Job       JobID     `cbor:"1,keyasint"`
	Key       KeyID     `cbor:"2,keyasint"`
	Operation Operation `cbor:"3,keyasint"`
	Test      bool      `cbor:"4,keyasint,omitempty"`
	// Requires is the smallest plan that includes everything the request asks for; "" for any.
	Requires    Plan         `cbor:"7,keyasint,omitempty"`
	Idempotency *Idempotency `cbor:"8,keyasint,omitempty"`
	// Webhook is the URL to which the outcome is reported; nil for none.
	Webhook Sealed `cbor:"9,keyasint,omitempty"`
	// Waits is set if the request waits for the file.
	Waits bool `cbor:"10,keyasint,omitempty"`
	// Tags are the caller's own, in the order of their names.
	Tags []Tag `cbor:"11,keyasint,omitempty"`
	// Trace is the request's place in a trace; zero if it is not traced.
	Trace Trace `cbor:"12,keyasint,omitzero"`
	// Summary holds the properties of the content that decisions need. It is not stored:
	// decoding derives it from the content.
	Summary ContentSummary `cbor:"-"`
}

// Submission is a SubmitJob with the content to render. The edge sends it and an attempt reads it;
// nobody in between decodes the content.
type Submission struct {
	SubmitJob
	Content Content `cbor:"5,keyasint"`
}

// Idempotency recognises a repeated request (docs/API.md, Idempotency).
type Idempotency struct {
	// Key is the caller's Idempotency-Key; Fingerprint is the SHA-256 of method, path and
	// canonical body.
	Key         string   `cbor:"1,keyasint"`
	Fingerprint [32]byte `cbor:"2,keyasint"`
}

// StartRender reports that an attempt has a browser page and begins.
type StartRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	// Node is the node that renders. A restarted node has another id.
	Node NodeID `cbor:"3,keyasint"`
}

// FinishRender reports that an attempt's file is stored.
type FinishRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	File    File      `cbor:"3,keyasint"`
	Metrics Metrics   `cbor:"4,keyasint"`
	// FileURL is where the file can be downloaded; "" if no webhook names it.
	FileURL string `cbor:"5,keyasint,omitempty"`
	// Warnings describe flaws that did not fail the job.
	Warnings []Warning `cbor:"6,keyasint,omitempty"`
	// Evidence is about an e-invoice; nil for other files.
	Evidence *Evidence `cbor:"7,keyasint,omitempty"`
}

// FailRender reports that an attempt ended without a file.
type FailRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	Code    ErrorCode `cbor:"3,keyasint"`
	// Retryable is set if neither the page nor the caller caused the failure.
	Retryable bool `cbor:"4,keyasint,omitempty"`
	// Infrastructure is set if something that the node depends on failed, such as the store
	// of results. Such a failure is retryable, and does not spend one of the job's attempts.
	Infrastructure bool `cbor:"5,keyasint,omitempty"`
	// Detail says why, in a sentence for the caller; "" if Code says it all.
	Detail string `cbor:"6,keyasint,omitempty"`
}

// LoseRender reports that the node of a running attempt is down.
type LoseRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
}

// WakeJob reports that the instant a job waits for has come. Early or late copies change nothing.
type WakeJob struct {
	Job JobID `cbor:"1,keyasint"`
}

// ForgetFile reports that a file has been deleted from storage.
type ForgetFile struct {
	Job  JobID  `cbor:"1,keyasint"`
	Name string `cbor:"2,keyasint" log:"show"`
}

// BeginDownload asks for one of a file's downloads, and for the right to stream the file.
type BeginDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// RenewDownload reports that a download is still under way.
type RenewDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// EndDownload reports that a download has ended, complete or not.
type EndDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// MoveAnchor changes the instant from which an account's quota windows run.
type MoveAnchor struct {
	Anchor Instant `cbor:"1,keyasint"`
}

// LimitFiles changes the size limit of the account's files; zero means the default.
type LimitFiles struct {
	Bytes int64 `cbor:"1,keyasint"`
}

// SetVolumeBlocks changes how many blocks of 1 GB an account has bought beyond its plan's volume.
type SetVolumeBlocks struct {
	Blocks int64 `cbor:"1,keyasint"`
}

// ResetWindow moves an account back to the present quota window, and resets the caps of test mode. It
// undoes the effects of a clock that was ahead.
type ResetWindow struct {
	// Units and Bytes are what was charged in the window that began at Window, by the usage ledger: no account remembers what a former window has used.
	Window Instant `cbor:"1,keyasint,omitempty"`
	Units  int64   `cbor:"2,keyasint,omitempty"`
	Bytes  int64   `cbor:"3,keyasint,omitempty"`
	// Reserved is how many jobs that have reserved a unit in that window are still running.
	Reserved int64 `cbor:"4,keyasint,omitempty"`
}

// NoteKeyUse reports that a request was made with a key.
type NoteKeyUse struct {
	Key KeyID `cbor:"1,keyasint"`
}

func (CreateAccount) command()           {}
func (c CreateAccount) String() string   { return text(c) }
func (ChangePlan) command()              {}
func (c ChangePlan) String() string      { return text(c) }
func (IssueKey) command()                {}
func (c IssueKey) String() string        { return text(c) }
func (RevokeKey) command()               {}
func (c RevokeKey) String() string       { return text(c) }
func (MoveAnchor) command()              {}
func (c MoveAnchor) String() string      { return text(c) }
func (LimitFiles) command()              {}
func (c LimitFiles) String() string      { return text(c) }
func (SetVolumeBlocks) command()         {}
func (c SetVolumeBlocks) String() string { return text(c) }
func (NoteKeyUse) command()              {}
func (c NoteKeyUse) String() string      { return text(c) }
func (ResetWindow) command()             {}
func (c ResetWindow) String() string     { return text(c) }
func (SubmitJob) command()               {}
func (c SubmitJob) String() string       { return text(c) }
func (StartRender) command()             {}
func (c StartRender) String() string     { return text(c) }
func (FinishRender) command()            {}
func (c FinishRender) String() string    { return text(c) }
func (FailRender) command()              {}
func (c FailRender) String() string      { return text(c) }
func (LoseRender) command()              {}
func (c LoseRender) String() string      { return text(c) }
func (WakeJob) command()                 {}
func (c WakeJob) String() string         { return text(c) }
func (ForgetFile) command()              {}
func (c ForgetFile) String() string      { return text(c) }
func (BeginDownload) command()           {}
func (c BeginDownload) String() string   { return text(c) }
func (RenewDownload) command()           {}
func (c RenewDownload) String() string   { return text(c) }
func (EndDownload) command()             {}
func (c EndDownload) String() string     { return text(c) }
