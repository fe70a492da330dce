package job

import (
	"slices"

	"platen.dev/events"
)

// Effect is something to do in the world for a job once the envelope that asks for it has been
// read back. It is performed at least once. A new kind needs a type here, a case in Pending,
// and a performer.
type Effect interface {
	// Key identifies the effect among all pending effects.
	Key() EffectKey
}

// EffectKind is the kind of an effect, for which there is one performer.
type EffectKind string

// The kinds of effects.
const (
	KindRender     EffectKind = "render"
	KindDeleteFile EffectKind = "delete file"
	KindNotify     EffectKind = "notify"
	KindDeliver    EffectKind = "deliver"
)

// Kinds returns all kinds of effects.
func Kinds() []EffectKind {
	return []EffectKind{KindRender, KindDeleteFile, KindNotify, KindDeliver}
}

// EffectKey identifies an effect.
type EffectKey struct {
	Kind EffectKind
	Job  events.JobID
	// Name distinguishes effects of the same kind and job. It is empty if there is at most one.
	Name string
}

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

// DeleteFile is the effect of deleting a file. With Report, the job waits for the command
// ForgetFile, which reports the deletion.
type DeleteFile struct {
	Account events.AccountID
	Job     events.JobID
	Name    string
	Report  bool
}

// Key implements Effect.
func (d DeleteFile) Key() EffectKey {
	return EffectKey{Kind: KindDeleteFile, Job: d.Job, Name: d.Name}
}

// Pending returns the effects that a job's state asks for. A new owner of the job begins them
// all, because the previous owner may not have done so.
func Pending(id events.JobID, s State) (all []Effect) {
	switch {
	case s.Phase == Queued:
		all = append(all, Render{Account: s.Account, Job: id, Content: s.Content, MaxFile: s.MaxFile, Lane: s.Lane, Queued: s.Traced.Queued})
	case s.Phase == Uploading && s.Due == 0:
		all = append(all, Deliver{Account: s.Account, Job: id, Content: s.Content, File: s.Upload.File, Number: s.Upload.Made + 1})
	case s.stale():
		all = append(all, DeleteFile{Account: s.Account, Job: id, Name: s.File, Report: true})
	}
	if s.Notice.Stage == NoticeReady {
		all = append(all, Notify{Account: s.Account, Job: id, Number: s.Notice.Sent + 1})
	}
	return all
}

// Unsettled reports whether a new owner has to look at the job: something is pending, held by
// a node, or waited for.
func Unsettled(s State) bool {
	_, held := Held(events.JobID{}, s)
	return s.Active() || held || len(Pending(events.JobID{}, s)) > 0
}

// Changes returns the effects to begin, and the keys of those to forget, when evs take a job
// from one state to the next. An effect is forgotten once the state no longer asks for it; if
// it is under way by then, it goes on.
func Changes(id events.JobID, before, after State, evs []events.Event) (begin []Effect, forget []EffectKey) {
	was, is := Pending(id, before), Pending(id, after)
	for _, e := range is {
		if !slices.ContainsFunc(was, same(e)) {
			begin = append(begin, e)
		}
	}
	for _, e := range was {
		if !slices.ContainsFunc(is, same(e)) {
			forget = append(forget, e.Key())
		}
	}
	for _, ev := range evs {
		if e, ok := ev.(events.RenderDiscarded); ok {
			begin = append(begin, DeleteFile{Account: after.Account, Job: id, Name: e.Name})
		}
	}
	return begin, forget
}

func same(e Effect) func(Effect) bool {
	return func(other Effect) bool { return other.Key() == e.Key() }
}

// Hold is an effect that a node is performing.
type Hold struct {
	Node events.NodeID
	// Lose is the command to send if the node is gone.
	Lose events.CommandBody
}

// Held returns the effect of a job that a node is performing; false if there is none.
func Held(id events.JobID, s State) (Hold, bool) {
	if s.Phase != Rendering {
		return Hold{}, false
	}
	return Hold{Node: s.Node, Lose: events.LoseRender{Job: id, Attempt: s.Attempt}}, true
}
