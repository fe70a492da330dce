package dispatch

import (
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// Input is something that has happened to a node's jobs.
type Input interface{ isInput() }

// The inputs of a Machine.
type (
	// Take asks for a job of this node's shards to be rendered. One that waits already
	// is not taken twice; one under way is taken up again once its attempt has ended,
	// as that may have lost the job meanwhile.
	Take struct {
		Partition int32
		Effect    job.Render
	}
	// Forget withdraws a job that has not begun here: some attempt holds it.
	Forget struct{ Job events.JobID }
	// ForgetAll withdraws the jobs of a partition that have not begun here.
	ForgetAll struct{ Partition int32 }
	// Ended reports that an attempt of this node has ended. Told is set when the
	// journal knows how, or need not: an attempt without a word leaves the job waiting.
	Ended struct {
		Job  events.JobID
		Told bool
	}
	// Offered is a job that another node asks this one to render.
	Offered struct {
		Partition int32
		Effect    job.Render
	}
	// Answered is what became of an offer; silence counts as a refusal.
	Answered struct {
		Job   events.JobID
		Offer uint64
		From  events.NodeID
		Taken bool
	}
	// Overdue ends the patience with a node that took a job and does not begin it.
	Overdue struct {
		Job   events.JobID
		Offer uint64
	}
	// Retry lets a job wait again whose attempt ended without a word.
	Retry struct{ Job events.JobID }
	// PeersChanged lists the other nodes that are up, with their loads.
	PeersChanged struct{ Peers []Peer }
	// NodeGone reports that a node is down.
	NodeGone struct{ Node events.NodeID }
	// Rested lets a node that refused be asked again.
	Rested struct{ Node events.NodeID }
	// Retire begins nothing more and takes nothing; what waits may still be handed over.
	Retire struct{}
	// Drain retires, forgets what waits, and asks for Drained.
	Drain struct{}
)

func (Take) isInput()         {}
func (Forget) isInput()       {}
func (ForgetAll) isInput()    {}
func (Ended) isInput()        {}
func (Offered) isInput()      {}
func (Answered) isInput()     {}
func (Overdue) isInput()      {}
func (Retry) isInput()        {}
func (PeersChanged) isInput() {}
func (NodeGone) isInput()     {}
func (Rested) isInput()       {}
func (Retire) isInput()       {}
func (Drain) isInput()        {}

// Output is something that a Machine wants done. Outputs are done in order.
type Output interface{ isOutput() }

// The outputs of a Machine.
type (
	// Begin begins an attempt; its end is an Ended.
	Begin struct {
		Partition int32
		Effect    job.Render
	}
	// Offer asks another node to render a job; the answer is an Answered.
	Offer struct {
		To        events.NodeID
		Offer     uint64
		Partition int32
		Effect    job.Render
	}
	// Answer answers the Offered that the output follows from.
	Answer struct {
		Job   events.JobID
		Taken bool
	}
	// Remind gives an input back after a time.
	Remind struct {
		After time.Duration
		Of    Input
	}
	// Report is the node's load and counts, which have changed.
	Report struct {
		Load   Load
		Counts Counts
	}
	// Drained says that no attempt is under way after a Drain.
	Drained struct{}
)

func (Begin) isOutput()   {}
func (Offer) isOutput()   {}
func (Answer) isOutput()  {}
func (Remind) isOutput()  {}
func (Report) isOutput()  {}
func (Drained) isOutput() {}

// Counts are of jobs that were rendered elsewhere than where they belong. They never go down.
type Counts struct {
	// HandedOver were taken by another node, Refused were not; TakenBack were handed
	// over, and not begun before the node was gone or the patience at its end.
	HandedOver, Refused, TakenBack int64
	// TakenOver were taken from another node.
	TakenOver int64
}
