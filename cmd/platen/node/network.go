package node

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/cluster/pki"
	"platen.dev/actors/rate"
	"platen.dev/actors/render"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/events"
)

// network holds how the node is reached, and the nodes it knows.
type network struct {
	front  *front
	guard  *guard
	system *actor.ActorSystem
	remote *cluster.Remote // nil when the node is alone
	// identity is from files; nil if it is derived from the secret.
	identity *pki.Identity
	peers    peers
}

func newNetwork(cfg Config) network {
	return network{front: &front{cfg: cfg.APIConfig}, guard: newGuard(cfg)}
}

// startActors starts the actor system and, in a cluster, its port.
func startActors(b *base, net *network) error {
	logger := slog.New(actorLines{b.logger.Handler()})
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }))
	// Promises are named by a counter. If it began at the same number at every start, a reply to a
	// command of the previous start could complete a new promise.
	system.ProcessRegistry.SequenceID = rand.Uint64() >> 1
	net.system = system
	b.onClose("actors", func(context.Context) error { system.Shutdown(); return nil })
	c := b.cfg.Cluster
	if c.Gossip == "" {
		return nil
	}
	net.guard.own.add(c.Gossip, c.Actors)
	identity, err := c.identity(b.logger)
	if err != nil {
		return err
	}
	if c.CertFile != "" {
		net.identity = identity
	}
	net.remote, err = cluster.StartRemote(system, cluster.RemoteConfig{
		Address: c.Actors, Identity: identity, Logger: b.logger,
		Targets: []string{render.ActorName, rate.ActorName, shard.RepliesName, status.DeskName},
	})
	if err == nil {
		b.onClose("actor remoting", func(context.Context) error { net.remote.Close(); return nil })
	}
	return err
}

// Changes of the cluster reach the parts over the actor system's event stream.
type (
	nodeGone     events.NodeID
	peersChanged struct{}
)

// onChange calls handle with every nodeGone and peersChanged until stop is called.
func (n *network) onChange(handle func(message any)) (stop func()) {
	sub := n.system.EventStream.Subscribe(handle)
	return func() { n.system.EventStream.Unsubscribe(sub) }
}

// joinCluster begins to gossip, unless the node is alone.
func joinCluster(b *base, s *storage, net *network) (peers, error) {
	all := peers{self: b.id, version: b.version, secret: s.keys.OldestName()}
	c := b.cfg.Cluster
	if c.Gossip == "" {
		return all, nil
	}
	joined, err := cluster.Join(cluster.Config{
		Node: b.id, Gossip: c.Gossip, Join: c.Join, Secrets: c.roots(), OldestSecret: all.secret, Actors: net.system.Address(), Version: b.version,
		Gone:    func(id events.NodeID) { net.system.EventStream.Publish(nodeGone(id)) },
		Changed: func() { net.system.EventStream.Publish(peersChanged{}) },
		Logger:  b.logger, Now: b.clock.Now, System: b.clock.wall,
	})
	if err != nil {
		return all, err
	}
	b.clock.ask(joined.SystemClock)
	stop := net.onChange(func(m any) {
		switch m.(type) {
		case nodeGone, peersChanged:
			net.guard.nodes.set(joined.Members())
		}
	})
	net.guard.nodes.set(joined.Members())
	b.onClose("cluster", func(context.Context) error { stop(); return joined.Close() })
	all.cluster = joined
	return all, nil
}
