package shard

import (
	"platen.dev/actors/job"
	"platen.dev/events"
)

// Output is something that a Machine wants done. Outputs are done in order.
type Output interface{ isOutput() }

// The outputs of a Machine.
type (
	// Append appends an entry to the journal. Appends keep their order; when one
	// fails, the input is Failed, and none behind it may succeed.
	Append struct{ Entry events.Entry }
	// Activate says that the owner is active: read commands from an offset, at most
	// Window ahead of the credit given back, and tick.
	Activate struct {
		From   int64
		Window int
	}
	// Credit lets one more command be read.
	Credit struct{}
	// StopReading ends the reading of commands.
	StopReading struct{}
	// Decide has a command decided by its account; the answer is a Decided.
	Decide struct {
		Cause   int64
		Command events.Command
	}
	// Commit tells an account that the envelope of one of its commands is read back.
	Commit struct {
		Account events.AccountID
		Cause   int64
	}
	// Retire ends an account's actor, which nobody has used for long.
	Retire struct{ Account events.AccountID }
	// Reply answers who sent a command.
	Reply struct {
		To     events.Address
		Answer Answer
	}
	// Begin has an effect performed; asking again for one under way changes nothing.
	Begin struct{ Effect job.Effect }
	// Forget withdraws an effect that has not begun.
	Forget struct{ Key job.EffectKey }
	// ForgetAll withdraws the effects of the partition that have not begun: its next
	// owner asks for them.
	ForgetAll struct{}
	// Send sends a command of the owner's own. It may get lost: the machine sends it again.
	Send struct {
		Account events.AccountID
		Body    events.CommandBody
	}
	// Scan asks for the unsettled jobs of the partition; the answer is a Scanned.
	Scan struct{ For ScanReason }
	// Trim forgets the commands below an offset.
	Trim struct{ Before int64 }
	// Stop ends the ownership; Err is nil after a Resign.
	Stop struct{ Err error }
)

// ScanReason is what unsettled jobs are looked through for.
type ScanReason int

// The reasons. Each scan also finds the effects of nodes that are gone, except ForTrim.
const (
	// ForTakeOver finds the pending effects, which the owner before may not have begun.
	ForTakeOver ScanReason = iota
	// ForLost finds the effects held by nodes that are gone.
	ForLost
	// ForTrim finds the oldest command that a job still needs.
	ForTrim
)

func (Append) isOutput()      {}
func (Activate) isOutput()    {}
func (Credit) isOutput()      {}
func (StopReading) isOutput() {}
func (Decide) isOutput()      {}
func (Commit) isOutput()      {}
func (Retire) isOutput()      {}
func (Reply) isOutput()       {}
func (Begin) isOutput()       {}
func (Forget) isOutput()      {}
func (ForgetAll) isOutput()   {}
func (Send) isOutput()        {}
func (Scan) isOutput()        {}
func (Trim) isOutput()        {}
func (Stop) isOutput()        {}
