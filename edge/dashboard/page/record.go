package page

import (
	"time"

	"platen.dev/events"
)

// Record is what the log has of a job: what was asked for, and everything that has happened to it.
type Record struct {
	Frame
	Job events.JobID
	// Operation is that of the job.
	Operation events.Operation
	// Asked is what the request asked for, in the names of the API; Lost if the log no longer has it.
	Asked []Option
	Lost  bool
	// Steps are the events; Gone if the journal no longer has the first of them.
	Steps []RecordStep
	Gone  bool
	// Until is when the events end that were read; zero if all were.
	Until time.Time
}

// Option is a field of a request.
type Option struct {
	// Name is its path in the request's body, such as options.margin.top.
	Name string
	// Value is what it was set to, or what stands for it by default. A long text is shown from its beginning: Bytes is how
	// long all of it is, zero for a short one.
	Value string
	Bytes int64
	// Hidden is set if the value is a credential.
	Hidden bool
}

// RecordStep is an event of a job.
type RecordStep struct {
	At time.Time
	// Since is the time from the event before.
	Since time.Duration
	// Event is its type, such as RenderStarted.
	Event string
	// Node is where it happened, if it tells; Code is the error that it names.
	Node events.NodeID
	Code events.ErrorCode
	// Detail is what else it tells in a few words; "" for nothing.
	Detail string
}
