package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/cluster"
	"platen.dev/actors/shard"
	"platen.dev/events"
)

// ready returns why the node should be sent no requests, nil if it should, and then a report.
func (n *Node) ready() (report string, err error) {
	if err := n.health(); err != nil {
		return "", err
	}
	return n.report(), nil
}

// health returns why the node cannot serve, nil if it can.
func (n *Node) health() error {
	if err := n.replica.Err(); err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	if err := n.log.Health(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if n.drain.left() {
		return errDraining
	}
	if err := n.checkClock(); err != nil || n.cluster == nil {
		return err
	}
	if err := n.cluster.MayOwn(len(n.shards.Status()) > 0); errors.Is(err, cluster.ErrClock) {
		return err
	}
	return nil
}

// report says for people what the node does, and what it has left.
func (n *Node) report() string {
	var b strings.Builder
	jobs, rendering := "accepted", "on"
	if err := n.space.forJobs(); err != nil {
		jobs = "refused: " + err.Error()
	}
	if n.renderer.Figures().Load.Suspended {
		rendering = "suspended; the log says why"
	}
	fmt.Fprintf(&b, "jobs: %s\nrendering: %s\n", jobs, rendering)
	shards := shardFiguresOf(n.shards).byState
	fmt.Fprintf(&b, "shards: %d serving, %d starting, %d halted\n", shards[shard.Serving], shards[shard.Starting], shards[shard.Halted])
	fmt.Fprintf(&b, "replica: %d records behind\n", n.replica.Lag())
	if n.replica.Outdated() {
		fmt.Fprintln(&b, "replica: rows of an earlier version serve until those of this one are built; this node owns no shards yet")
	}
	if held := n.clockHeld(); held != 0 {
		fmt.Fprintf(&b, "clock: the system's is %s ahead, and nothing confirms it; `platen admin clock`\n", time.Duration(held*float64(time.Second)).Round(time.Second))
	}
	if n.drain.waits() {
		fmt.Fprintln(&b, "drain: waits for another node that is not draining")
	}
	fmt.Fprintf(&b, "last append: %s\n", n.appends.last().Round(100*time.Microsecond))
	disks := slices.Clone(n.space.disks())
	slices.SortFunc(disks, func(a, b volume) int { return strings.Compare(a.name, b.name) })
	for _, d := range disks {
		fmt.Fprintf(&b, "disk of %s: %d MB free, reserve %d MB\n", d.name, d.free>>20, d.reserve>>20)
	}
	return b.String()
}

// foresee returns the reply that would refuse a job by what this node's replica has read.
func (n *Node) foresee(id events.AccountID, job events.SubmitJob) (events.Reply, bool) {
	return account.Foresee(account.StoreOf(n.replica, n.log.Partitions(), id), id, job, events.At(n.now()))
}
