package node

import (
	"cmp"
	"context"
	"slices"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/events"
)

// How many accounts, and partitions that it does not serve, a node names.
const (
	namedAccounts = 16
	namedUnserved = 32
)

// startStatus begins to answer other nodes that ask for this one's status.
func (n *Node) startStatus(context.Context) (err error) {
	n.desk, err = status.Open(status.DeskConfig{Node: n.id, System: n.system, Describe: n.describe, Members: n.members, Down: n.down})
	if err == nil {
		n.onClose("status", func(context.Context) error { n.desk.Close(); return nil })
	}
	return err
}

// members returns the nodes that are up, this one too.
func (n *Node) members() []cluster.Member {
	if n.cluster == nil {
		return []cluster.Member{{Node: n.id, Level: events.NewestLevel, Version: n.version}}
	}
	return n.cluster.Members()
}

func (n *Node) down() []cluster.Down {
	if n.cluster == nil {
		return nil
	}
	return n.cluster.Down()
}

// status reports on all nodes.
func (n *Node) Status() status.Report {
	seen := status.Seen{At: n.now(), Node: n.id, Log: n.cfg.logKind()}
	nodes := n.desk.Nodes()
	for p := range n.log.Partitions() {
		cursor := n.replica.Cursor(p)
		seen.Owners, seen.Levels = append(seen.Owners, cursor.Owner), append(seen.Levels, cursor.Level())
	}
	return status.Assemble(seen, nodes)
}

// describe describes this node.
func (n *Node) describe(ctx context.Context) status.Node {
	d := status.Node{
		UpSeconds: int64(time.Since(n.started).Seconds()), Lag: n.replica.Lag(),
		ClockSeconds: n.clockDifference(), ClockHeldSeconds: n.clockHeld(), Disks: n.statusDisks(), Certificates: n.statusCertificates(), Store: status.Store{Place: n.filesPlace()},
	}
	if address := n.listens.Load(); address != nil {
		d.API = n.cfg.scheme() + *address
	}
	n.describeShards(&d)
	n.describeWork(ctx, &d)
	figures := n.ingest.Figures()
	d.Ledger = status.Ledger{Place: cmp.Or(n.cfg.ClickHouse, "file"), DelaySeconds: figures.Delay.Seconds(), StalledSeconds: figures.Stalled.Seconds(), Poisoned: figures.Poisoned}
	counts, _ := n.history.Figures()
	d.Mismatches = counts.Mismatches
	d.DrainWaits = n.drain.waits()
	if err := n.space.forJobs(); err != nil {
		d.JobsRefused = err.Error()
	}
	d.State, d.Reason = n.state()
	return d
}

// state says what the node does, and why if it is not all that it should.
func (n *Node) state() (status.State, string) {
	load := n.renderer.Figures().Load
	switch err := n.health(); {
	case load.Draining:
		return status.Draining, "it was told to"
	case err != nil:
		return status.Unready, err.Error()
	case load.Suspended:
		reason := "the log says why"
		if fault := n.renderer.Fault(); fault != nil {
			reason = fault.Error()
		}
		return status.Suspended, reason
	}
	return status.Serving, ""
}

func (n *Node) describeShards(d *status.Node) {
	for _, s := range n.shards.Status() {
		d.Owned++
		d.Hold(s.Partition)
		d.Unpublished += max(0, n.replica.Cursor(s.Partition).Next-n.publisher.Next(s.Partition))
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

func (n *Node) describeWork(ctx context.Context, d *status.Node) {
	load := n.renderer.Figures().Load
	d.Lanes = map[string]status.Jobs{}
	for _, l := range events.Lanes() {
		d.Lanes[l.String()] = status.Jobs{Waiting: load.Queued[dispatch.Index(l)], Running: load.Running[dispatch.Index(l)]}
	}
	if usage, err := n.renderer.Usage(ctx, namedAccounts); err == nil {
		for _, u := range usage {
			d.Accounts = append(d.Accounts, status.Account{Account: u.Account, Waiting: u.Waiting, Running: u.Running})
		}
	}
	pool := n.pool.Stats()
	d.Browsers = status.Browsers{
		Slots: pool.Slots, Remotes: pool.Remotes, Leased: pool.Leased, Running: pool.BrowserPID != 0, Bytes: pool.BrowserBytes, Own: pool.RemoteBrowsers, Restarts: pool.Restarts,
	}
}

func (n *Node) statusDisks() (all []status.Disk) {
	for _, v := range n.space.disks() {
		all = append(all, status.Disk{Name: v.name, Free: v.free, Total: v.total, Reserve: v.reserve})
	}
	slices.SortFunc(all, func(a, b status.Disk) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (n *Node) statusCertificates() []status.Certificate {
	all := []status.Certificate{}
	if api := n.apiCertificate(); api != nil {
		all = append(all, status.Certificate{Name: "api", Expires: api.expires()})
	}
	if n.identity != nil && n.cfg.Cluster.CertFile != "" {
		all = append(all, status.Certificate{Name: "cluster", Expires: n.identity.Expires()})
	}
	return all
}

// filesPlace is where results are kept, for people.
func (n *Node) filesPlace() string {
	dir, found := n.cfg.filesDir()
	if !found {
		return n.cfg.Files
	}
	return dir
}
