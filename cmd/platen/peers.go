package main

import (
	"net/netip"
	"sync"

	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
)

// peers is the cluster as the renderer sees it.
type peers struct {
	self    events.NodeID
	cluster *cluster.Cluster
}

// Peers lists the other nodes. One whose load is not understood takes no jobs.
func (p peers) Peers() (others []render.Peer) {
	for _, m := range p.cluster.Members() {
		if m.Node == p.self || m.Actors == "" {
			continue
		}
		load, _ := render.DecodeLoad(m.Note)
		others = append(others, render.Peer{Node: m.Node, Renderer: render.PID(m.Actors), Load: load})
	}
	return others
}

// Tell has the others told this node's load.
func (p peers) Tell(l render.Load) { p.cluster.Note(l.Encode()) }

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
