package simulation

import (
	"platen.dev/actors/job"
	"platen.dev/events"
)

// handedOver is a job that another node took: the dispatcher of actors/render
// without its mailbox.
type handedOver struct {
	effect job.Render
	to     events.NodeID
}

// handOver may give a job to another node. That may refuse it, be silent and not have
// it, or be silent and have it: then the job is begun here too.
func (n *node) handOver(e job.Render) bool {
	w := n.world
	to := w.nodes[w.rng.IntN(len(w.nodes))]
	if !w.chance(50) || to == n || to.paused {
		return false
	}
	if _, known := to.renders[e.Job]; known || w.chance(20) {
		return false
	}
	to.begin(e)
	if w.chance(20) { // the answer comes too late
		return false
	}
	n.away[e.Job] = handedOver{e, to.id}
	return true
}

// takeBack begins what was handed over to a node that is gone, and at times, as
// patience ends, what another still has.
func (n *node) takeBack() {
	if n.world.rules.ForgetHandovers {
		return
	}
	for _, id := range inOrder(n.away) {
		h := n.away[id]
		if !n.world.gone(h.to) && !n.world.chance(5) {
			continue
		}
		delete(n.away, id)
		if _, known := n.renders[id]; !known { // as another node's job, which then does for both
			n.begin(h.effect)
		}
	}
}

// drop is the node's side of shard.Performer.
func (n *node) drop(p int32) {
	for id, h := range n.away {
		if events.Partition(h.effect.Account, partitions) == p {
			delete(n.away, id)
		}
	}
}

// begun is the node's side of shard.Performer.
func (n *node) begun(evs []events.Event) {
	for _, ev := range evs {
		if e, ok := ev.(events.RenderStarted); ok {
			delete(n.away, e.Job)
		}
	}
}
