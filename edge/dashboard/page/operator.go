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

// Reason is why somebody sees no page of operators.
type Reason string

// The reasons.
const (
	NotEntered  Reason = "signin" // no session
	LinkUsed    Reason = "used"   // a link that is used up or has run out
	OtherOrigin Reason = "origin" // a form of another page
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

// Done says what a deed was, and false if there is no such deed.
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
	// Suspended is since when the account gets no new jobs, the zero time if it does; SuspendedFor is why.
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

// Cluster is how the nodes and partitions are.
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
	// Lag is how many records it has not read.
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

// ClusterFinding is something that should not stay as it is, and what to do about it.
type ClusterFinding struct{ About, Text, Do string }

// Queues is the page of the jobs that wait and run.
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

// RecentJobs is how the last jobs of all accounts have gone.
type RecentJobs struct {
	Operator
	Since        time.Time
	Done, Failed int64
	// Causes are the errors of the failed jobs, Failures the last of these; Slowest are the jobs that took longest.
	Causes            []Failure
	Failures, Slowest []EndedJob
	Receivers         []FailingReceiver
}

// EndedJob is a job of an account that has failed, or taken long.
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

// FailingReceiver is where webhooks of an account fail.
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

// operatorName is the name of the template of a page of operators; "" if v is none.
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
