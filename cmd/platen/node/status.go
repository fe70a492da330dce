package node

import (
	"cmp"
	"context"
	"slices"
	"time"

	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/events"
)

// How many accounts, and unserved partitions, a node names.
const (
	namedAccounts = 16
	namedUnserved = 32
)

// reporter describes a node, and reports on all nodes.
type reporter struct {
	*base
	storage *storage
	network *network
	engine  *engine
	upkeep  *upkeep
	health  health
	desk    *status.Desk
}

// startStatus begins to answer other nodes' requests for this one's status.
func startStatus(b *base, s *storage, net *network, e *engine, up *upkeep) (r *reporter, err error) {
	r = &reporter{base: b, storage: s, network: net, engine: e, upkeep: up, health: health{b.clock, s, e, net.peers}}
	r.desk, err = status.Open(status.DeskConfig{Node: b.id, System: net.system, Describe: r.describe, Members: net.peers.members, Down: net.peers.down})
	if err == nil {
		b.onClose("status", func(context.Context) error { r.desk.Close(); return nil })
	}
	return r, err
}

// report reports on all nodes.
func (r *reporter) report() status.Report {
	seen := status.Seen{At: r.clock.Now(), Node: r.id, Log: r.cfg.logKind()}
	nodes := r.desk.Nodes()
	for p := range r.storage.log.Partitions() {
		cursor := r.storage.replica.Cursor(p)
		seen.Owners, seen.Levels = append(seen.Owners, cursor.Owner), append(seen.Levels, cursor.Level())
	}
	return status.Assemble(seen, nodes)
}

// describe describes this node.
func (r *reporter) describe(ctx context.Context) status.Node {
	d := status.Node{
		UpSeconds: int64(time.Since(r.started).Seconds()), Lag: r.storage.replica.Lag(),
		ClockSeconds: r.network.peers.clockDifference(), ClockHeldSeconds: r.clock.held(),
		Disks: r.disks(), Certificates: r.certificates(), OldestSecret: r.storage.keys.OldestName(), OldestBefore: r.storage.keys.before,
		Store:      status.Store{Place: r.cfg.filesPlace(), Own: r.cfg.Files == ""},
		DrainWaits: r.engine.drain.now().Keeps,
	}
	if address := r.network.front.address(); address != "" {
		d.API = r.cfg.scheme() + address
	}
	r.describeShards(&d)
	r.describeWork(ctx, &d)
	figures := r.upkeep.ingest.Figures()
	d.Ledger = status.Ledger{
		Place: cmp.Or(r.cfg.ClickHouse, "file"), DelaySeconds: figures.Delay.Seconds(), Poisoned: r.upkeep.remains.Count(),
		StalledSeconds: figures.Stalled.For.Seconds(), StalledPartitions: figures.Stalled.Partitions, StalledPartition: figures.Stalled.Partition, StallReason: figures.Stalled.Reason,
	}
	counts, _ := r.upkeep.history.Figures()
	d.Mismatches = counts.Mismatches
	if err := r.storage.space.forJobs(); err != nil {
		d.JobsRefused = err.Error()
	}
	why, ago := r.storage.log.appends.refused(time.Now())
	d.AppendFailure, d.AppendFailureSeconds = why, int64(ago.Seconds())
	pending, lasts := r.storage.log.appends.hangs(r.cfg.place())
	d.AppendPending, d.AppendPendingSeconds = pending, lasts.Seconds()
	d.State, d.Reason = r.state()
	return d
}

// state returns what the node does, and why if that is not everything it should.
func (r *reporter) state() (status.State, string) {
	load := r.engine.renderer.Figures().Load
	switch err := r.health.check(); {
	case load.Draining:
		return status.Draining, "it was told to"
	case err != nil:
		return status.Unready, err.Error()
	case load.Suspended:
		reason := "the log says why"
		if fault := r.engine.renderer.Fault(); fault != nil {
			reason = fault.Error()
		}
		return status.Suspended, reason
	}
	return status.Serving, ""
}

func (r *reporter) describeShards(d *status.Node) {
	for _, s := range r.engine.shards.Status() {
		d.Owned++
		d.Hold(s.Partition)
		d.Unpublished += unpublished(r.storage, r.engine, s.Partition)
		switch s.State {
		case shard.Serving:
			continue
		case shard.Starting:
			d.Starting++
		case shard.Halted:
			d.Halted++
		}
		if len(d.Unserved) < namedUnserved {
			u := status.Unserved{Partition: s.Partition, State: string(s.State)}
			if s.Err != nil {
				u.Reason = s.Err.Error()
			}
			d.Unserved = append(d.Unserved, u)
		}
	}
}

// unpublished returns how many folded records of a partition have unpublished events.
func unpublished(s *storage, e *engine, partition int32) int64 {
	return max(0, s.replica.Cursor(partition).Next-e.publisher.Next(partition))
}

func (r *reporter) describeWork(ctx context.Context, d *status.Node) {
	load := r.engine.renderer.Figures().Load
	d.Lanes = map[string]status.Jobs{}
	for _, l := range events.Lanes() {
		d.Lanes[l.String()] = status.Jobs{Waiting: load.Queued[dispatch.Index(l)], Running: load.Running[dispatch.Index(l)]}
	}
	if usage, err := r.engine.renderer.Usage(ctx, namedAccounts); err == nil {
		for _, u := range usage {
			d.Accounts = append(d.Accounts, status.Account{Account: u.Account, Waiting: u.Waiting, Running: u.Running})
		}
	}
	pool := r.engine.pool.Stats()
	d.Browsers = status.Browsers{
		Slots: pool.Slots, Remotes: pool.Remotes, Leased: pool.Leased, Running: pool.BrowserPID != 0, Bytes: pool.BrowserBytes, Own: pool.RemoteBrowsers, Restarts: pool.Restarts,
	}
}

func (r *reporter) disks() (all []status.Disk) {
	for _, v := range r.storage.space.disks() {
		all = append(all, status.Disk{Name: v.name, Free: v.free, Total: v.total, Reserve: v.reserve, FreeInodes: v.inodes.free, ReserveInodes: v.inodes.reserve})
	}
	slices.SortFunc(all, func(a, b status.Disk) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (r *reporter) certificates() []status.Certificate {
	all := []status.Certificate{}
	if api := r.network.front.certificate(); api != nil {
		all = append(all, status.Certificate{Name: "api", Expires: api.expires(), Unusable: textOf(api.look())})
	}
	if identity := r.network.identity; identity != nil {
		all = append(all, status.Certificate{Name: "cluster", Expires: identity.Expires(), Unusable: textOf(identity.Check())})
	}
	return all
}

// textOf returns the text of an error, "" without one.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
