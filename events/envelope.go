package events

import "strings"

// Entry is a record of the journal: a Marker, an Envelope or a Gap.
type Entry interface{ isEntry() }

// Marker announces a new owner of a partition. Its own offset is the epoch of
// that owner: envelopes of any other epoch that come after it are void.
type Marker struct {
	// Owner is the node. Version is its build, shown by tools that print the journal.
	Owner   NodeID `cbor:"1,keyasint"`
	Version string `cbor:"2,keyasint,omitempty" log:"show"`
	// Commands identifies the topic that the owner reads commands from; empty if the log
	// has no such identity.
	Commands TopicID `cbor:"3,keyasint,omitempty" log:"show"`
	// Level is the highest that the owner can read. If the marker is the first record of the
	// partition, it becomes the partition's level.
	Level Level `cbor:"4,keyasint,omitempty"`
	// Timeline names a timeline that begins with the marker: the first of its partition, that of a restored one, or
	// one that begins because the journal has lost its end. It is empty in a marker that salvage writes in place of a
	// lost one.
	Timeline TimelineID `cbor:"5,keyasint,omitempty" log:"show"`
	// At is the time by the owner's clock.
	At Instant `cbor:"6,keyasint,omitempty"`
	// Published is the highest number that the owner has found among the partition's public events. If the
	// journal has fewer facts before the marker, it has lost some that were published.
	Published int64 `cbor:"7,keyasint,omitempty"`
	// Restored is set if everything before the marker was restored from a backup.
	Restored bool `cbor:"8,keyasint,omitempty"`
}

// TimelineID names a timeline: one history of a partition, within which an offset stands for one record. A
// partition that is restored from a backup, or has lost its end, continues as another timeline
// (docs/decisions/0053).
type TimelineID string

// NewTimelineID makes a random id, 16 base32 letters (80 bits).
func NewTimelineID() TimelineID { return TimelineID(randomName(10)) }

// Valid reports whether the id has the form of NewTimelineID's.
func (t TimelineID) Valid() bool {
	b, err := keyNames.DecodeString(strings.ToUpper(string(t)))
	return err == nil && len(b) == 10 && len(t) == 16 && strings.ToLower(string(t)) == string(t)
}

// TopicID identifies a topic of the log: a re-created topic has another.
type TopicID string

// Envelope is everything that one command changed, with the reply to it. Every
// command has exactly one accepted envelope, even if it changed nothing.
type Envelope struct {
	// Epoch is the offset of the owner's marker, Cause the command's offset.
	Epoch   int64     `cbor:"1,keyasint" log:"always"`
	Cause   int64     `cbor:"2,keyasint" log:"always"`
	Command CommandID `cbor:"3,keyasint"`
	Account AccountID `cbor:"4,keyasint"`
	// At is the time of the decision by the owner's clock, and therefore of the events. Within
	// a partition it does not decrease, unless the owner's clock was set back.
	At    Instant `cbor:"5,keyasint"`
	Reply *Reply  `cbor:"6,keyasint,omitempty"`
	// By is who sent the command; see Author.
	By     Author  `cbor:"7,keyasint,omitzero"`
	Events []Event `cbor:"-"`
	// SetAside says why the command could not be decided; it was set aside and changed nothing.
	SetAside string `cbor:"8,keyasint,omitempty" log:"show"`
}

// Gap says that undecided commands are lost: those from the offset From up to, not including, To.
// They were trimmed before their owner had read them. None of them got a reply, so none of their
// jobs was accepted. If the log has lost its newest commands, or the topic was re-created, To may
// be below From.
type Gap struct {
	Epoch int64 `cbor:"1,keyasint" log:"always"`
	From  int64 `cbor:"2,keyasint" log:"always"`
	To    int64 `cbor:"3,keyasint" log:"always"`
	// Commands identifies the topic of the commands after the gap.
	Commands TopicID `cbor:"4,keyasint,omitempty" log:"show"`
}

func (Marker) isEntry()   {}
func (Envelope) isEntry() {}
func (Gap) isEntry()      {}

// Reply is the outcome of a command that came from outside. A refusal is a reply
// like any other; a failure of the infrastructure never is.
type Reply struct {
	Code ReplyCode `cbor:"1,keyasint"`
	// RetryAfter is in seconds; zero means that waiting does not help.
	RetryAfter int64 `cbor:"2,keyasint,omitempty"`
	// Job is the job of the request that this one repeats; nil if it repeats none.
	Job *JobID `cbor:"3,keyasint,omitempty"`
	// Concurrency describes a ConcurrencyLimit; nil with other codes.
	Concurrency *Concurrency `cbor:"4,keyasint,omitempty"`
}

// Concurrency is the account's limit of unfinished jobs, and their number.
type Concurrency struct {
	Plan     Plan  `cbor:"1,keyasint"`
	Limit    int64 `cbor:"2,keyasint"`
	InFlight int64 `cbor:"3,keyasint"`
}

// ReplyCode is the outcome of a command. The names are stored; they never change.
type ReplyCode string

// The reply codes.
const (
	Accepted           ReplyCode = "accepted"
	NoSuchAccount      ReplyCode = "no-such-account"
	NoSuchKey          ReplyCode = "no-such-key"
	NoSuchTemplate     ReplyCode = "no-such-template"
	TooManyTemplates   ReplyCode = "too-many-templates"
	Suspended          ReplyCode = "suspended"
	TooManyKeys        ReplyCode = "too-many-keys"
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
	NoWebhook          ReplyCode = "no-webhook"
	NotEnded           ReplyCode = "not-ended"
	AlreadyEnded       ReplyCode = "already-ended"
	TooManyHeaders     ReplyCode = "too-many-headers"
	NoSuchHeader       ReplyCode = "no-such-header"
	OverlapUnderWay    ReplyCode = "overlap-under-way"
	NoSuchMember       ReplyCode = "no-such-member"
	TooManyMembers     ReplyCode = "too-many-members"
	LastOwner          ReplyCode = "last-owner"
	InvitationGone     ReplyCode = "invitation-gone"
	SignInDelayed      ReplyCode = "sign-in-delayed"
	SignInOld          ReplyCode = "sign-in-old"
	NoSuchPasskey      ReplyCode = "no-such-passkey"
	TooManyPasskeys    ReplyCode = "too-many-passkeys"
	NoSuchCommand      ReplyCode = "no-such-command"
)
