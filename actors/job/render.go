package job

import "platen.dev/events"

// Render is the effect of rendering the job: the renderer begins an attempt.
type Render struct {
	Account events.AccountID
	Job     events.JobID
	// Content is the offset of the command that holds what to render.
	Content int64
	// MaxFile is the size limit of the file in bytes; zero means the default.
	MaxFile int64
	// Lane is the queue in which the job waits for a page.
	Lane events.Lane
	// Queued is when the job was queued; zero if it is not traced.
	Queued events.Instant
}

// Key implements Effect.
func (r Render) Key() EffectKey { return EffectKey{Kind: KindRender, Job: r.Job} }

func (Render) effect() {}

func renderPending(id events.JobID, s State) (Effect, bool) {
	return Render{Account: s.Account, Job: id, Content: s.Content, MaxFile: s.MaxFile, Lane: s.Lane, Queued: s.Traced.Queued}, s.Phase == Queued
}

func renderHeld(id events.JobID, s State) (Hold, bool) {
	return Hold{Node: s.Node, Lose: events.LoseRender{Job: id, Attempt: s.Attempt}}, s.Phase == Rendering
}
