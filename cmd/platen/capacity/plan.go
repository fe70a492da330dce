package capacity

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"platen.dev/events/contract"
)

// Host is one of the hosts of a cluster, all alike. Each has a node and a broker, as deploy/cluster makes them.
type Host struct {
	Cores int
	// Memory and Disk are in bytes, Network in bytes per second, each way.
	Memory, Disk, Network float64
}

// Keeping is how long the log is kept.
type Keeping struct {
	// Commands is how long commands are kept, Journal how long the journal before it is trimmed behind a snapshot, Events how long public events.
	Commands, Journal, Events time.Duration
}

// Defaults are those of deploy/platen.toml. Two snapshots of a partition are kept, the newest of which may be a day old.
var Defaults = Keeping{Commands: 168 * time.Hour, Journal: 48 * time.Hour, Events: 30 * 24 * time.Hour}

const (
	// Fewest is how many hosts a cluster has at least, so that one may be lost.
	Fewest = 3
	// Most bounds how many hosts are thought about.
	Most = 100_000
	// keptSnapshots is how many of each partition are kept.
	keptSnapshots = 2
	month         = 30 * 24 * time.Hour
	// copies is how many brokers have each record.
	copies = 3
	// Healthy is how much of a resource may be used, when all goes well but for one host that is lost: beyond it, queues grow.
	Healthy = 0.7
)

// Resource is something of which each host has so much, and of which so much is used when one host is lost.
type Resource struct {
	Name string  `json:"name"`
	Of   float64 `json:"of"`
	Unit string  `json:"unit"`
	// Parts are what uses it.
	Parts []Part `json:"parts"`
}

// Part is one use of a resource.
type Part struct {
	For  string  `json:"for"`
	Used float64 `json:"used"`
	// Add says what helps if it is too much.
	Add string `json:"add"`
}

// Used is how much of the resource is used in all.
func (r Resource) Used() (used float64) {
	for _, p := range r.Parts {
		used += p.Used
	}
	return used
}

// Share is how much of the resource is used, 1 for all.
func (r Resource) Share() float64 { return r.Used() / r.Of }

// Largest is what uses most of the resource.
func (r Resource) Largest() Part {
	return slices.MaxFunc(r.Parts, func(a, b Part) int { return cmp.Compare(a.Used, b.Used) })
}

// Question is what somebody wants to know: what a load makes of hosts.
type Question struct {
	Load    Load
	Host    Host
	Keeping Keeping
	// Hosts is their number, at least Fewest; 0 asks for as many as are needed.
	Hosts int
}

// Plan is what a load makes of a number of hosts.
type Plan struct {
	// Hosts is their number; 0 if none is enough.
	Hosts int `json:"hosts"`
	// Enough says that no more than Healthy of any resource is used.
	Enough bool `json:"enough"`
	// Resources are those of each host while one is lost.
	Resources []Resource `json:"resources"`
	// ResultBytes and SnapshotBytes are what the stores of results and of snapshots have to hold, EntryBytes what the ledger gets in a month.
	ResultBytes   float64 `json:"result_bytes"`
	SnapshotBytes float64 `json:"snapshot_bytes"`
	EntryBytes    float64 `json:"entry_bytes_per_month"`
	// ResultRate is what is written to the store of results in the busiest minutes, in bytes per second, and EntryRate how many
	// entries the ledger gets then, per second.
	ResultRate float64 `json:"result_bytes_per_second"`
	EntryRate  float64 `json:"entries_per_second"`
}

// First is the resource that is used up first when the load grows.
func (p Plan) First() Resource {
	return slices.MaxFunc(p.Resources, func(a, b Resource) int { return cmp.Compare(a.Share(), b.Share()) })
}

// Answer estimates what a load makes of the hosts, or of as few as are enough. If no number of such hosts is enough, it
// is what each of them would use however many they were.
func (c Costs) Answer(q Question) Plan {
	if q.Hosts > 0 {
		return c.plan(q, q.Hosts)
	}
	if p := c.plan(q, Most); !p.Enough {
		p.Hosts = 0
		return p
	}
	n := Fewest + sort.Search(Most-Fewest, func(more int) bool { return c.plan(q, Fewest+more).Enough })
	return c.plan(q, n)
}

func (c Costs) plan(q Question, hosts int) Plan {
	l := q.Load
	job, charged := c.job(l)
	peak := l.PerSecond * l.Peak
	p := Plan{
		Hosts:         hosts,
		Resources:     c.resources(q, job, float64(hosts-1)),
		ResultBytes:   l.PerSecond * job.FileBytes * contract.FileLife.Seconds(),
		SnapshotBytes: keptSnapshots * l.PerSecond * c.SnapshotBytes * contract.StatusLife.Seconds(),
		EntryBytes:    l.PerSecond * charged * c.EntryBytes * month.Seconds(),
		ResultRate:    peak * job.FileBytes,
		EntryRate:     peak * charged,
	}
	p.Enough = p.First().Share() <= Healthy
	return p
}

// resources are those of each host of which so many are left.
func (c Costs) resources(q Question, job Kind, left float64) []Resource {
	l, h, k := q.Load, q.Host, q.Keeping
	peak := l.PerSecond * l.Peak
	records := job.CommandBytes + job.JournalBytes + job.EventBytes
	kept := job.CommandBytes*k.Commands.Seconds() + job.JournalBytes*k.Journal.Seconds() + job.EventBytes*k.Events.Seconds()
	return []Resource{
		{"processors", float64(h.Cores), "cores", []Part{
			{"browsers", peak * job.Browser / 1000 / left, "hosts"},
			{"nodes", peak * (job.Node + l.Polls*c.Poll + l.Webhooks*c.Webhook) / 1000 / left, "hosts"},
			{"following the journal", peak * job.Records * c.Fold / 1000, "a second cluster: each node folds all of the journal"},
		}},
		{"memory", h.Memory, "bytes", []Part{
			{"nodes", c.NodeBytes, "memory"},
			{"browsers", job.CoreBytes * float64(h.Cores), "memory, in proportion to the cores"},
		}},
		{"disk", h.Disk, "bytes", []Part{
			{"the log", l.PerSecond * kept * copies / left, "disks or hosts, or keep commands and public events for less time"},
			{"rows of jobs", l.PerSecond * c.RowBytes * contract.StatusLife.Seconds(), "disks on all hosts, or a second cluster: each node has all rows"},
		}},
		// A record comes to its leader, from there to the other brokers, and if it is a command to its owner and the node that renders.
		{"network", h.Network, "bytes/s", []Part{
			{"the log", peak * (copies*records + 2*job.CommandBytes) / left, "faster links, or hosts"},
			{"following the journal", peak * job.JournalBytes, "faster links, or a second cluster: each node reads all of the journal"},
			{"requests and files", peak * (job.CommandBytes + 2*job.FileBytes) / left, "faster links, or hosts"},
		}},
	}
}

// PerCore is how many jobs of a kind a core does in a second, with as many polls for each; nothing else uses it.
func (c Costs) PerCore(kind string, polls float64) float64 {
	k := c.Kinds[kind]
	return 1000 / math.Max(k.Node+k.Browser+polls*c.Poll+k.Records*c.Fold, math.SmallestNonzeroFloat64)
}
