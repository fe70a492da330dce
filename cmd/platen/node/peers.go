package node

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// peers is the cluster as seen by a node, which may be alone.
type peers struct {
	self    events.NodeID
	version string
	secret  string           // the name of this node's oldest secret
	cluster *cluster.Cluster // nil if the node is alone
}

// members returns the nodes that are up, including this one.
func (p peers) members() []cluster.Member {
	if p.cluster == nil {
		return []cluster.Member{{Node: p.self, Level: events.NewestLevel, Version: p.version}}
	}
	return p.cluster.Members()
}

// down returns the nodes that went down.
func (p peers) down() []cluster.Down {
	if p.cluster == nil {
		return nil
	}
	return p.cluster.Down()
}

// actors returns the address of another node's actors.
func (p peers) actors(id events.NodeID) (address string, up bool) {
	if p.cluster == nil {
		return "", false
	}
	return p.cluster.Actors(id)
}

// clockDifference returns the largest difference between this node's clock and another's, in seconds.
func (p peers) clockDifference() (largest float64) {
	if p.cluster == nil {
		return 0
	}
	for _, d := range p.cluster.ClockDifferences() {
		largest = max(largest, d.Abs().Seconds())
	}
	return largest
}

// mayOwn returns the cluster's reason why this node should own no partitions, nil if it may. owning says whether it owns some.
func (p peers) mayOwn(owning bool) error {
	if p.cluster == nil {
		return nil
	}
	return p.cluster.MayOwn(owning)
}

// current returns the time up to which every live node has folded the journal, given this one's; zero if a node has not reported it.
func (p peers) current(ours time.Time) time.Time {
	for _, m := range p.members() {
		if m.Node != p.self && m.Current.Before(ours) {
			ours = m.Current
		}
	}
	return ours
}

// setCurrent tells the others the time up to which this node has folded the journal.
func (p peers) setCurrent(at time.Time) {
	if p.cluster != nil {
		p.cluster.SetCurrent(at)
	}
}

// Peers lists the other nodes that can open what this one has sealed. A node whose load cannot be decoded takes no jobs.
func (p peers) Peers() (others []dispatch.Peer) {
	for _, m := range p.members() {
		if m.Node == p.self || m.Actors == "" || m.OldestSecret != "" && m.OldestSecret != p.secret {
			continue
		}
		load, _ := dispatch.DecodeLoad(m.Metadata)
		others = append(others, dispatch.Peer{Node: m.Node, Load: load})
	}
	return others
}

// Renderer returns the renderer of another node; nil if the node is down.
func (p peers) Renderer(node events.NodeID) *actor.PID {
	address, up := p.actors(node)
	if !up || address == "" {
		return nil
	}
	return render.PID(address)
}

// Tell publishes this node's load as its metadata.
func (p peers) Tell(l dispatch.Load) { p.cluster.SetMetadata(l.Encode()) }
