// Package status describes a cluster: a Report covers all nodes, as one of them sees them.
//
// A node describes itself (Node), asks the others that are up (Desk), and combines the answers
// (Assemble). Findings lists what needs attention, Table shows everything to people. The JSON of a
// Report is for scripts: fields are only ever added, and none changes its name or meaning.
package status

import (
	"time"

	"platen.dev/events"
)

// Report is the state of a cluster, as one of its nodes sees it at a moment.
type Report struct {
	At time.Time `json:"at"`
	// Node is the one that was asked.
	Node events.NodeID `json:"node"`
	// Log is "embedded" or "kafka".
	Log string `json:"log"`
	// Nodes are all that are up, and those that went down within the last hour without leaving.
	Nodes []Node `json:"nodes"`
	// Partitions are in order.
	Partitions []Partition `json:"partitions"`
	// Accounts are those with the most jobs on the nodes that answered, most waiting first. Each node
	// names only a few.
	Accounts []Account `json:"accounts"`
	// Attention lists the findings. It is empty if all is well.
	Attention []Finding `json:"attention"`
}

// State is the operating state of a node.
type State string

// The states of a node.
const (
	// Serving nodes do all that they should.
	Serving State = "serving"
	// Draining nodes begin nothing and give up what they have; so do nodes that stop.
	Draining State = "draining"
	// Suspended nodes begin no renders, because something that renders need fails.
	Suspended State = "suspended"
	// Unready nodes should be sent no requests, as /readyz says.
	Unready State = "not ready"
	// Silent nodes are up, but did not answer within a second.
	Silent State = "no answer"
	// Older nodes run a version that cannot be asked.
	Older State = "older"
	// Gone nodes went down without leaving.
	Gone State = "down"
)

// Node describes a node. If it did not answer, only the first fields are known, from gossip.
type Node struct {
	ID      events.NodeID `json:"id"`
	State   State         `json:"state"`
	Version string        `json:"version"`
	// Level is the highest feature level that it can read; 0 if it is down.
	Level events.Level `json:"level"`
	// Address is where its actors are or, if it is down, where it gossiped; empty if the node is alone.
	Address string `json:"address"`
	// Reason says why it is not serving.
	Reason string `json:"reason"`
	// DownSeconds is how long ago it went down.
	DownSeconds int64 `json:"down_seconds"`

	// API is where its API listens. UpSeconds is how long ago it started.
	API       string `json:"api"`
	UpSeconds int64  `json:"up_seconds"`
	// Owned counts its partitions; Starting and Halted count some of those.
	Owned    int `json:"owned"`
	Starting int `json:"starting"`
	Halted   int `json:"halted"`
	// Held has one bit per partition, set if the node owns it; only the state of a partition is
	// derived from it.
	Held []byte `json:"-" cbor:"held,omitempty"`
	// Unserved are the first of its partitions that it does not serve.
	Unserved []Unserved `json:"unserved,omitempty"`
	// Lag is how many records of the journal it has not read, Unpublished how many of its own
	// partitions' records still have events to publish.
	Lag         int64 `json:"lag_records"`
	Unpublished int64 `json:"unpublished_records"`
	// Lanes counts its partitions' waiting jobs, and its attempts, by lane.
	Lanes map[string]Jobs `json:"lanes"`
	// Accounts has those with the most jobs.
	Accounts []Account `json:"accounts,omitempty"`
	Browsers Browsers  `json:"browsers"`
	Store    Store     `json:"store"`
	// OldestSecret names the oldest of the secrets that seal credentials, as a backup does.
	OldestSecret string `json:"oldest_secret"`
	// OldestBefore names the one that it worked with before, if that was another.
	OldestBefore string `json:"oldest_secret_before,omitempty"`
	Ledger       Ledger `json:"ledger"`
	Disks        []Disk `json:"disks"`
	// Certificates lists those that it shows, by use: api, cluster.
	Certificates []Certificate `json:"certificates"`
	// ClockSeconds is the largest difference between its clock and that of another node.
	ClockSeconds float64 `json:"clock_seconds"`
	// ClockHeldSeconds is how far its unconfirmed system clock is ahead of the time that it goes by instead. It is
	// negative if the clock is behind the newest record, and 0 if the node goes by it.
	ClockHeldSeconds float64 `json:"clock_held_seconds"`
	// DrainWaits is set if it was told to drain but keeps its share, because all other nodes that are up are draining
	// or there are none.
	DrainWaits bool `json:"drain_waits"`
	// JobsRefused says why it accepts no jobs; empty if it does.
	JobsRefused string `json:"jobs_refused"`
	// AppendFailure says why the last append to the log that failed has failed, and AppendFailureSeconds how long ago; empty if none has within two
	// minutes.
	AppendFailure        string `json:"append_failure"`
	AppendFailureSeconds int64  `json:"append_failure_seconds"`
	// AppendPending names the topic, partition and place of the oldest append to the log that is under way, and AppendPendingSeconds says for how long;
	// empty if none is.
	AppendPending        string  `json:"append_pending"`
	AppendPendingSeconds float64 `json:"append_pending_seconds"`
	// Mismatches counts snapshots that differ from a rebuild.
	Mismatches int64 `json:"snapshot_mismatches"`
}

// Unserved is a partition that is starting, or halted for a reason.
type Unserved struct {
	Partition int32  `json:"partition"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
}

// Jobs counts jobs.
type Jobs struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
}

// Account is an account with jobs.
type Account struct {
	Account events.AccountID `json:"account"`
	Waiting int              `json:"waiting"`
	Running int              `json:"running"`
}

// Browsers describes a node's browsers. Slots is how many pages may work at once in the browser that
// quick and slow jobs share, Remotes how many in browsers of their own; Leased is how many do.
type Browsers struct {
	Slots   int `json:"slots"`
	Remotes int `json:"remotes"`
	Leased  int `json:"leased"`
	// Running is false while there is no shared browser. Bytes is its memory, Own the number of the
	// other browsers.
	Running bool  `json:"running"`
	Bytes   int64 `json:"bytes"`
	Own     int   `json:"own"`
	// Restarts counts browsers that died.
	Restarts int64 `json:"restarts"`
}

// Store is where results are kept.
type Store struct {
	Place string `json:"place"`
	// Own means that it is below the data directory of the node, which is private.
	Own bool `json:"own,omitempty"`
}

// Ledger describes how a node fills the usage ledger.
type Ledger struct {
	// Place is "file" or the addresses of ClickHouse.
	Place string `json:"place"`
	// DelaySeconds is the time from the occurrence of the newest entry until it was in the ledger,
	// StalledSeconds how long it has taken nothing from a partition, the longest of all; 0 if it takes everything.
	DelaySeconds   float64 `json:"delay_seconds"`
	StalledSeconds float64 `json:"stalled_seconds"`
	// StallReason says why, and StalledPartition from which. StalledPartitions counts all.
	StallReason       string `json:"stall_reason,omitempty"`
	StalledPartition  int32  `json:"stalled_partition"`
	StalledPartitions int    `json:"stalled_partitions,omitempty"`
	// Poisoned counts records that it could not accept, and lacks still.
	Poisoned int64 `json:"poisoned"`
}

// Disk is a disk that a node writes to, in bytes, and in inodes if their number is bounded.
type Disk struct {
	Name    string `json:"name"`
	Free    int64  `json:"free_bytes"`
	Total   int64  `json:"total_bytes"`
	Reserve int64  `json:"reserve_bytes"`

	FreeInodes    int64 `json:"free_inodes"`
	ReserveInodes int64 `json:"reserve_inodes"`
}

// Certificate is a certificate that a node shows.
type Certificate struct {
	Name    string    `json:"name"`
	Expires time.Time `json:"expires"`
	// Unusable says why its files, as they are now, cannot be used: the node shows what it read before, and the next start would fail.
	Unusable string `json:"unusable,omitempty"`
}

// Partition describes a partition.
type Partition struct {
	Partition int32 `json:"partition"`
	// Owner is the node of the last marker; empty if there was none.
	Owner events.NodeID `json:"owner"`
	// State is serving, starting or halted, as reported by its owner; "no owner" if no node reports
	// it, and "unknown" if the owner did not answer.
	State string `json:"state"`
	// Level says what may be written into it.
	Level events.Level `json:"level"`
	// Reason is why it is halted.
	Reason string `json:"reason"`
}

// Finding is something that needs attention.
type Finding struct {
	// About is a node, a partition or the cluster.
	About string `json:"about"`
	// Text says what is wrong, Do what to do about it.
	Text string `json:"text"`
	Do   string `json:"do"`
}
