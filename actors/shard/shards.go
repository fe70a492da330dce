package shard

import (
	"errors"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Group is the consumer group whose assignment says which node owns which partition.
const Group = "platen-shards"

const (
	// respawnDelay is how long a partition that is still held waits for its next
	// host after one has given up. It doubles, up to maxStrikes times, with every
	// host that did not last for calm: two nodes that both believe they hold a
	// partition must not supersede each other without end.
	respawnDelay = 500 * time.Millisecond
	maxStrikes   = 4
	calm         = 30 * time.Second
	// resignLimit is how long hosts may take to finish what they have under way.
	resignLimit = 3 * time.Second
)

// Shards keeps one Host per partition that this node holds.
type Shards struct {
	system     *actor.ActorSystem
	pid        *actor.PID
	membership eventlog.Membership
}

// Start joins the group and runs hosts for what it assigns.
func Start(system *actor.ActorSystem, cfg Config) (*Shards, error) {
	pid, err := system.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor {
		return &supervisor{cfg: cfg, hosts: map[int32]*actor.PID{}, spawns: map[int32]spawned{}}
	}, actor.WithSupervisor(onFailure(actor.StopDirective))), "shards")
	if err != nil {
		return nil, err
	}
	s := &Shards{system: system, pid: pid}
	s.membership, err = cfg.Log.Own(Group, events.TopicCommands, s)
	if err != nil {
		return nil, errors.Join(err, system.Root.PoisonFuture(pid).Wait())
	}
	return s, nil
}

// onFailure says what becomes of a child that panics. A host is stopped, not
// restarted: its successor begins a new epoch. An account's actor takes its host
// along, for which its decision would never come.
func onFailure(directive actor.Directive) actor.SupervisorStrategy {
	return actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return directive })
}

// Close hands every partition over and leaves the group.
func (s *Shards) Close() error {
	err := s.membership.Close()
	return errors.Join(err, s.system.Root.PoisonFuture(s.pid).Wait())
}

// NodeGone tells the hosts that a node is down: what it rendered is lost.
func (s *Shards) NodeGone(node events.NodeID) { s.system.Root.Send(s.pid, NodeGone{node}) }

// Assigned is a call of eventlog.Owner.
func (s *Shards) Assigned(partitions []int32) {
	s.system.Root.Send(s.pid, assign{partitions})
}

// Revoked is a call of eventlog.Owner; it returns when the hosts have finished what
// they had under way, or after a few seconds.
func (s *Shards) Revoked(partitions []int32) {
	done := make(chan struct{})
	s.system.Root.Send(s.pid, give{partitions, done})
	select {
	case <-done:
	case <-time.After(resignLimit):
		s.Lost(partitions)
	}
}

// Lost is a call of eventlog.Owner.
func (s *Shards) Lost(partitions []int32) { s.system.Root.Send(s.pid, drop{partitions}) }

// Messages of Shards to its supervisor.
type (
	assign struct{ partitions []int32 }
	give   struct {
		partitions []int32
		done       chan struct{}
	}
	drop    struct{ partitions []int32 }
	respawn struct{ partition int32 }
)

// supervisor is the parent of the hosts.
type supervisor struct {
	cfg    Config
	hosts  map[int32]*actor.PID // nil while a held partition waits for its next host
	spawns map[int32]spawned    // of the partitions held
	gives  []*giving
}

// spawned tells of a partition's last host: when it began, and how many before
// it did not last.
type spawned struct {
	at      time.Time
	strikes int
}

// giving is a hand-over that waits for hosts to stop.
type giving struct {
	left []*actor.PID
	done chan struct{}
}

// Receive dispatches.
func (s *supervisor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case assign:
		for _, p := range m.partitions {
			s.spawn(ctx, p)
		}
		s.cfg.Logger.Info("shards assigned", "count", len(m.partitions), "held", len(s.hosts))
	case respawn:
		if pid, held := s.hosts[m.partition]; held && pid == nil {
			s.spawn(ctx, m.partition)
		}
	case give:
		s.onGive(ctx, m)
	case drop:
		s.onDrop(ctx, m)
	case NodeGone:
		for _, pid := range s.hosts {
			if pid != nil {
				ctx.Send(pid, m)
			}
		}
	case *actor.Terminated:
		s.onTerminated(ctx, m.Who)
	}
}

func (s *supervisor) spawn(ctx actor.Context, partition int32) {
	if s.hosts[partition] != nil {
		return
	}
	s.spawns[partition] = spawned{s.cfg.Now(), s.spawns[partition].strikes}
	s.hosts[partition] = ctx.Spawn(actor.PropsFromProducer(
		func() actor.Actor { return NewHost(s.cfg, partition) },
		actor.WithSupervisor(onFailure(actor.EscalateDirective))))
}

func (s *supervisor) onGive(ctx actor.Context, m give) {
	g := &giving{done: m.done}
	for _, p := range m.partitions {
		if pid := s.hosts[p]; pid != nil {
			g.left = append(g.left, pid)
			ctx.Send(pid, Resign{})
		}
		s.forget(p)
	}
	s.cfg.Logger.Info("shards handed over", "count", len(m.partitions), "held", len(s.hosts))
	if len(g.left) == 0 {
		close(g.done)
		return
	}
	s.gives = append(s.gives, g)
}

// onDrop stops hosts at once, also those that are resigning.
func (s *supervisor) onDrop(ctx actor.Context, m drop) {
	for _, p := range m.partitions {
		if pid := s.hosts[p]; pid != nil {
			ctx.Stop(pid)
		}
		s.forget(p)
	}
	s.cfg.Logger.Warn("shards lost", "count", len(m.partitions), "held", len(s.hosts))
	for _, g := range s.gives {
		for _, pid := range g.left {
			ctx.Stop(pid)
		}
	}
}

func (s *supervisor) onTerminated(ctx actor.Context, who *actor.PID) {
	for p, pid := range s.hosts {
		if pid != nil && pid.Equal(who) {
			s.hosts[p] = nil
			self, root := ctx.Self(), ctx.ActorSystem().Root
			time.AfterFunc(s.strike(p), func() { root.Send(self, respawn{p}) })
		}
	}
	for i := len(s.gives) - 1; i >= 0; i-- {
		g := s.gives[i]
		g.left = slices.DeleteFunc(g.left, func(pid *actor.PID) bool { return pid.Equal(who) })
		if len(g.left) == 0 {
			close(g.done)
			s.gives = slices.Delete(s.gives, i, i+1)
		}
	}
}

func (s *supervisor) forget(partition int32) {
	delete(s.hosts, partition)
	delete(s.spawns, partition)
}

// strike counts the end of a partition's host, and says how long to wait for the next.
func (s *supervisor) strike(partition int32) time.Duration {
	last := s.spawns[partition]
	if s.cfg.Now().Sub(last.at) >= calm {
		last.strikes = 0
	}
	delay := respawnDelay << min(last.strikes, maxStrikes)
	last.strikes++
	s.spawns[partition] = last
	return delay
}
