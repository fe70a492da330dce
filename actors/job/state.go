// Package job decides what becomes of one job: pure functions over its state,
// without clock, randomness or I/O. doc/job-states in docs/ARCHITECTURE.md draws
// the phases.
package job

import (
	"time"

	"platen.dev/events"
)

// Phase is where a job stands. The numbers are stored; never reuse one.
type Phase uint8

// The phases. The API shows Delayed as queued, and Expired and Deleted as done.
const (
	Absent    Phase = iota // no such job
	Queued                 // waits for a page
	Delayed                // waits for Due before it is queued again
	Rendering              // an attempt holds it until Due
	Done                   // its file may be downloaded until Due
	Failed                 // its status may be read until Due
	Expired                // its file is to be deleted
	Deleted                // its status may be read until Due
)

// Limits of a job's attempts; those of its file are in package contract.
const (
	// MaxFailures is how often a render may fail for reasons that neither page nor
	// caller caused before the job fails (docs/API.md, Jobs).
	MaxFailures = 3
	// MaxLosses is how often a job may be lost together with its node before it
	// fails. A loss says little about the job, hence more patience than for failures.
	MaxLosses = 10
	// AttemptLimit is after how long an attempt that is not heard from counts as lost.
	AttemptLimit = 10 * time.Minute
)

// State is all that decisions about a job depend on.
type State struct {
	Phase   Phase            `cbor:"1,keyasint"`
	Account events.AccountID `cbor:"2,keyasint"`
	Test    bool             `cbor:"3,keyasint,omitempty"`
	// Content is the offset of the command that holds what to render.
	Content int64 `cbor:"4,keyasint"`
	// Window is the quota window of the reserved unit.
	Window events.Instant `cbor:"5,keyasint,omitempty"`
	// Attempt and Node are of the attempt that holds the job; zero without one.
	Attempt  events.AttemptID `cbor:"6,keyasint,omitempty"`
	Node     events.NodeID    `cbor:"7,keyasint,omitempty"`
	Failures int              `cbor:"8,keyasint,omitempty"`
	Losses   int              `cbor:"9,keyasint,omitempty"`
	// Due is when time alone moves the job on; zero when it does not.
	Due  events.Instant `cbor:"10,keyasint,omitempty"`
	File string         `cbor:"11,keyasint,omitempty"`
	// Spent are the attempts that lost the job or whose result was refused. A late
	// copy of their StartRender must not let them hold the job again: what they
	// made is deleted.
	Spent []events.AttemptID `cbor:"12,keyasint,omitempty"`
	// Webhook is where the outcome is to be told; Delivered tells that the file goes
	// to the caller's own storage.
	Webhook   string `cbor:"13,keyasint,omitempty"`
	Delivered bool   `cbor:"14,keyasint,omitempty"`
	// MaxFile is how many bytes the file may have; zero means the default.
	MaxFile int64 `cbor:"15,keyasint,omitempty"`
	// IdempotencyKey is the caller's name for the request that made the job.
	IdempotencyKey string `cbor:"16,keyasint,omitempty"`
	// Downloads counts the downloads begun. Stream is the one that has the stream
	// until StreamUntil; zero for none.
	Downloads   int               `cbor:"17,keyasint,omitempty"`
	Stream      events.DownloadID `cbor:"18,keyasint,omitempty"`
	StreamUntil events.Instant    `cbor:"19,keyasint,omitempty"`
	// Lane is in which queue the job waits for a page.
	Lane events.Lane `cbor:"20,keyasint,omitempty"`
}

// Active tells whether the job still counts as running for its account.
func (s State) Active() bool {
	return s.Phase == Queued || s.Phase == Delayed || s.Phase == Rendering
}
