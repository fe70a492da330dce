package main

import (
	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
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
