package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/cluster"
	"platen.dev/actors/job"
	"platen.dev/actors/rate"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections/publish"
)

// ReplyTimeout is how long the edge waits for a reply; a shard changes hands within it.
const ReplyTimeout = 10 * time.Second

// startPublisher starts what publishes the events of the partitions that the node owns.
func (n *Node) startPublisher(context.Context) error {
	n.publisher = publish.New(publish.Config{Log: n.log, Logger: n.logger, Begin: n.source.Begin})
	n.onClose("public events", func(context.Context) error { n.publisher.Close(); return nil })
	return nil
}

// publishing returns what publishes a partition from now on.
func (n *Node) publishing() func(partition int32) (stop func()) {
	if n.hold {
		n.logger.Warn("public events are held back, and so is the usage ledger, until a start without PLATEN_HOLD_EVENTS")
		return func(int32) func() { return func() {} }
	}
	return n.publisher.Start
}

// lastPublished returns the highest number among the public events of a partition.
func (n *Node) lastPublished(ctx context.Context, partition int32) (int64, error) {
	return publish.Last(ctx, n.log, partition)
}

func (n *Node) startShards(context.Context) (err error) {
	nodes, mayOwn := n.nodes()
	n.shards, err = shard.Start(n.system, shard.Config{
		Node: n.id, Version: n.version, Log: n.log, Replica: n.replica, Nodes: nodes, MayOwn: n.unlessDraining(n.unlessUnfit(mayOwn)), Logger: n.logger, Now: n.now, Latest: n.latest,
		TrimCommands: n.cfg.embeddedLog(), Publish: n.publishing(), Published: n.lastPublished, Traces: n.traces,
		Effects: shard.Performers{
			job.KindRender: n.renderer, job.KindDeleteFile: n.deleter, job.KindNotify: n.notifier, job.KindDeliver: n.uploader,
		},
		Failed: func(err error) { n.fail(fmt.Errorf("shards: %w", err)) },
	})
	if err != nil {
		return err
	}
	stop := n.onCluster(func(m any) {
		if gone, ok := m.(nodeGone); ok {
			n.shards.NodeGone(events.NodeID(gone))
		}
	})
	n.onClose("shards", func(context.Context) error { stop(); return n.shards.Close() })
	n.gateway, err = shard.NewGateway(shard.GatewayConfig{Log: n.log, Replica: n.replica, System: n.system, Patience: ReplyTimeout, Now: n.now})
	return err
}

// errOutdated means that the node's rows are of an earlier schema, on which nobody may decide.
var errOutdated = errors.New("the replica is being built for this version, and serves what it has meanwhile")

// unlessUnfit returns what says whether this node may own partitions: mayOwn does, which may be nil,
// once the rows are of this version and the clock has reached the records.
func (n *Node) unlessUnfit(mayOwn func(owning bool) error) func(owning bool) error {
	return func(owning bool) error {
		if n.replica.Outdated() {
			return errOutdated
		}
		if err := n.checkClock(); err != nil {
			return err
		}
		if mayOwn == nil {
			return nil
		}
		return mayOwn(owning)
	}
}

// nodes returns who knows which nodes are up, and what says whether this one may own
// partitions. The brokers are asked from now on until the node closes.
func (n *Node) nodes() (shard.Nodes, func(owning bool) error) {
	if n.cluster == nil {
		return cluster.Single(n.id), nil
	}
	log, ok := n.log.(measuredLog).Log.(groupLog)
	if !ok {
		return n.cluster, n.cluster.MayOwn
	}
	l := &liveness{cluster: n.cluster, log: log, gone: func(id events.NodeID) { n.system.EventStream.Publish(nodeGone(id)) }}
	l.look(context.Background())
	n.periodically("liveness", membersInterval, l.look)
	return l, n.cluster.MayOwn
}

func (n *Node) startRates(context.Context) (err error) {
	n.limiter, err = rate.Start(rate.Config{
		Self: n.id, System: n.system, Logger: n.logger, Now: n.now,
		Owner: func(id events.AccountID) events.NodeID {
			return n.replica.Owner(events.Partition(id, n.log.Partitions()))
		},
		Address: n.remoteActors,
	})
	if err == nil {
		n.onClose("request rates", func(context.Context) error { n.limiter.Close(); return nil })
	}
	return err
}

// rate counts a request of an account.
func (n *Node) rate(id events.AccountID, plan events.Plan) events.Rate {
	limits, _ := account.LimitsOf(plan)
	return n.limiter.Take(id, limits.RequestsPerMinute)
}
