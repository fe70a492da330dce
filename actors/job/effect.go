package job

import "platen.dev/events"

// Effect is something to do in the world once the envelope that asks for it is
// read back. Effects are performed at least once.
type Effect interface{ isEffect() }

// Render asks for an attempt to render the job.
type Render struct {
	Account events.AccountID
	Job     events.JobID
	// Content is the offset of the command that holds what to render.
	Content int64
	// MaxFile is how many bytes the file may have; zero means the default.
	MaxFile int64
	// Lane is the queue in which the job waits for a page.
	Lane events.Lane
}

// DeleteFile asks to delete a file. With Tell, the job waits to hear of it.
type DeleteFile struct {
	Account events.AccountID
	Job     events.JobID
	Name    string
	Tell    bool
}

func (Render) isEffect()     {}
func (DeleteFile) isEffect() {}

// Effects is what an event asks for, given the state after it.
func Effects(id events.JobID, s State, ev events.Event) []Effect {
	switch e := ev.(type) {
	case events.RenderDiscarded:
		return []Effect{DeleteFile{Account: s.Account, Job: id, Name: e.Name}}
	case events.JobQueued, events.RenderReleased, events.FileExpired:
		return Pending(id, s)
	}
	return nil
}

// Pending is what a job's state alone asks for: a new owner of the job performs
// it, as the old owner may not have.
func Pending(id events.JobID, s State) []Effect {
	switch s.Phase {
	case Queued:
		return []Effect{Render{Account: s.Account, Job: id, Content: s.Content, MaxFile: s.MaxFile, Lane: s.Lane}}
	case Expired:
		return []Effect{DeleteFile{Account: s.Account, Job: id, Name: s.File, Tell: true}}
	}
	return nil
}

// Lost is the command to send for a job whose attempt runs on a node that is
// gone; false for any other job.
func Lost(id events.JobID, s State, gone func(events.NodeID) bool) (events.LoseRender, bool) {
	if s.Phase != Rendering || !gone(s.Node) {
		return events.LoseRender{}, false
	}
	return events.LoseRender{Job: id, Attempt: s.Attempt}, true
}
