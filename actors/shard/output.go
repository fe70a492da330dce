package shard

import (
	"platen.dev/actors/job"
	"platen.dev/events"
)

// Output is something for the driver of a Machine to do. Outputs are carried out in
// order.
type Output interface{ isOutput() }

// The outputs of a Machine.
type (
	// Append appends an entry to the journal. Appends keep their order. If one fails, the
	// next input is Failed and no later append may succeed.
	Append struct{ Entry events.Entry }
	// Look asks for a Looked: before deciding anything, the owner must know whether facts were published that the journal lacks.
	Look struct{}
	// Activate says that the owner is active: start to tick and to read commands from an
	// offset, at most Window ahead of the Credits.
	Activate struct {
		From   int64
		Window int
	}
	// Credit allows one more command to be read.
	Credit struct{}
	// Halt says that commands are lost, and that the operator must look. The machine decides nothing more until a Continue.
	Halt struct{ Err error }
	// StopReading stops reading commands.
	StopReading struct{}
	// Decide has a command decided by its account. The result is a Decided.
	Decide struct {
		Cause   int64
		Command events.Command
	}
	// Commit tells an account that the envelope of one of its commands was read back.
	Commit struct {
		Account events.AccountID
		Cause   int64
	}
	// Retire ends the actor of an idle account.
	Retire struct{ Account events.AccountID }
	// Reply sends the reply to whoever sent the command.
	Reply struct {
		To events.Address
		CommandReply
	}
	// Traced says that a decision about a job with a traced request can no longer get lost.
	Traced struct {
		Command events.Command
		Job     events.SubmitJob
		Reply   events.Reply
	}
	// Begin begins an effect. Beginning one that is already under way changes nothing.
	Begin struct{ Effect job.Effect }
	// Resume asks for an effect that was begun before, by this owner or an earlier one, and
	// may have got lost. If it is waiting or under way, nothing changes.
	Resume struct{ Effect job.Effect }
	// Forget withdraws an effect that has not begun.
	Forget struct{ Key job.EffectKey }
	// ForgetAll withdraws the effects of the partition that have not begun. The next
	// owner begins them.
	ForgetAll struct{}
	// Send sends one of the owner's own commands. If it gets lost, the machine sends it
	// again.
	Send struct {
		Account events.AccountID
		Body    events.CommandBody
	}
	// Scan asks for unsettled jobs of the partition, by id: up to Limit of those after After, or those of Again if there are any. The result is a
	// Scanned, possibly much later. The next Scan follows it.
	Scan struct {
		After events.JobID
		Limit int
		Again []events.JobID
	}
	// Trim deletes the commands below an offset.
	Trim struct{ Before int64 }
	// Measure asks for a Measured.
	Measure struct{}
	// Stop ends the ownership; Err is nil after a Resign.
	Stop struct{ Err error }
)

func (Append) isOutput()      {}
func (Look) isOutput()        {}
func (Activate) isOutput()    {}
func (Credit) isOutput()      {}
func (Halt) isOutput()        {}
func (Measure) isOutput()     {}
func (StopReading) isOutput() {}
func (Decide) isOutput()      {}
func (Commit) isOutput()      {}
func (Retire) isOutput()      {}
func (Reply) isOutput()       {}
func (Traced) isOutput()      {}
func (Begin) isOutput()       {}
func (Resume) isOutput()      {}
func (Forget) isOutput()      {}
func (ForgetAll) isOutput()   {}
func (Send) isOutput()        {}
func (Scan) isOutput()        {}
func (Trim) isOutput()        {}
func (Stop) isOutput()        {}
