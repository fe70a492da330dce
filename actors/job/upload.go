package job

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Upload is a finished file on its way to the caller's own storage. While State.Due is not zero, it
// waits for the next attempt.
type Upload struct {
	File    events.File    `cbor:"1,keyasint"`
	Metrics events.Metrics `cbor:"2,keyasint"`
	// Made counts the attempts that have ended.
	Made     int              `cbor:"3,keyasint,omitempty"`
	Warnings []events.Warning `cbor:"4,keyasint,omitempty"`
	Evidence *events.Evidence `cbor:"5,keyasint,omitempty"`
}

// Deliver is the effect of uploading a job's file to the caller's own storage.
type Deliver struct {
	Account events.AccountID
	Job     events.JobID
	// Content is the offset of the command that holds the URL.
	Content int64
	File    events.File
	// Number counts the attempts from 1.
	Number int
}

// Key implements Effect.
func (d Deliver) Key() EffectKey { return EffectKey{Kind: KindDeliver, Job: d.Job} }

func (Deliver) effect() {}

func deliverPending(id events.JobID, s State) (Effect, bool) {
	return Deliver{Account: s.Account, Job: id, Content: s.Content, File: s.Upload.File, Number: s.Upload.Made + 1}, s.Phase == Uploading && s.Due == 0
}

// reportUpload decides what follows an attempt. Only the next attempt counts, and only once.
func reportUpload(s State, b events.ReportUpload, now events.Instant) []events.Event {
	if s.Phase != Uploading || s.Due != 0 || b.Number != s.Upload.Made+1 {
		return nil
	}
	attempted := events.UploadAttempted{Job: b.Job, UploadAttempt: b.UploadAttempt}
	pauses := contract.UploadPauses()
	switch {
	case b.Code != "":
		return []events.Event{attempted, s.failed(b.Job, b.Code, b.Detail)}
	case contract.Succeeded(b.Status):
		u := s.Upload
		return []events.Event{attempted, events.JobDone{Job: b.Job, File: u.File, Metrics: u.Metrics, Origin: s.Origin, Warnings: u.Warnings, Evidence: u.Evidence}}
	case !passes(b.Status) || b.Number > len(pauses):
		return []events.Event{attempted, s.failed(b.Job, events.DeliveryFailed, b.Detail)}
	}
	attempted.Next = now.Add(pauses[b.Number-1])
	return single(attempted)
}

const requestTimeout = 408

// passes reports whether a failure may be temporary. A status of zero is a network fault.
func passes(status int) bool {
	return status == 0 || status == requestTimeout || status == tooManyRequests || status >= 500
}

func evolveUpload(s State, ev events.Event) State {
	switch e := ev.(type) {
	case events.UploadBegun:
		s.Phase, s.Attempt, s.Node, s.Due, s.File = Uploading, 0, "", 0, e.File.Name
		s.Upload = Upload{File: e.File, Metrics: e.Metrics, Warnings: e.Warnings, Evidence: e.Evidence}
	case events.UploadAttempted:
		s.Upload.Made, s.Due = e.Number, e.Next
	case events.UploadReleased:
		s.Due = 0
	}
	return s
}
