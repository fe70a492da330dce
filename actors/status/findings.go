package status

import (
	"fmt"
	"slices"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/events"
)

// Thresholds beyond which something needs attention.
const (
	// MaxLag is how many records a replica may be behind.
	MaxLag = 10_000
	// MaxLedgerStall is how long the ledger may fail, in seconds: a restart of ClickHouse takes less.
	MaxLedgerStall = 60
	// MaxAppend is how long an append to the log may take, in seconds.
	MaxAppend = 10
	// MinValidity is how long before its expiry a certificate must be renewed.
	MinValidity = 14 * 24 * time.Hour
	// MaxClock is how far clocks may be apart, in seconds.
	MaxClock = float64(cluster.WorryingClockDifference) / float64(time.Second)
)

// Findings lists what needs attention.
func Findings(r Report) (all []Finding) {
	for _, n := range r.Nodes {
		all = append(all, n.findings(r.At)...)
	}
	all = append(all, r.storeFindings()...)
	all = append(all, r.secretFindings()...)
	return append(all, r.partitionFindings()...)
}

// storeFindings reports nodes that do not find each other's results.
func (r Report) storeFindings() []Finding {
	var stores []Store
	for _, n := range r.Nodes {
		if n.answered() {
			stores = append(stores, n.Store)
		}
	}
	f := Finding{About: "cluster", Do: "set `files` of all nodes to the place that they share (docs/STORAGE.md)"}
	different := slices.ContainsFunc(stores, func(s Store) bool { return s.Place != stores[0].Place })
	switch {
	case different:
		f.Text = "the nodes keep results at different places, and cannot read those of each other"
	case len(stores) > 1 && stores[0].Own:
		f.Text = "each node keeps results in its own data directory, where the others cannot read them"
	default:
		return nil
	}
	return []Finding{f}
}

// secretFindings reports nodes that cannot open what others have sealed, and derive other keys.
func (r Report) secretFindings() []Finding {
	named := map[string]bool{}
	for _, n := range r.Nodes {
		if n.answered() && n.OldestSecret != "" {
			named[n.OldestSecret] = true
		}
	}
	if len(named) < 2 {
		return nil
	}
	return []Finding{{
		About: "cluster", Text: "the nodes have different oldest secrets: they cannot decrypt all of each other's credentials, and sign webhooks with different keys",
		Do: "give all nodes the same cluster.secret, cluster.former_secrets and cluster.seal_key",
	}}
}

func (n Node) findings(now time.Time) (all []Finding) {
	add := func(bad bool, do, format string, args ...any) {
		if bad {
			all = append(all, Finding{About: Short(n.ID), Text: fmt.Sprintf(format, args...), Do: do})
		}
	}
	add(n.State == Gone, "start it again, or wait an hour if it is not to come back", "the node at %s went down %s ago", n.Address, span(time.Duration(n.DownSeconds)*time.Second))
	add(n.State == Silent, "look at its log, and whether it can be reached at "+n.Address, "it is up and does not answer: %s", n.Reason)
	add(n.State == Older, "ask it by itself, or upgrade it", "it runs a version that does not answer")
	add(n.State == Suspended, "mend what the reason names; it resumes by itself", "rendering is suspended: %s", n.Reason)
	add(n.State == Unready, "mend what the reason names", "it is not ready: %s", n.Reason)
	add(n.State == Draining, "`platen undrain` on its host takes it back", "it is draining")
	add(n.DrainWaits, "start another node, or `platen undrain` on its host", "it was told to drain, and keeps its share because no other node is up that does not drain")
	if !n.answered() {
		return all
	}
	add(n.JobsRefused != "", "make room", "it accepts no jobs: %s", n.JobsRefused)
	add(n.AppendFailure != "", "mend what the reason names; see PlatenLogRefuses in docs/RUNBOOK.md", "its appends to the log fail, the last %s ago: %s", span(seconds(float64(n.AppendFailureSeconds))), n.AppendFailure)
	add(n.AppendPendingSeconds > MaxAppend, "look at that disk or those brokers; see PlatenLogRefuses in docs/RUNBOOK.md",
		"its log hangs: an append to %s has not ended for %s", n.AppendPending, span(seconds(n.AppendPendingSeconds)))
	add(n.Lag > MaxLag, "wait; if it grows, look at its log", "its replica is %d records behind", n.Lag)
	add(!n.Browsers.Running, "look at its log", "it has no browser")
	add(n.Ledger.StalledSeconds > MaxLedgerStall, "mend what the reason names; see PlatenLedgerStalled in docs/RUNBOOK.md",
		"the usage ledger takes nothing from %s, for %s: %s", n.Ledger.stalled(), span(seconds(n.Ledger.StalledSeconds)), n.Ledger.StallReason)
	add(n.Ledger.Poisoned > 0, "`platen admin ledger poison list`", "the usage ledger could not take %d records", n.Ledger.Poisoned)
	add(n.ClockSeconds > MaxClock, "synchronise all clocks by NTP (chrony)", "its clock differs by %s from that of another node", span(seconds(n.ClockSeconds)))
	add(n.ClockHeldSeconds > 0, "synchronise its clock by NTP (chrony), or `platen admin clock accept` on its host if it is right", "its clock is %s ahead of its records, and nothing confirms it: it goes by the time of the records", span(seconds(n.ClockHeldSeconds)))
	add(n.Mismatches > 0, "see A SNAPSHOT IS WRONG in its log, and docs/RUNBOOK.md", "%d snapshots were wrong", n.Mismatches)
	add(n.OldestBefore != "", "put its seal.key or the cluster's secrets back; its log says how",
		"its oldest secret is %s, it was %s: webhooks are signed with other keys", n.OldestSecret, n.OldestBefore)
	for _, d := range n.Disks {
		add(n.JobsRefused == "" && d.lowOnBytes(), "make room before it takes no more jobs", "the disk of %s has %s free, and its reserve is %s", d.Name, size(d.Free), size(d.Reserve))
		add(n.JobsRefused == "" && d.lowOnInodes(), "remove files before it takes no more jobs", "the disk of %s has %d inodes free, and its reserve is %d", d.Name, d.FreeInodes, d.ReserveInodes)
	}
	for _, c := range n.Certificates {
		add(c.Unusable != "", "mend the files before the next start, which would fail", "the files of the certificate of %s cannot be used: %s", c.Name, c.Unusable)
		verb := "expires"
		if now.After(c.Expires) {
			verb = "expired"
		}
		add(c.ends(now), "renew it", "the certificate of %s %s on %s", c.Name, verb, c.Expires.UTC().Format(time.DateOnly))
	}
	return all
}

// stalled names the partition from which the ledger has taken nothing for the longest time, and counts the others.
func (l Ledger) stalled() string {
	if others := l.StalledPartitions - 1; others > 0 {
		return fmt.Sprintf("partition %d and %d more", l.StalledPartition, others)
	}
	return fmt.Sprint("partition ", l.StalledPartition)
}

// low reports whether a disk comes near a reserve.
func (d Disk) low() bool { return d.lowOnBytes() || d.lowOnInodes() }

func (d Disk) lowOnBytes() bool { return d.Free < 2*d.Reserve }

func (d Disk) lowOnInodes() bool { return d.FreeInodes < 2*d.ReserveInodes }

// ends reports whether a certificate expires soon.
func (c Certificate) ends(now time.Time) bool { return c.Expires.Sub(now) < MinValidity }

func (r Report) partitionFindings() (all []Finding) {
	var without []int32
	for _, p := range r.Partitions {
		if p.State == noOwner {
			without = append(without, p.Partition)
		}
		if p.State == halted {
			all = append(all, Finding{About: fmt.Sprint("partition ", p.Partition), Text: "halted on " + Short(p.Owner) + ": " + p.Reason, Do: fmt.Sprintf("see PlatenPartitionHalted in docs/RUNBOOK.md before `platen admin partition continue %d` on that node", p.Partition)})
		}
	}
	for _, n := range r.Nodes { // a node names only the first of them
		if more := n.Halted - n.named(halted); more > 0 {
			all = append(all, Finding{About: Short(n.ID), Text: fmt.Sprintf("%d more partitions are halted", more), Do: "`platen admin partition list` on that node"})
		}
	}
	if len(without) > 0 {
		all = append(all, Finding{About: "cluster", Text: fmt.Sprintf("nobody owns the partitions %s", ranges(without)), Do: "wait ten seconds; if it stays so, see docs/RUNBOOK.md"})
	}
	if lowest, highest := r.written(); lowest < highest {
		all = append(all, Finding{About: "cluster", Text: fmt.Sprintf("some partitions are of level %d, others of %d", lowest, highest), Do: "`platen admin cluster level --raise`"})
	}
	return all
}

// named counts the partitions that a node names in a state.
func (n Node) named(state string) (count int) {
	for _, u := range n.Unserved {
		if u.State == state {
			count++
		}
	}
	return count
}

// written returns the lowest and the highest level of the partitions.
func (r Report) written() (lowest, highest events.Level) {
	if len(r.Partitions) == 0 {
		return 0, 0
	}
	order := func(a, b Partition) int { return int(a.Level - b.Level) }
	return slices.MinFunc(r.Partitions, order).Level, slices.MaxFunc(r.Partitions, order).Level
}
