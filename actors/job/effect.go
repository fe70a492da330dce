package job

import (
	"slices"

	"platen.dev/events"
)

// Effect is something to do in the world for a job, once the envelope that asks for
// it is read back. It is performed at least once; a new kind is a type here, a case of
// Pending, and a performer.
type Effect interface {
	// Key identifies the effect among all that are pending anywhere.
	Key() EffectKey
}

// EffectKind names a kind of effect.
type EffectKind string

// The kinds.
const (
	KindRender     EffectKind = "render"
	KindDeleteFile EffectKind = "delete file"
)

// EffectKey identifies an effect.
type EffectKey struct {
	Kind EffectKind
	Job  events.JobID
	// Name tells effects of one kind and job apart; "" where there is one at a time.
	Name string
}

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

// Key implements Effect.
func (r Render) Key() EffectKey { return EffectKey{Kind: KindRender, Job: r.Job} }

// DeleteFile asks to delete a file. With Tell, the job waits for the ForgetFile that
// reports the deletion.
type DeleteFile struct {
	Account events.AccountID
	Job     events.JobID
	Name    string
	Tell    bool
}

// Key implements Effect.
func (d DeleteFile) Key() EffectKey {
	return EffectKey{Kind: KindDeleteFile, Job: d.Job, Name: d.Name}
}

// Pending is what a job's state alone asks for: a new owner of the job has it
// performed, as the owner before may not have.
func Pending(id events.JobID, s State) []Effect {
	switch s.Phase {
	case Queued:
		return []Effect{Render{Account: s.Account, Job: id, Content: s.Content, MaxFile: s.MaxFile, Lane: s.Lane}}
	case Expired:
		return []Effect{DeleteFile{Account: s.Account, Job: id, Name: s.File, Tell: true}}
	}
	return nil
}

// Changes is what to begin and what to forget when events take a job from one state
// to another. An effect is forgotten when nothing asks for it any more; one that is
// under way by then goes on.
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

// Hold is an effect that a node performs at the moment.
type Hold struct {
	Node events.NodeID
	// Lose is the command to send once the node is gone.
	Lose events.CommandBody
}

// Held is the effect of a job that some node performs; false when none does.
func Held(id events.JobID, s State) (Hold, bool) {
	if s.Phase != Rendering {
		return Hold{}, false
	}
	return Hold{Node: s.Node, Lose: events.LoseRender{Job: id, Attempt: s.Attempt}}, true
}
