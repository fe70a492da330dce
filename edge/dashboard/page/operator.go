package page

import (
	"time"

	"platen.dev/events"
)

// Operator is the common frame of all operators' pages.
type Operator struct {
	// Token is a form's proof that it comes from a page of this session.
	Token string
	// Notice says what the last action has done or why it was refused; nil for none.
	Notice *Notice
	Now    time.Time
}

// Outside is a page with nothing but a text, for somebody who is not signed in as an operator.
type Outside struct{ Reason Reason }

// Reason is why somebody may not see the operators' pages.
type Reason string

// The reasons.
const (
	NotEntered  Reason = "signin" // no session
	LinkUsed    Reason = "used"   // a link that was used or has expired
	OtherOrigin Reason = "origin" // a form from another origin
	NoPage      Reason = "nopage"
	Unavailable Reason = "unavailable"
)

// Deed is a completed action of an operator.
type Deed string

// The deeds.
const (
	DeedCreated   Deed = "created"
	DeedPlan      Deed = "plan"
	DeedBlocks    Deed = "blocks"
	DeedFileLimit Deed = "file-limit"
	DeedRevoked   Deed = "revoked"
	DeedSuspended Deed = "suspended"
	DeedResumed   Deed = "resumed"
	DeedDrained   Deed = "drained"
	DeedUndrained Deed = "undrained"
	DeedRaised    Deed = "raised"
)

// Done returns the text about a deed; false if there is no such deed.
func Done(d Deed) (string, bool) { return LookUp("deed." + string(d)) }

// Accounts is the list of accounts.
type Accounts struct {
	Operator
	// Find is the text that their ids contain; "" for all.
	Find string
	// Accounts are the first of Total.
	Accounts []AccountRow
	Total    int
	Plans    []events.Plan
}

// AccountRow is an account in the list.
type AccountRow struct {
	ID      events.AccountID
	Plan    events.Plan
	Created time.Time
	// Jobs and Bytes count all that was charged.
	Jobs, Bytes int64
	Suspended   bool
}

// AccountPage is one account.
type AccountPage struct {
	Operator
	ID    events.AccountID
	Plan  events.Plan
	Plans []events.Plan
	// Suspended is when the account was suspended, the zero time if it is not; SuspendedFor is why.
	Suspended    time.Time
	SuspendedFor string
	// Quota and Running are by the live state.
	Quota   Quota
	Running int64
	Limits  Limits
	// Blocks are the extra blocks of volume, Megabytes is the limit of a file.
	Blocks, Megabytes int64
	Keys              []Key
	// Secret is the secret of the key that was just made, which is shown once; "" for none.
	Secret string
	// NextKey is the id of the key that the form makes.
	NextKey events.KeyID
	Trail   []Entry
}

// Cluster is the state of the nodes and partitions.
type Cluster struct {
	Operator
	Nodes      []ClusterNode
	Partitions []ClusterPartition
	Attention  []ClusterFinding
	// Lowest is the feature level that all partitions have, Highest what all nodes can read.
	Lowest, Highest events.Level
	Draining        bool // this node
}

// ClusterNode is a node.
type ClusterNode struct {
	ID                      events.NodeID
	This                    bool
	State, Reason           string
	Version, Address        string
	Level                   events.Level
	Owned, Starting, Halted int
	// Lag is how many records the node has not read yet.
	Lag int64
}

// ClusterPartition is a partition.
type ClusterPartition struct {
	Number int32
	Owner  events.NodeID
	State  string
	Level  events.Level
	Reason string
}

// ClusterFinding is a problem of the cluster, and what to do about it.
type ClusterFinding struct{ About, Text, Do string }

// Queues is the page of waiting and running jobs.
type Queues struct {
	Operator
	Lanes    []Load
	Accounts []Load
}

// Load counts the jobs of a lane or an account.
type Load struct {
	Name             string
	Waiting, Running int
}

// RecentJobs is the page of recent outcomes across all accounts.
type RecentJobs struct {
	Operator
	Since        time.Time
	Done, Failed int64
	// Causes counts the failed jobs by error. Failures lists the newest of them, Slowest the jobs that took longest.
	Causes            []Failure
	Failures, Slowest []EndedJob
	Receivers         []FailingReceiver
}

// EndedJob is a job that failed or took long, with its account.
type EndedJob struct {
	At        time.Time
	Account   events.AccountID
	ID        events.JobID
	Operation events.Operation
	Test      bool
	Error     events.ErrorCode
	Detail    string // why it failed; "" for no more than Error says
	Total     time.Duration
}

// FailingReceiver is an address at which an account's webhooks fail.
type FailingReceiver struct {
	Account events.AccountID
	Host    string
	// Jobs counts those whose last attempt has failed, GivenUp those of them that are not tried again.
	Jobs, GivenUp int
	At            time.Time
	// Answer is the last status, or why there was none.
	Answer string
}

// operatorNavigation lists the sections on the page that shows v.
func operatorNavigation(v any) []link {
	links := []link{
		{Key: "accounts", Address: "/operator"},
		{Key: "cluster", Address: "/operator/cluster"},
		{Key: "queues", Address: "/operator/queues"},
		{Key: "recent", Address: "/operator/jobs"},
	}
	for i := range links {
		links[i].Current = here(links[i].Key, v)
	}
	return links
}

// operatorName returns the template name of an operators' page; "" if v is not one.
func operatorName(v any) string {
	switch v.(type) {
	case Outside:
		return "outside"
	case Accounts:
		return "accounts"
	case AccountPage:
		return "account"
	case Cluster:
		return "cluster"
	case Queues:
		return "queues"
	case RecentJobs:
		return "recent"
	}
	return ""
}

// beginning is the part of a node's id by which people tell it from others.
func beginning(id events.NodeID) string {
	const most = 13
	return string(id[:min(len(id), most)])
}
