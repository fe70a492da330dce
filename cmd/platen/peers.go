package main

import (
	"net/netip"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/actors/render/dispatch"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
)

// peers is the cluster as the renderer sees it.
type peers struct {
	self    events.NodeID
	cluster *cluster.Cluster
}

// Peers lists the other nodes. One whose load is not understood takes no jobs.
func (p peers) Peers() (others []dispatch.Peer) {
	for _, m := range p.cluster.Members() {
		if m.Node == p.self || m.Actors == "" {
			continue
		}
		load, _ := dispatch.DecodeLoad(m.Note)
		others = append(others, dispatch.Peer{Node: m.Node, Load: load})
	}
	return others
}

// Renderer is where the renderer of a node is found.
func (p peers) Renderer(node events.NodeID) *actor.PID {
	address, up := p.cluster.Actors(node)
	if !up || address == "" {
		return nil
	}
	return render.PID(address)
}

// Tell has the others told this node's load.
func (p peers) Tell(l dispatch.Load) { p.cluster.Note(l.Encode()) }

// roster is where the nodes of a cluster are on the public internet. Documents may
// not go there: the nodes may trust one another's addresses. It may be used from
// any goroutine.
type roster struct {
	mu  sync.RWMutex
	all map[netip.Addr]bool
}

// set replaces the addresses by those of the members. Private ones are left out:
// they are refused already, unless the operator says otherwise.
func (r *roster) set(members []cluster.Member) {
	all := map[netip.Addr]bool{}
	for _, m := range members {
		actors, _ := netip.ParseAddrPort(m.Actors) // a name goes by the address of its gossip
		for _, addr := range []netip.Addr{m.Gossip, actors.Addr().Unmap()} {
			if egress.IsPublic(addr) {
				all[addr] = true
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = all
}

// has tells whether a node is at an address.
func (r *roster) has(addr netip.Addr) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[addr]
}
