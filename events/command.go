package events

// Command asks for one change of one account or one of its jobs. The order of
// commands in a partition is the order in which they are decided.
type Command struct {
	ID      CommandID `cbor:"1,keyasint"`
	Account AccountID `cbor:"2,keyasint"`
	// At is the sender's clock, and the only clock that the decision sees.
	At Instant `cbor:"3,keyasint"`
	// ReplyTo is where somebody waits for the reply; nil when nobody does.
	ReplyTo *Address    `cbor:"4,keyasint,omitempty"`
	Body    CommandBody `cbor:"-"`
}

// Address is the promise that a reply completes: an actor of a node.
type Address struct {
	Node string `cbor:"1,keyasint" log:"show"`
	ID   string `cbor:"2,keyasint" log:"show"`
}

// CommandBody is one of the command types below. String shows its fields as Describe does.
type CommandBody interface {
	commandType() uint64
	String() string
}

// CreateAccount opens an account. Creating it again with the same plan changes nothing.
type CreateAccount struct {
	Plan Plan `cbor:"1,keyasint"`
	// Anchor is the instant from which the quota windows run, month by month.
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

// SubmitJob asks for a job. It is the head of the command: what the job's account
// decides on. The content stays in the command's record, to which the journal refers
// by offset; Submission is the command with its content.
type SubmitJob struct {
	Job       JobID     `cbor:"1,keyasint"`
	Key       KeyID     `cbor:"2,keyasint"`
	Operation Operation `cbor:"3,keyasint"`
	Test      bool      `cbor:"4,keyasint,omitempty"`
	// Webhook is where the outcome is reported; "" for nowhere.
	Webhook string `cbor:"6,keyasint,omitempty"`
	// Requires is the smallest plan that includes everything asked for; "" for any.
	Requires    Plan         `cbor:"7,keyasint,omitempty"`
	Idempotency *Idempotency `cbor:"8,keyasint,omitempty"`
	// Summary is what decisions need to know of the content. It is not stored: decoding
	// reads it off the content.
	Summary ContentSummary `cbor:"-"`
}

// Submission is a SubmitJob with the content to render: what the edge sends and an
// attempt reads. Between the two nobody decodes the content.
type Submission struct {
	SubmitJob
	Content Content `cbor:"5,keyasint"`
}

// Idempotency recognises a request that is sent again (decisions.md, Submitting).
type Idempotency struct {
	// Key is the caller's; Fingerprint the SHA-256 of method, path and canonical body.
	Key         string   `cbor:"1,keyasint"`
	Fingerprint [32]byte `cbor:"2,keyasint"`
}

// StartRender tells that an attempt holds a browser page and begins.
type StartRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	// Node is the node, of this start of it, that renders.
	Node NodeID `cbor:"3,keyasint"`
}

// FinishRender tells that an attempt's file is stored.
type FinishRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	File    File      `cbor:"3,keyasint"`
	Metrics Metrics   `cbor:"4,keyasint"`
}

// FailRender tells that an attempt ended without a file.
type FailRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	Code    ErrorCode `cbor:"3,keyasint"`
	// Retryable says that neither the page nor the caller caused it.
	Retryable bool `cbor:"4,keyasint,omitempty"`
}

// LoseRender tells that the node of a running attempt is gone.
type LoseRender struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
}

// WakeJob tells that the instant a job waited for has come. Early or late copies change nothing.
type WakeJob struct {
	Job JobID `cbor:"1,keyasint"`
}

// ForgetFile tells that a file is deleted from storage.
type ForgetFile struct {
	Job  JobID  `cbor:"1,keyasint"`
	Name string `cbor:"2,keyasint" log:"show"`
}

// BeginDownload asks for one of the downloads that a file allows, and for its stream.
type BeginDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// RenewDownload tells that a download still goes on.
type RenewDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// EndDownload tells that a download has ended, whole or not.
type EndDownload struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// MoveAnchor changes the instant from which an account's quota windows run.
type MoveAnchor struct {
	Anchor Instant `cbor:"1,keyasint"`
}

// LimitFiles changes how large a file of the account may be; zero means the default.
type LimitFiles struct {
	Bytes int64 `cbor:"1,keyasint"`
}

// SetVolumeBlocks changes how many blocks of 1 GB an account has bought beyond its plan's volume.
type SetVolumeBlocks struct {
	Blocks int64 `cbor:"1,keyasint"`
}

// NoteKeyUse tells that a request came with a key.
type NoteKeyUse struct {
	Key KeyID `cbor:"1,keyasint"`
}

func (CreateAccount) commandType() uint64   { return 1 }
func (ChangePlan) commandType() uint64      { return 2 }
func (IssueKey) commandType() uint64        { return 3 }
func (RevokeKey) commandType() uint64       { return 4 }
func (MoveAnchor) commandType() uint64      { return 5 }
func (LimitFiles) commandType() uint64      { return 6 }
func (SetVolumeBlocks) commandType() uint64 { return 7 }
func (NoteKeyUse) commandType() uint64      { return 8 }
func (SubmitJob) commandType() uint64       { return 16 }
func (StartRender) commandType() uint64     { return 17 }
func (FinishRender) commandType() uint64    { return 18 }
func (FailRender) commandType() uint64      { return 19 }
func (LoseRender) commandType() uint64      { return 20 }
func (WakeJob) commandType() uint64         { return 21 }
func (ForgetFile) commandType() uint64      { return 22 }
func (BeginDownload) commandType() uint64   { return 23 }
func (RenewDownload) commandType() uint64   { return 24 }
func (EndDownload) commandType() uint64     { return 25 }

// Target is the job that a command is about; false for commands about the account.
func Target(body CommandBody) (JobID, bool) {
	switch b := body.(type) {
	case SubmitJob:
		return b.Job, true
	case StartRender:
		return b.Job, true
	case FinishRender:
		return b.Job, true
	case FailRender:
		return b.Job, true
	case LoseRender:
		return b.Job, true
	case WakeJob:
		return b.Job, true
	case ForgetFile:
		return b.Job, true
	case BeginDownload:
		return b.Job, true
	case RenewDownload:
		return b.Job, true
	case EndDownload:
		return b.Job, true
	}
	return JobID{}, false
}
