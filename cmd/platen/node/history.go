package node

import (
	"context"
	"os"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/publish"
)

// startSnapshots opens the store of snapshots, with which a replica may have to begin.
func (n *Node) startSnapshots(ctx context.Context) (err error) {
	if n.snapshots, err = n.openFiles(ctx, "snapshots", n.cfg.snapshotFiles()); err != nil {
		return err
	}
	n.source = &history.Source{Files: n.snapshots, Log: n.log, Logger: n.logger}
	return nil
}

func folds() []projections.Projection {
	return []projections.Projection{account.States{}, projections.ReadModels{}}
}

// startHistory begins to take snapshots of the partitions that the node owns, and to trim behind them.
func (n *Node) startHistory(context.Context) error {
	if err := os.RemoveAll(n.cfg.scratchDir()); err != nil {
		return err
	}
	n.history = history.New(history.Config{
		Policy: n.cfg.History.policy(), Files: n.snapshots, Log: n.log, Replica: n.replica, Projections: folds(),
		Scratch: n.cfg.scratchDir(), BytesPerSecond: int64(n.cfg.History.MBPerSecond) << 20,
		Owned: n.owned, Current: n.current, Room: n.space.forJobs, Consumed: n.consumed(),
		Published: func(ctx context.Context, p int32) (int64, int64, error) { return publish.Needs(ctx, n.log, p) },
		Node:      string(n.id), Version: n.version, Now: n.now, Logger: n.logger,
	})
	n.periodically("history", history.Interval, func(ctx context.Context) {
		if n.cluster != nil {
			n.cluster.SetCurrent(n.replica.Current())
		}
		if n.cfg.History.Snapshots > 0 {
			n.history.Look(ctx)
		}
	})
	return nil
}

// owned returns the partitions that the node serves.
func (n *Node) owned() (all []int32) {
	for _, s := range n.shards.Status() {
		if s.State == shard.Serving {
			all = append(all, s.Partition)
		}
	}
	return all
}

// current returns up to when all nodes that are up have folded the journal; zero if one has not said.
func (n *Node) current() time.Time {
	least := n.replica.Current()
	if n.cluster == nil {
		return least
	}
	for _, m := range n.cluster.Members() {
		if m.Node != n.id && m.Current.Before(least) {
			least = m.Current
		}
	}
	return least
}

// consumed returns what says how far the ledger has read public events. It is nil if they must be kept:
// a node that comes to a cluster without ClickHouse fills a ledger of its own with all of them.
func (n *Node) consumed() func(context.Context, int32) (int64, error) {
	if !n.cfg.embeddedLog() && n.cfg.ClickHouse == "" {
		return nil
	}
	return func(ctx context.Context, p int32) (int64, error) { return n.ledger.Next(ctx, events.TopicEvents, p) }
}
