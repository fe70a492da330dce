package events

// Event records one thing that happened. Its time is its envelope's. String shows its
// fields as Describe does.
type Event interface {
	event() // seals the interface: a type here has a row in registry.go
	String() string
}

// AccountCreated opened an account.
type AccountCreated struct {
	Plan   Plan    `cbor:"1,keyasint"`
	Anchor Instant `cbor:"2,keyasint"`
}

// PlanChanged moved an account to a plan.
type PlanChanged struct {
	Plan Plan `cbor:"1,keyasint"`
}

// KeyIssued added an API key.
type KeyIssued struct {
	Key Key `cbor:"1,keyasint"`
}

// KeyRevoked made a key invalid.
type KeyRevoked struct {
	Key  KeyID    `cbor:"1,keyasint"`
	Hash [32]byte `cbor:"2,keyasint"`
}

// AnchorMoved changed the instant from which the quota windows run.
type AnchorMoved struct {
	Anchor Instant `cbor:"1,keyasint"`
}

// FilesLimited changed the size limit of the account's files; zero means the default.
type FilesLimited struct {
	Bytes int64 `cbor:"1,keyasint"`
}

// VolumeBlocksSet changed how many extra blocks of volume the account has.
type VolumeBlocksSet struct {
	Blocks int64 `cbor:"1,keyasint"`
}

// WindowOpened began a quota window, with nothing used: the first one with the account, each later
// one with the first job charged to it.
type WindowOpened struct {
	Window Instant `cbor:"1,keyasint"`
	// End is when the window ends, unless the anchor is moved earlier.
	End Instant `cbor:"2,keyasint"`
}

// WindowReset moved an account back to the quota window that began at Window, in which Units and Bytes had been charged and Reserved units were
// reserved, if that was another one.
type WindowReset struct {
	Window   Instant `cbor:"1,keyasint"`
	Units    int64   `cbor:"2,keyasint,omitempty"`
	Bytes    int64   `cbor:"3,keyasint,omitempty"`
	Reserved int64   `cbor:"4,keyasint,omitempty"`
}

// KeyUsed recorded the use of a key, at most once per KeyUsePrecision.
type KeyUsed struct {
	Key KeyID `cbor:"1,keyasint"`
}

// QuotaReserved reserved one unit for an accepted job, in the quota window that began at Window.
type QuotaReserved struct {
	Job    JobID   `cbor:"1,keyasint"`
	Window Instant `cbor:"2,keyasint"`
}

// QuotaDebited turned a job's reserved unit into a used one and counted its
// bytes. It is a job's only billable fact.
type QuotaDebited struct {
	Job    JobID   `cbor:"1,keyasint"`
	Window Instant `cbor:"2,keyasint"`
	Bytes  int64   `cbor:"3,keyasint"`
}

// QuotaReleased gave a failed job's unit back.
type QuotaReleased struct {
	Job    JobID   `cbor:"1,keyasint"`
	Window Instant `cbor:"2,keyasint"`
}

// JobQueued created a job.
type JobQueued struct {
	Job       JobID     `cbor:"1,keyasint"`
	Key       KeyID     `cbor:"2,keyasint"`
	Operation Operation `cbor:"3,keyasint"`
	Test      bool      `cbor:"4,keyasint,omitempty"`
	// Content is the offset of the SubmitJob record that holds the content.
	Content int64 `cbor:"5,keyasint" log:"always"`
	// Window is the quota window of the job's unit.
	Window Instant `cbor:"6,keyasint,omitempty"`
	// Delivered is set if the file goes to the caller's own storage.
	Delivered bool `cbor:"8,keyasint,omitempty"`
	// MaxFile is the file's size limit in bytes: the account's when the job was accepted.
	// Zero means the default.
	MaxFile     int64        `cbor:"9,keyasint,omitempty"`
	Idempotency *Idempotency `cbor:"10,keyasint,omitempty"`
	// Lane is the queue in which the job waits for a page.
	Lane Lane `cbor:"11,keyasint,omitempty"`
	// Webhook is the URL to which the outcome is reported.
	Webhook Sealed `cbor:"12,keyasint,omitempty"`
	// Waits is set if the request waits for the file.
	Waits bool  `cbor:"13,keyasint,omitempty"`
	Tags  []Tag `cbor:"14,keyasint,omitempty"`
	// Trace is the request's place in a trace; zero if it is not traced.
	Trace Trace `cbor:"15,keyasint,omitzero"`
	// Stored is the file with the large part of the content; "" for none.
	Stored string `cbor:"16,keyasint,omitempty"`
}

// TestCounted counted an accepted test job against the caps of test mode.
type TestCounted struct {
	Job JobID `cbor:"1,keyasint"`
}

// DownloadBegun spent one of a file's downloads and gave it the file's stream.
type DownloadBegun struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
	// Until is when the stream is free again, unless it is renewed.
	Until Instant `cbor:"3,keyasint"`
}

// DownloadRenewed extended the lease of a stream.
type DownloadRenewed struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
	Until    Instant    `cbor:"3,keyasint"`
}

// DownloadEnded freed a stream.
type DownloadEnded struct {
	Job      JobID      `cbor:"1,keyasint"`
	Download DownloadID `cbor:"2,keyasint"`
}

// RenderStarted gave the job to an attempt.
type RenderStarted struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	Node    NodeID    `cbor:"3,keyasint"`
	// Deadline is when the attempt counts as lost.
	Deadline Instant `cbor:"4,keyasint"`
}

// RenderRequeued put a job back into the queue after an attempt that may be repeated.
type RenderRequeued struct {
	Job     JobID     `cbor:"1,keyasint"`
	Attempt AttemptID `cbor:"2,keyasint"`
	Code    ErrorCode `cbor:"3,keyasint"`
	// NotBefore is when the next attempt may start.
	NotBefore Instant `cbor:"4,keyasint"`
	// Lost is set if the attempt's node went down, rather than the render failed.
	Lost bool `cbor:"5,keyasint,omitempty"`
	// Infrastructure is set if something that the node depends on failed.
	Infrastructure bool `cbor:"6,keyasint,omitempty"`
}

// RenderReleased ended the delay of a requeued job.
type RenderReleased struct {
	Job JobID `cbor:"1,keyasint"`
}

// RenderDiscarded refused the result of a stale attempt; its file is garbage.
type RenderDiscarded struct {
	Job     JobID     `cbor:"1,keyasint"`
	Name    string    `cbor:"2,keyasint" log:"show"`
	Attempt AttemptID `cbor:"3,keyasint,omitempty"`
}

// JobDone ended a job with a file.
type JobDone struct {
	Job     JobID   `cbor:"1,keyasint"`
	File    File    `cbor:"2,keyasint"`
	Metrics Metrics `cbor:"3,keyasint"`
	// Expires is when the file may no longer be downloaded; zero if Platen does not keep it.
	Expires Instant `cbor:"4,keyasint"`
	// FileURL is where the file can be downloaded; "" if no webhook names it. It is recorded, because
	// all attempts of a webhook have the same body.
	FileURL string `cbor:"5,keyasint,omitempty"`
	// Sent is set if the file is sent to the waiting request, as the first download.
	Sent   bool      `cbor:"6,keyasint,omitempty"`
	Origin JobOrigin `cbor:"7,keyasint,omitzero"`
	// Warnings describe flaws that did not fail the job.
	Warnings []Warning `cbor:"8,keyasint,omitempty"`
	// Evidence is about an e-invoice; nil for other files.
	Evidence *Evidence `cbor:"9,keyasint,omitempty"`
}

// JobFailed ended a job without a file.
type JobFailed struct {
	Job    JobID     `cbor:"1,keyasint"`
	Code   ErrorCode `cbor:"2,keyasint"`
	Origin JobOrigin `cbor:"3,keyasint,omitzero"`
	// Detail says why, in a sentence for the caller; "" if Code says it all.
	Detail string `cbor:"4,keyasint,omitempty"`
}

// Warning describes a flaw that did not fail the job, in a sentence for the caller.
type Warning struct {
	// Code is one of contract.WarningCodes.
	Code   string `cbor:"1,keyasint"`
	Detail string `cbor:"2,keyasint"`
}

// JobOrigin describes the request that a job came from. The end of a job repeats it, so that
// counting jobs needs no look-up.
type JobOrigin struct {
	Key       KeyID     `cbor:"1,keyasint,omitempty"`
	Operation Operation `cbor:"2,keyasint,omitempty"`
	Test      bool      `cbor:"3,keyasint,omitempty"`
	Tags      []Tag     `cbor:"4,keyasint,omitempty"`
}

// Tag is a name with a value, by which a caller finds its jobs and their usage.
type Tag struct {
	Name  string `cbor:"1,keyasint"`
	Value string `cbor:"2,keyasint"`
}

// FileExpired ended the download period of a job's file.
type FileExpired struct {
	Job JobID `cbor:"1,keyasint"`
}

// FileDeleted recorded that the expired file was deleted from storage.
type FileDeleted struct {
	Job JobID `cbor:"1,keyasint"`
}

// JobForgotten ended the period in which a job's status may be read.
type JobForgotten struct {
	Job JobID `cbor:"1,keyasint"`
}

func (AccountCreated) event()            {}
func (e AccountCreated) String() string  { return text(e) }
func (PlanChanged) event()               {}
func (e PlanChanged) String() string     { return text(e) }
func (KeyIssued) event()                 {}
func (e KeyIssued) String() string       { return text(e) }
func (KeyRevoked) event()                {}
func (e KeyRevoked) String() string      { return text(e) }
func (AnchorMoved) event()               {}
func (e AnchorMoved) String() string     { return text(e) }
func (FilesLimited) event()              {}
func (e FilesLimited) String() string    { return text(e) }
func (VolumeBlocksSet) event()           {}
func (e VolumeBlocksSet) String() string { return text(e) }
func (KeyUsed) event()                   {}
func (e KeyUsed) String() string         { return text(e) }
func (TestCounted) event()               {}
func (e TestCounted) String() string     { return text(e) }
func (WindowReset) event()               {}
func (e WindowReset) String() string     { return text(e) }
func (WindowOpened) event()              {}
func (e WindowOpened) String() string    { return text(e) }
func (QuotaReserved) event()             {}
func (e QuotaReserved) String() string   { return text(e) }
func (QuotaDebited) event()              {}
func (e QuotaDebited) String() string    { return text(e) }
func (QuotaReleased) event()             {}
func (e QuotaReleased) String() string   { return text(e) }
func (JobQueued) event()                 {}
func (e JobQueued) String() string       { return text(e) }
func (RenderStarted) event()             {}
func (e RenderStarted) String() string   { return text(e) }
func (RenderRequeued) event()            {}
func (e RenderRequeued) String() string  { return text(e) }
func (RenderReleased) event()            {}
func (e RenderReleased) String() string  { return text(e) }
func (RenderDiscarded) event()           {}
func (e RenderDiscarded) String() string { return text(e) }
func (JobDone) event()                   {}
func (e JobDone) String() string         { return text(e) }
func (JobFailed) event()                 {}
func (e JobFailed) String() string       { return text(e) }
func (FileExpired) event()               {}
func (e FileExpired) String() string     { return text(e) }
func (FileDeleted) event()               {}
func (e FileDeleted) String() string     { return text(e) }
func (JobForgotten) event()              {}
func (e JobForgotten) String() string    { return text(e) }
func (DownloadBegun) event()             {}
func (e DownloadBegun) String() string   { return text(e) }
func (DownloadRenewed) event()           {}
func (e DownloadRenewed) String() string { return text(e) }
func (DownloadEnded) event()             {}
func (e DownloadEnded) String() string   { return text(e) }
