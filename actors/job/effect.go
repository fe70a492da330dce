package job

import (
	"reflect"
	"slices"

	"platen.dev/events"
)

// Effect is something to do in the world for a job once the envelope that asks for it has been
// read back. It is performed at least once.
type Effect interface {
	// Key identifies the effect among all pending effects.
	Key() EffectKey
	effect() // seals the interface: each type here has a row in kinds
}

// EffectKind is the kind of an effect, for which there is one performer.
type EffectKind string

// The kinds of effects.
const (
	KindRender     EffectKind = "render"
	KindDeliver    EffectKind = "deliver"
	KindDeleteFile EffectKind = "delete file"
	KindNotify     EffectKind = "notify"
)

// kind describes one kind of effect.
type kind struct {
	name EffectKind
	// pending returns the effect if the job's state asks for it.
	pending func(id events.JobID, s State) (Effect, bool)
	// held returns the node that performs the effect at present; nil for a kind that the owner of the shard
	// performs itself.
	held func(id events.JobID, s State) (Hold, bool)
	// reports are the commands that report how the effect ended: a sender repeats them until they are durable.
	reports []events.CommandBody
}

// kinds has a row for every kind, in the order in which a job's effects are begun.
var kinds = []kind{
	{KindRender, renderPending, renderHeld, []events.CommandBody{events.StartRender{}, events.FinishRender{}, events.FailRender{}}},
	{KindDeliver, deliverPending, nil, []events.CommandBody{events.ReportUpload{}}},
	{KindDeleteFile, deletePending, nil, []events.CommandBody{events.ForgetFile{}}},
	{KindNotify, notifyPending, nil, []events.CommandBody{events.ReportWebhook{}}},
}

// Kinds returns all kinds of effects.
func Kinds() (all []EffectKind) {
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
}

// Reports reports whether a command says how an effect ended. Its sender repeats it until it is durable.
func Reports(body events.CommandBody) bool {
	of := reflect.TypeOf(body)
	return slices.ContainsFunc(kinds, func(k kind) bool {
		return slices.ContainsFunc(k.reports, func(r events.CommandBody) bool { return reflect.TypeOf(r) == of })
	})
}

// EffectKey identifies an effect.
type EffectKey struct {
	Kind EffectKind
	Job  events.JobID
	// Name distinguishes effects of the same kind and job. It is empty if there is at most one.
	Name string
}

// Pending returns the effects that a job's state asks for. A new owner of the job begins them
// all, because the previous owner may not have done so.
func Pending(id events.JobID, s State) (all []Effect) {
	for _, k := range kinds {
		if e, asked := k.pending(id, s); asked {
			all = append(all, e)
		}
	}
	return all
}

// Unsettled reports whether a new owner has to look at the job: something is pending, held by a
// node, or awaited.
func Unsettled(s State) bool {
	_, held := Held(events.JobID{}, s)
	return s.Active() || held || len(Pending(events.JobID{}, s)) > 0
}

// Changes returns the effects to begin, and the keys of those to forget, when evs take a job from
// one state to the next. An effect is forgotten once the state no longer asks for it; one already
// under way continues.
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
	if before.Active() && !after.Active() && before.Stored != "" { // the orphan sweep finds it if this is lost
		begin = append(begin, DeleteFile{Account: before.Account, Job: id, Name: before.Stored})
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
	for _, k := range kinds {
		if k.held == nil {
			continue
		}
		if h, held := k.held(id, s); held {
			return h, true
		}
	}
	return Hold{}, false
}
