package render

import (
	"time"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// Report describes an attempt that has ended.
type Report struct {
	Operation events.Operation
	Lane      events.Lane
	// Code is the error that ended the attempt, "" if it made a file.
	Code events.ErrorCode
	// Wait is the time from the job's acceptance until the attempt had its page; negative if it needed
	// none.
	Wait time.Duration
	// Load is the time to load the page, Made to print or capture it, Finish to process
	// the file in this node, and Store to make it durable. A step that was not reached
	// has 0.
	Load, Made, Finish, Store time.Duration
	// Size is the size of the file in bytes. Pages is its number of pages, zero for
	// images.
	Size  int64
	Pages int
}

// noteWait records how long a job waited for its page. The wait starts by the clock of the node
// that accepted the job, and ends by this node's.
func (w *work) noteWait() {
	w.report.Operation = w.submission.Operation
	if !w.submission.Test {
		w.report.Wait = max(0, w.started.Sub(w.accepted))
	}
}

func (w *work) observe(code events.ErrorCode) {
	w.report.Code, w.traced.told = code, true
	if w.cfg.Observe != nil {
		w.cfg.Observe(w.report)
	}
}

// Figures is a snapshot of a renderer. The counts never decrease.
type Figures struct {
	Load   dispatch.Load
	Counts dispatch.Counts
}
