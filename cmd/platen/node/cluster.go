package node

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/rate"
	"platen.dev/actors/render"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/service"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/events"
)

func (n *Node) startActors(context.Context) (err error) {
	logger := slog.New(actorLines{n.logger.Handler()})
	n.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }))
	// Promises are named by a counter. If it began at the same number with every start, a
	// reply to a command of the previous start would complete a new promise.
	n.system.ProcessRegistry.SequenceID = rand.Uint64() >> 1
	n.onClose("actors", func(context.Context) error { n.system.Shutdown(); return nil })
	if n.cfg.Cluster.Gossip == "" {
		return nil
	}
	n.ports.add(n.cfg.Cluster.Gossip, n.cfg.Cluster.Actors)
	if n.identity, err = n.cfg.Cluster.identity(n.logger); err != nil {
		return err
	}
	n.remote, err = cluster.StartRemote(n.system, cluster.RemoteConfig{
		Address: n.cfg.Cluster.Actors, Identity: n.identity, Logger: n.logger,
		Targets: []string{render.ActorName, rate.ActorName, shard.RepliesName, status.DeskName},
	})
	if err == nil {
		n.onClose("actor remoting", func(context.Context) error { n.remote.Close(); return nil })
	}
	return err
}

// Changes of the cluster reach the parts over the actor system's event stream.
type (
	nodeGone     events.NodeID
	peersChanged struct{}
)

// onCluster calls handle with every nodeGone and peersChanged until stop is called.
func (n *Node) onCluster(handle func(message any)) (stop func()) {
	sub := n.system.EventStream.Subscribe(handle)
	return func() { n.system.EventStream.Unsubscribe(sub) }
}

func (n *Node) startCluster(context.Context) (err error) {
	if n.cfg.Cluster.Gossip == "" {
		return nil
	}
	n.cluster, err = cluster.Join(cluster.Config{
		Node: n.id, Gossip: n.cfg.Cluster.Gossip, Join: n.cfg.Cluster.Join, Secrets: n.cfg.Cluster.roots(),
		Actors: n.system.Address(), Version: n.version,
		Gone:    func(id events.NodeID) { n.system.EventStream.Publish(nodeGone(id)) },
		Changed: func() { n.system.EventStream.Publish(peersChanged{}) },
		Logger:  n.logger, Now: n.now, System: n.wall,
	})
	if err != nil {
		return err
	}
	if n.steady != nil {
		n.steady.ask(n.cluster.SystemClock)
	}
	stop := n.onCluster(func(m any) {
		switch m.(type) {
		case nodeGone, peersChanged:
			n.addresses.set(n.cluster.Members())
		}
	})
	n.addresses.set(n.cluster.Members())
	n.onClose("cluster", func(context.Context) error { stop(); return n.cluster.Close() })
	return nil
}

// clockDifference is the largest difference between this node's clock and another's, in seconds.
func (n *Node) clockDifference() (largest float64) {
	if n.cluster == nil {
		return 0
	}
	for _, d := range n.cluster.ClockDifferences() {
		largest = max(largest, d.Abs().Seconds())
	}
	return largest
}

// peerFigures are when the certificate that the node shows expires, in seconds since 1970, and what
// it has refused at the port of its actors.
func (n *Node) peerFigures() (expiry float64, refused map[cluster.Refusal]int64) {
	if n.remote == nil {
		return 0, nil
	}
	if n.cfg.Cluster.CertFile != "" {
		expiry = float64(n.identity.Expires().Unix())
	}
	return expiry, n.remote.Refused()
}

// remoteActors is the address of another node's actors.
func (n *Node) remoteActors(id events.NodeID) (address string, up bool) {
	if n.cluster == nil {
		return "", false
	}
	return n.cluster.Actors(id)
}

// peers is the cluster as the renderer sees it.
type peers struct {
	self    events.NodeID
	cluster *cluster.Cluster
}

// Peers lists the other nodes. A node whose load cannot be decoded takes no jobs.
func (p peers) Peers() (others []dispatch.Peer) {
	for _, m := range p.cluster.Members() {
		if m.Node == p.self || m.Actors == "" {
			continue
		}
		load, _ := dispatch.DecodeLoad(m.Metadata)
		others = append(others, dispatch.Peer{Node: m.Node, Load: load})
	}
	return others
}

// Renderer is the renderer of another node; nil if the node is down.
func (p peers) Renderer(node events.NodeID) *actor.PID {
	address, up := p.cluster.Actors(node)
	if !up || address == "" {
		return nil
	}
	return render.PID(address)
}

// Tell publishes this node's load as its metadata.
func (p peers) Tell(l dispatch.Load) { p.cluster.SetMetadata(l.Encode()) }

// Nodes returns the nodes that are up, with what they can read.
func (n *Node) Nodes() []service.NodeLevel {
	var all []service.NodeLevel
	for _, m := range n.members() {
		all = append(all, service.NodeLevel{Node: m.Node, Version: m.Version, Level: m.Level, Address: m.Actors})
	}
	return all
}
