package node

import (
	"platen.dev/actors/service"
	"platen.dev/actors/status"
	"platen.dev/cmd/platen/admin"
)

// operations lets operators see and control a node.
type operations struct {
	base   *base
	keys   *keyring
	peers  peers
	engine *engine
	status *reporter
}

var (
	_ service.Node = (*operations)(nil)
	_ admin.Node   = (*operations)(nil)
)

// Nodes returns the nodes that are up, with what they can read.
func (o *operations) Nodes() []service.NodeLevel {
	var all []service.NodeLevel
	for _, m := range o.peers.members() {
		all = append(all, service.NodeLevel{Node: m.Node, Version: m.Version, Level: m.Level, Address: m.Actors})
	}
	return all
}

// Drain makes the node give up its work until Undrain or the end of the process: it is not ready from now
// on, begins no renders, hands over waiting jobs, and gives its partitions up within seconds. It still
// serves requests. It is refused if there is no other node to take over. If there is none later, the node
// takes its share back for that time.
func (o *operations) Drain() error { return o.engine.drain.begin() }

// Undrain ends Drain.
func (o *operations) Undrain() { o.engine.drain.end() }

// Drainage returns how far the drain has come.
func (o *operations) Drainage() service.Drainage {
	load, told := o.engine.renderer.Figures().Load, o.engine.drain.now()
	d := service.Drainage{Draining: told.Told, Kept: told.Keeps, Partitions: len(o.engine.shards.Status())}
	for lane := range load.Queued {
		d.Waiting += load.Queued[lane]
		d.Running += load.Running[lane]
	}
	return d
}

// Status reports on all nodes.
func (o *operations) Status() status.Report { return o.status.report() }

// Clock shows the clock that the node goes by.
func (o *operations) Clock() admin.ClockState { return o.base.clock.show() }

// AcceptClock makes the node go by the system's clock.
func (o *operations) AcceptClock() admin.ClockState {
	o.base.clock.accept()
	return o.base.clock.show()
}

// RotateSeal makes the node seal with a new secret from now on. Earlier sealed values can still be
// opened.
func (o *operations) RotateSeal() error { return o.keys.rotate() }
