// Package job decides the commands about one job, in pure functions over its state without
// clock, randomness or I/O. docs/ARCHITECTURE.md draws the phases (The life of a job).
package job

import (
	"time"

	"platen.dev/events"
)

// Phase is the phase of a job's life. The numbers are stored; never reuse one.
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
	Uploading              // its file is on its way into the caller's own storage
)

// Limits of a job's attempts; those of its file are in package contract.
const (
	// MaxFailures is the number of failed attempts after which the job fails, if neither the
	// document nor the caller caused them (docs/API.md, Jobs).
	MaxFailures = 3
	// MaxLosses is the number of attempts lost together with their nodes after which the job
	// fails. It is higher than MaxFailures because a loss says little about the job.
	MaxLosses = 10
	// MaxFaults is the number of attempts ended by infrastructure faults after which the job fails. A node that meets such faults suspends rendering, so
	// only a job that itself causes them gets this far: within half an hour, given the pauses between attempts.
	MaxFaults = 30
	// AttemptLimit is the time after which an attempt that has not ended counts as lost.
	AttemptLimit = 10 * time.Minute
)

// State is everything that decisions about a job depend on.
type State struct {
	Phase   Phase            `cbor:"1,keyasint"`
	Account events.AccountID `cbor:"2,keyasint"`
	// Content is the offset of the command that holds what to render.
	Content int64 `cbor:"4,keyasint"`
	// Window is the quota window of the reserved unit.
	Window events.Instant `cbor:"5,keyasint,omitempty"`
	// Attempt holds the job on Node; both are zero if no attempt does.
	Attempt  events.AttemptID `cbor:"6,keyasint,omitempty"`
	Node     events.NodeID    `cbor:"7,keyasint,omitempty"`
	Failures int              `cbor:"8,keyasint,omitempty"`
	Losses   int              `cbor:"9,keyasint,omitempty"`
	// Due is when WakeJob moves the job to its next phase; zero if only other commands can.
	Due  events.Instant `cbor:"10,keyasint,omitempty"`
	File string         `cbor:"11,keyasint,omitempty"`
	// Spent lists the attempts that lost the job or whose result was refused. A late duplicate of their StartRender must not let them hold the job
	// again, because their file is deleted.
	Spent []events.AttemptID `cbor:"12,keyasint,omitempty"`
	// Delivered is true if the file goes to the caller's own storage.
	Delivered bool `cbor:"14,keyasint,omitempty"`
	// MaxFile is the size limit of the file in bytes; zero means the default.
	MaxFile int64 `cbor:"15,keyasint,omitempty"`
	// IdempotencyKey is that of the request that made the job; empty if it had none.
	IdempotencyKey string `cbor:"16,keyasint,omitempty"`
	// Downloads counts the downloads that have begun. Stream is the one that holds the file's
	// stream until StreamUntil; zero if there is none.
	Downloads   int               `cbor:"17,keyasint,omitempty"`
	Stream      events.DownloadID `cbor:"18,keyasint,omitempty"`
	StreamUntil events.Instant    `cbor:"19,keyasint,omitempty"`
	// Lane is the queue in which the job waits for a page.
	Lane events.Lane `cbor:"20,keyasint,omitempty"`
	// Faults counts the attempts that ended because the infrastructure failed.
	Faults int `cbor:"21,keyasint,omitempty"`
	// Notice is the webhook.
	Notice Notice `cbor:"22,keyasint,omitzero"`
	// Upload is the file while the job is Uploading, otherwise zero.
	Upload Upload `cbor:"23,keyasint,omitzero"`
	// Waits is set if the request waits for the file; its response is the first download.
	Waits  bool             `cbor:"24,keyasint,omitempty"`
	Origin events.JobOrigin `cbor:"25,keyasint,omitzero"`
	Traced Traced           `cbor:"26,keyasint,omitzero"`
	// Stored names the file with the large part of the content, "" for none; it is kept while the job is active.
	Stored string `cbor:"27,keyasint,omitempty"`
}

// Traced holds the data for the spans of a job; zero if the job is not traced.
type Traced struct {
	Trace events.Trace `cbor:"1,keyasint"`
	// Queued is when the job was queued last.
	Queued events.Instant `cbor:"2,keyasint,omitempty"`
}

// Wake returns when WakeJob has something to do; zero for never.
func (s State) Wake() events.Instant {
	if s.Due == 0 || s.Notice.Due != 0 && s.Notice.Due < s.Due {
		return s.Notice.Due
	}
	return s.Due
}

// Active reports whether the job still counts as running for its account.
func (s State) Active() bool {
	return s.Phase == Queued || s.Phase == Delayed || s.Phase == Rendering || s.Phase == Uploading
}

// Files returns the stored files that the job needs: its content while it is active, its result while it may be downloaded or is being uploaded. All
// others are to be deleted.
func (s State) Files() (names []string) {
	if s.Active() && s.Stored != "" {
		names = append(names, s.Stored)
	}
	if s.File != "" && (s.Phase == Done || s.Phase == Uploading) {
		names = append(names, s.File)
	}
	return names
}

// stale reports whether the stored file is to be deleted: its time is over, or the job ended
// without keeping it.
func (s State) stale() bool {
	return s.File != "" && (s.Phase == Expired || s.Phase == Failed || s.Phase == Deleted)
}
