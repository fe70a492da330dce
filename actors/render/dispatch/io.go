package dispatch

import (
	"time"

	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/events"
)

// Input is something that happened to a node's jobs.
type Input interface{ isInput() }

// The inputs of a Machine.
type (
	// Take asks the node to render a job of its own shards. If the job is already
	// waiting, nothing changes. If an attempt is under way, the job is begun again after
	// it, because that attempt may have lost the job meanwhile.
	Take struct {
		Partition int32
		Effect    job.Render
		// Weight is the account's share of the node relative to others, at least 1.
		Weight int
	}
	// Resume asks for a job that may have been lost after a Take. If the node knows the job, nothing
	// changes.
	Resume Take
	// Forget withdraws a job that has not begun here, because an attempt holds it.
	Forget struct{ Job events.JobID }
	// ForgetAll withdraws the jobs of a partition that have not begun here.
	ForgetAll struct{ Partition int32 }
	// Ended reports that an attempt on this node has ended. Told is set when the job
	// needs no other attempt here; otherwise it waits again.
	Ended struct {
		Job    events.JobID
		Told   bool
		Health attempt.Health
		// Cost is how long the attempt had its page.
		Cost time.Duration
	}
	// Probed is the result of a Probe: whether everything that the node depends on works.
	Probed struct{ Sound bool }
	// ProbeAgain reports that the pause after a failed Probe is over.
	ProbeAgain struct{}
	// Offered is another node's request to render a job.
	Offered Take
	// Answered is the result of an offer. No answer counts as a refusal; Silent tells the two apart.
	Answered struct {
		Job           events.JobID
		Offer         uint64
		From          events.NodeID
		Taken, Silent bool
	}
	// Overdue reports that a node that took a job has not begun it in time.
	Overdue struct {
		Job   events.JobID
		Offer uint64
	}
	// Unconfirmed reports that the attempt has reported its end, but that the journal has not
	// confirmed for a long time that it held the job.
	Unconfirmed struct{ Job events.JobID }
	// Retry reports that the pause after an attempt without an outcome is over.
	Retry struct{ Job events.JobID }
	// PeersChanged lists the other nodes that are up, with their loads.
	PeersChanged struct{ Peers []Peer }
	// NodeGone reports that a node is down.
	NodeGone struct{ Node events.NodeID }
	// Rested reports that a node may get offers again: of an account's jobs after it refused one, or
	// of any if it was silent and Account is empty.
	Rested struct {
		Node    events.NodeID
		Account events.AccountID
	}
	// Retire stops beginning and taking jobs. Waiting jobs may still be handed over.
	Retire struct{}
	// Return ends a Retire: the node begins and takes jobs again.
	Return struct{}
	// Drain retires, forgets the waiting jobs, and asks for a Drained.
	Drain struct{}
)

func (Take) isInput()         {}
func (Resume) isInput()       {}
func (Unconfirmed) isInput()  {}
func (Forget) isInput()       {}
func (ForgetAll) isInput()    {}
func (Ended) isInput()        {}
func (Probed) isInput()       {}
func (ProbeAgain) isInput()   {}
func (Offered) isInput()      {}
func (Answered) isInput()     {}
func (Overdue) isInput()      {}
func (Retry) isInput()        {}
func (PeersChanged) isInput() {}
func (NodeGone) isInput()     {}
func (Rested) isInput()       {}
func (Retire) isInput()       {}
func (Return) isInput()       {}
func (Drain) isInput()        {}

// Output is something for the driver of a Machine to do. Outputs are carried out in
// order.
type Output interface{ isOutput() }

// The outputs of a Machine.
type (
	// Begin begins an attempt. Its end is an Ended.
	Begin struct {
		Partition int32
		Effect    job.Render
	}
	// Offer asks another node to render a job. The result is an Answered.
	Offer struct {
		To        events.NodeID
		Offer     uint64
		Partition int32
		Effect    job.Render
		Weight    int
	}
	// Answer responds to the Offered that caused it.
	Answer struct {
		Job   events.JobID
		Taken bool
	}
	// Remind asks for an input to be given after a delay.
	Remind struct {
		After time.Duration
		Of    Input
	}
	// Probe asks for a test of everything that the node depends on. The result is a
	// Probed.
	Probe struct{}
	// Report carries the node's load and counts when they have changed.
	Report struct {
		Load   Load
		Counts Counts
	}
	// Drained says, once after a Drain, that no attempt is under way.
	Drained struct{}
)

func (Begin) isOutput()   {}
func (Offer) isOutput()   {}
func (Answer) isOutput()  {}
func (Remind) isOutput()  {}
func (Probe) isOutput()   {}
func (Report) isOutput()  {}
func (Drained) isOutput() {}

// Counts counts the jobs that were handed over. The counts never decrease.
type Counts struct {
	// HandedOver jobs were taken by another node, Refused ones were not. TakenBack jobs
	// were taken by a node that went down, or did not begin them in time.
	HandedOver, Refused, TakenBack int64
	// TakenOver jobs were taken from another node.
	TakenOver int64
}
