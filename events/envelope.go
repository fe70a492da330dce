package events

// Entry is a record of the journal: a Marker or an Envelope.
type Entry interface{ isEntry() }

// Marker announces a new owner of a partition. Its own offset is the epoch of
// that owner: envelopes of any other epoch that come after it are void.
type Marker struct {
	// Owner is the node; Version the build, for people who read the journal.
	Owner   NodeID `cbor:"1,keyasint"`
	Version string `cbor:"2,keyasint,omitempty" log:"show"`
}

// Envelope is all that one command changed, with the reply it earned. Every
// command has exactly one accepted envelope, also when it changed nothing.
type Envelope struct {
	// Epoch is the offset of the owner's marker, Cause the command's offset.
	Epoch   int64     `cbor:"1,keyasint" log:"always"`
	Cause   int64     `cbor:"2,keyasint" log:"always"`
	Command CommandID `cbor:"3,keyasint"`
	Account AccountID `cbor:"4,keyasint"`
	// At is the command's time, hence the events'.
	At     Instant `cbor:"5,keyasint"`
	Reply  *Reply  `cbor:"6,keyasint,omitempty"`
	Events []Event `cbor:"-"`
}

func (Marker) isEntry()   {}
func (Envelope) isEntry() {}

// Reply answers a command that came from outside. It is a value also when it is
// a refusal; faults of the machinery are never replies.
type Reply struct {
	Code ReplyCode `cbor:"1,keyasint"`
	// RetryAfter is in seconds; zero means that waiting does not help.
	RetryAfter int64 `cbor:"2,keyasint,omitempty"`
	// Job is the job of the request that this one repeats; nil for no such job.
	Job *JobID `cbor:"3,keyasint,omitempty"`
}

// ReplyCode tells what became of a command, in a stable wire name.
type ReplyCode string

// The reply codes.
const (
	Accepted           ReplyCode = "accepted"
	NoSuchAccount      ReplyCode = "no-such-account"
	NoSuchKey          ReplyCode = "no-such-key"
	NoSuchTemplate     ReplyCode = "no-such-template"
	TooManyTemplates   ReplyCode = "too-many-templates"
	AlreadyExists      ReplyCode = "already-exists"
	UnknownPlan        ReplyCode = "unknown-plan"
	ConcurrencyLimit   ReplyCode = "concurrency-limit"
	QuotaExceeded      ReplyCode = "quota-exceeded"
	QuotaBytesExceeded ReplyCode = "quota-bytes-exceeded"
	Stale              ReplyCode = "stale"
	Internal           ReplyCode = "internal"
	Replayed           ReplyCode = "replayed"
	KeyReused          ReplyCode = "idempotency-key-reused"
	PlanRequired       ReplyCode = "plan-required"
	TestLimit          ReplyCode = "test-rate-limit-exceeded"
	NoSuchFile         ReplyCode = "no-such-file"
	FileGone           ReplyCode = "file-expired"
	DownloadBusy       ReplyCode = "download-busy"
	DownloadsExhausted ReplyCode = "download-attempts-exhausted"
	OutOfRange         ReplyCode = "out-of-range"
)
