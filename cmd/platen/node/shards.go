package node

import (
	"context"
	"fmt"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/rate"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections/publish"
)

// ReplyTimeout is how long the edge waits for a reply; a shard changes hands within it.
const ReplyTimeout = 10 * time.Second

// startPublisher starts the publisher of events for the partitions that the node owns.
func startPublisher(b *base, s *storage) *publish.Publisher {
	publisher := publish.New(publish.Config{Log: s.log, Logger: b.logger, Begin: s.snapshots.Begin})
	b.onClose("public events", func(context.Context) error { publisher.Close(); return nil })
	return publisher
}

// publishing returns a function that publishes a partition from now on, or does nothing if events are
// held back.
func publishing(b *base, publisher *publish.Publisher, hold bool) func(partition int32) (stop func()) {
	if hold {
		b.logger.Warn("public events are held back, and so is the usage ledger, until a start without PLATEN_HOLD_EVENTS")
		return func(int32) func() { return func() {} }
	}
	return publisher.Start
}

// startShards begins to own partitions, and to send commands to the owners of others.
func startShards(b *base, s *storage, net *network, e *engine, hold bool) (err error) {
	e.shards, err = shard.Start(net.system, shard.Config{
		Node: b.id, Version: b.version, Log: s.log, Replica: s.replica, Nodes: watchNodes(b, s.log, net), Logger: b.logger, Now: b.clock.Now, Latest: b.clock.Latest,
		MayOwn: health{b.clock, s, e, net.peers}.mayOwn, TrimCommands: b.cfg.embeddedLog(), Effects: e.effects, Traces: b.traces,
		Publish:   publishing(b, e.publisher, hold),
		Published: func(ctx context.Context, p int32) (int64, error) { return publish.Last(ctx, s.log, p) },
		Failed:    func(err error) { b.fail(fmt.Errorf("shards: %w", err)) },
	})
	if err != nil {
		return err
	}
	stop := net.onChange(func(m any) {
		if gone, ok := m.(nodeGone); ok {
			e.shards.NodeGone(events.NodeID(gone))
		}
	})
	b.onClose("shards", func(context.Context) error { stop(); return e.shards.Close() })
	e.gateway, err = shard.NewGateway(shard.GatewayConfig{Log: s.log, Replica: s.replica, System: net.system, Patience: ReplyTimeout, Now: b.clock.Now})
	return err
}

// served returns the partitions that the node serves.
func (e *engine) served() (all []int32) {
	for _, s := range e.shards.Status() {
		if s.State == shard.Serving {
			all = append(all, s.Partition)
		}
	}
	return all
}

// byState counts the partitions that the node owns.
func (e *engine) byState() map[shard.State]int {
	all := map[shard.State]int{}
	for _, s := range e.shards.Status() {
		all[s.State]++
	}
	return all
}

// watchNodes returns a view of which nodes are up. From now on it asks the brokers until the node closes.
func watchNodes(b *base, log measuredLog, net *network) shard.Nodes {
	if net.peers.cluster == nil {
		return cluster.Single(b.id)
	}
	brokers, ok := log.Log.(groupLog)
	if !ok {
		return net.peers.cluster
	}
	l := &liveness{cluster: net.peers.cluster, log: brokers, gone: func(id events.NodeID) { net.system.EventStream.Publish(nodeGone(id)) }}
	l.look(context.Background())
	b.periodically("liveness", membersInterval, l.look)
	return l
}

// startRates begins to count requests.
func startRates(b *base, s *storage, net *network) (*rate.Limiter, error) {
	limiter, err := rate.Start(rate.Config{
		Self: b.id, System: net.system, Logger: b.logger, Now: b.clock.Now, Address: net.peers.actors,
		Owner: func(id events.AccountID) events.NodeID {
			return s.replica.Owner(events.Partition(id, s.log.Partitions()))
		},
	})
	if err == nil {
		b.onClose("request rates", func(context.Context) error { limiter.Close(); return nil })
	}
	return limiter, err
}
