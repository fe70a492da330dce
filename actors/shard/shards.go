package shard

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// Group is the consumer group that assigns partitions to nodes.
const Group = "platen-shards"

const (
	// respawnDelay is the pause between the end of a host and the start of the next one
	// for a partition that is still held. It doubles with every host that lasted less
	// than calm, up to maxStrikes times: two nodes that both believe they hold a
	// partition must not supersede each other endlessly.
	respawnDelay = 500 * time.Millisecond
	maxStrikes   = 4
	calm         = 30 * time.Second
	// resignLimit bounds how long hosts may take to finish what they have under way.
	resignLimit = 3 * time.Second
)

// Shards runs one Host for each partition that this node holds.
type Shards struct {
	system     *actor.ActorSystem
	pid        *actor.PID
	membership *membership
	board      *board
}

// Start joins the group as soon as the node may own partitions, and runs a host for each one
// that it is assigned. Every kind of effect must have a performer.
func Start(system *actor.ActorSystem, cfg Config) (*Shards, error) {
	for _, kind := range job.Kinds() {
		if cfg.Effects[kind] == nil {
			return nil, fmt.Errorf("no performer of the effect %q", kind)
		}
	}
	b := newBoard()
	pid, err := system.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor {
		return &supervisor{cfg: cfg, board: b, hosts: map[int32]*actor.PID{}, former: map[int32]*actor.PID{}, spawns: map[int32]spawned{}}
	}, actor.WithSupervisor(onFailure(actor.StopDirective))), "shards")
	if err != nil {
		return nil, err
	}
	s := &Shards{system: system, pid: pid, board: b}
	s.membership, err = join(cfg, s)
	if err != nil {
		return nil, errors.Join(err, system.Root.PoisonFuture(pid).Wait())
	}
	return s, nil
}

// onFailure decides what to do about a child that panics. A host is stopped, not restarted: its successor begins a new epoch. If an account's actor
// panics, its host is stopped too, as it would wait for the decision forever.
func onFailure(directive actor.Directive) actor.SupervisorStrategy {
	return actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return directive })
}

// Close hands every partition over and leaves the group.
func (s *Shards) Close() error {
	err := s.membership.close()
	return errors.Join(err, s.system.Root.PoisonFuture(s.pid).Wait())
}

// NodeGone tells the hosts that a node is down: its renders are lost.
func (s *Shards) NodeGone(node events.NodeID) { s.system.Root.Send(s.pid, NodeGone{node}) }

// Assigned implements eventlog.Owner.
func (s *Shards) Assigned(partitions []int32) {
	s.system.Root.Send(s.pid, assign{partitions})
}

// Revoked implements eventlog.Owner. It returns when the hosts have finished what they
// had under way, or after resignLimit.
func (s *Shards) Revoked(partitions []int32) {
	done := make(chan struct{})
	s.system.Root.Send(s.pid, give{partitions, done})
	select {
	case <-done:
	case <-time.After(resignLimit):
		s.Lost(partitions)
	}
}

// Lost implements eventlog.Owner.
func (s *Shards) Lost(partitions []int32) { s.system.Root.Send(s.pid, drop{partitions}) }

// Messages from Shards to its supervisor.
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
	cfg   Config
	board *board
	hosts map[int32]*actor.PID // nil while a held partition waits for its next host
	// former are the hosts of partitions that were given up, until they have ended: they must not withdraw effects that the next host has begun.
	former map[int32]*actor.PID
	spawns map[int32]spawned // of the partitions held
	gives  []*giving
}

// spawned describes a partition's last host: when it started, and how many hosts in a row
// before it did not last.
type spawned struct {
	at      time.Time
	strikes int
}

// giving is a revocation that waits for hosts to stop.
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
	case proceed:
		if pid := s.hosts[m.partition]; pid != nil {
			ctx.Send(pid, m)
		}
	case *actor.Terminated:
		s.onTerminated(ctx, m.Who)
	}
}

func (s *supervisor) spawn(ctx actor.Context, partition int32) {
	if s.hosts[partition] != nil {
		return
	}
	if s.former[partition] != nil {
		s.hosts[partition] = nil
		return
	}
	s.spawns[partition] = spawned{s.cfg.Now(), s.spawns[partition].strikes}
	s.hosts[partition] = ctx.Spawn(actor.PropsFromProducer(
		func() actor.Actor { return newHost(s.cfg, partition, s.board) },
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

// onDrop stops hosts at once, including those that are resigning.
func (s *supervisor) onDrop(ctx actor.Context, m drop) {
	for _, p := range m.partitions {
		s.forget(p)
	}
	s.cfg.Logger.Warn("shards lost", "count", len(m.partitions), "held", len(s.hosts))
	for _, pid := range s.former {
		ctx.Stop(pid)
	}
}

func (s *supervisor) onTerminated(ctx actor.Context, who *actor.PID) {
	for p, pid := range s.former {
		if pid.Equal(who) {
			delete(s.former, p)
			if _, held := s.hosts[p]; held {
				s.spawn(ctx, p)
			}
		}
	}
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

// forget notes that a partition was given up.
func (s *supervisor) forget(partition int32) {
	if pid := s.hosts[partition]; pid != nil {
		s.former[partition] = pid
	}
	delete(s.hosts, partition)
	delete(s.spawns, partition)
}

// strike counts the end of a partition's host and returns how long to wait before
// starting the next.
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
