package page

import (
	"time"

	"platen.dev/events"
)

// Record is the page of all that the log has about a job: its request, and everything that has happened to it.
type Record struct {
	Frame
	Job events.JobID
	// Operation is the job's operation.
	Operation events.Operation
	// Asked lists the fields of the request, by their names in the API; Lost is set if the log no longer has them.
	Asked []Option
	Lost  bool
	// Steps are the events; Gone if the journal no longer has the first of them.
	Steps []RecordStep
	Gone  bool
	// Until is up to when the events were read; zero if all were.
	Until time.Time
}

// Option is a field of a request.
type Option struct {
	// Name is its path in the request's body, such as options.margin.top.
	Name string
	// Value is the field's value, as it was set or by default. A long text is cut short: Bytes is its full length, zero for a
	// short one.
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
	// Node is where it happened, if the event names it; Code is the error that the event names.
	Node events.NodeID
	Code events.ErrorCode
	// Detail tells the rest in a few words; "" for nothing.
	Detail string
}
