package render

import (
	"time"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// Report is how an attempt went, as far as it came.
type Report struct {
	Operation events.Operation
	Lane      events.Lane
	// Code is the error that ended the attempt; "" when there is a file.
	Code events.ErrorCode
	// Wait is from the job's acceptance until the attempt had its page; negative for
	// an attempt that needed none.
	Wait time.Duration
	// Load is what the page took to load, Made to be printed or captured, Finish what
	// came after in this process, Store until the file was durable. A step that was
	// not reached has 0.
	Load, Made, Finish, Store time.Duration
	// Size is the file's in bytes, Pages how many it has; zero for images.
	Size  int64
	Pages int
}

// noteWait notes how long a job waited for its page, by the clock of the node that
// accepted it and by this one's.
func (w *work) noteWait() {
	w.report.Operation = w.submission.Operation
	if !w.submission.Test {
		w.report.Wait = max(0, w.started.Sub(w.accepted))
	}
}

func (w *work) observe(code events.ErrorCode) {
	w.report.Code = code
	if w.cfg.Observe != nil {
		w.cfg.Observe(w.report)
	}
}

// Figures is a renderer at one moment. The counts never go down.
type Figures struct {
	Load   dispatch.Load
	Counts dispatch.Counts
}
