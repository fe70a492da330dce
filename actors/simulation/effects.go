package simulation

import (
	"slices"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// effects plays the performers of a node, except the renderer, which is a machine of its
// own. Between the beginning of an effect and its performance the node may crash or lose
// the partition.
type effects struct {
	node    *node
	waiting []begun
}

// begun is an effect that was begun and is not performed yet.
type begun struct {
	partition int32
	effect    job.Effect
}

func (e *effects) begin(p int32, effect job.Effect) {
	if !slices.ContainsFunc(e.waiting, func(b begun) bool { return b.effect.Key() == effect.Key() }) {
		e.waiting = append(e.waiting, begun{p, effect})
	}
}

func (e *effects) forget(key job.EffectKey) {
	e.waiting = slices.DeleteFunc(e.waiting, func(b begun) bool { return b.effect.Key() == key })
}

func (e *effects) forgetAll(p int32) {
	e.waiting = slices.DeleteFunc(e.waiting, func(b begun) bool { return b.partition == p })
}

// step performs a random effect.
func (e *effects) step() {
	if len(e.waiting) == 0 {
		return
	}
	i := e.node.world.rng.IntN(len(e.waiting))
	b := e.waiting[i]
	e.waiting = slices.Delete(e.waiting, i, i+1)
	e.perform(b.effect)
}

// drain performs all effects.
func (e *effects) drain() {
	for len(e.waiting) > 0 {
		e.step()
	}
}

// perform performs an effect of any kind but job.KindRender.
func (e *effects) perform(effect job.Effect) {
	w := e.node.world
	switch effect := effect.(type) {
	case job.DeleteFile:
		delete(w.files, effect.Name)
		if effect.Report {
			w.send(w.commandAt(e.node.now(), effect.Account, events.ForgetFile{Job: effect.Job, Name: effect.Name}))
		}
	case job.Notify:
		e.node.notify(effect)
	case job.Deliver:
		e.node.upload(effect)
	default:
		panic("no performer of " + effect.Key().Kind)
	}
}
