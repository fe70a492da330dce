package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/shard"
)

// health reports whether a node should be sent requests, and own partitions.
type health struct {
	clock   *nodeClock
	storage *storage
	engine  *engine
	peers   peers
}

// ready returns why the node should be sent no requests; if it should, nil and a report.
func (h health) ready() (report string, err error) {
	if err := h.check(); err != nil {
		return "", err
	}
	return h.report(), nil
}

// check returns why the node cannot serve, nil if it can.
func (h health) check() error {
	if err := h.storage.replica.Err(); err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	if err := h.storage.log.Health(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if h.engine.drain.now().Left() {
		return errDraining
	}
	if err := h.clock.check(); err != nil || h.peers.cluster == nil {
		return err
	}
	if err := h.peers.mayOwn(len(h.engine.shards.Status()) > 0); errors.Is(err, cluster.ErrClock) || errors.Is(err, cluster.ErrSecret) {
		return err
	}
	return nil
}

// errOutdated means that the node's rows have an earlier schema, on which nobody may decide.
var errOutdated = errors.New("the replica is being built for this version, and serves what it has meanwhile")

// mayOwn returns why the node should own no partitions, nil if it may. owning says whether it owns
// some.
func (h health) mayOwn(owning bool) error {
	if h.engine.drain.now().Left() {
		return errDraining
	}
	if h.storage.replica.Outdated() {
		return errOutdated
	}
	if err := h.clock.check(); err != nil {
		return err
	}
	return h.peers.mayOwn(owning)
}

// report describes for people what the node does, and its remaining capacity.
func (h health) report() string {
	var b strings.Builder
	s, e := h.storage, h.engine
	jobs, rendering := "accepted", "on"
	if err := s.space.forJobs(); err != nil {
		jobs = "refused: " + err.Error()
	}
	if e.renderer.Figures().Load.Suspended {
		rendering = "suspended; the log says why"
	}
	fmt.Fprintf(&b, "jobs: %s\nrendering: %s\n", jobs, rendering)
	shards := e.byState()
	fmt.Fprintf(&b, "shards: %d serving, %d starting, %d halted\n", shards[shard.Serving], shards[shard.Starting], shards[shard.Halted])
	fmt.Fprintf(&b, "replica: %d records behind\n", s.replica.Lag())
	if s.replica.Outdated() {
		fmt.Fprintln(&b, "replica: rows of an earlier version serve until those of this one are built; this node owns no shards yet")
	}
	if held := h.clock.held(); held != 0 {
		fmt.Fprintf(&b, "clock: the system's is %s ahead, and nothing confirms it; `platen admin clock`\n", time.Duration(held*float64(time.Second)).Round(time.Second))
	}
	if e.drain.now().Keeps {
		fmt.Fprintln(&b, "drain: waits for another node that is not draining")
	}
	fmt.Fprintf(&b, "last append: %s\n", s.log.appends.last().Round(100*time.Microsecond))
	disks := slices.Clone(s.space.disks())
	slices.SortFunc(disks, func(a, b volume) int { return strings.Compare(a.name, b.name) })
	for _, d := range disks {
		fmt.Fprintf(&b, "disk of %s: %d MB free, reserve %d MB\n", d.name, d.free>>20, d.reserve>>20)
		if d.inodes.total > 0 {
			fmt.Fprintf(&b, "inodes of %s: %d free, reserve %d\n", d.name, d.inodes.free, d.inodes.reserve)
		}
	}
	return b.String()
}
