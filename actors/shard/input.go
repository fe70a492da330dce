package shard

import (
	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
)

// Input is something that happened to a shard.
type Input interface{ isInput() }

// The inputs of a Machine.
type (
	// Announce begins the ownership.
	Announce struct {
		// Timeline is a new id, in case the marker begins a timeline.
		Timeline events.TimelineID
		Now      events.Instant
	}
	// Announced reports the offset of the owner's marker, which is now durable, and how
	// far the replica has read by then.
	Announced struct {
		Offset int64
		Cursor projections.Cursor
	}
	// Looked is the result of a Look: the highest number among the public events of the partition, 0 if there are none or it cannot be read, and the end
	// of its commands; with what a marker needs.
	Looked struct {
		Published int64
		End       int64
		Timeline  events.TimelineID
		Now       events.Instant
	}
	// Arrived is the next command of the partition, with the owner's clock and the latest that true time may be. Its body is nil if the record cannot be
	// read.
	Arrived struct {
		Cause   int64
		Command events.Command
		Now     events.Instant
		Latest  events.Instant
	}
	// Skipped reports that the commands from offset From up to but not including To were
	// trimmed before they arrived.
	Skipped struct{ From, To int64 }
	// Lost reports that reading cannot continue from the last command decided. Reading has stopped.
	Lost struct{ Err error }
	// Continue is the operator's permission to go ahead after a Halt, with the bounds of the remaining commands.
	Continue struct{ Start, End int64 }
	// Measured carries the end of the partition's commands, at every StallEvery-th tick.
	Measured struct{ End int64 }
	// Decided is the account's decision about a command, after a Decide.
	Decided struct {
		Cause    int64
		Decision account.Decision
	}
	// Folded carries journal records in order, with the replica's verdict on each, and
	// the cursor after the last.
	Folded struct {
		Steps  []projections.Step
		Cursor projections.Cursor
	}
	// Scanned is the result of a Scan: unsettled jobs of the partition, as they are now or were a while ago. Again is set if the Scan named them.
	Scanned struct {
		account.Page
		Again bool
		// Quarantined is the offset of the first command still in quarantine, if HasQuarantined. It comes with the last page.
		Quarantined    int64
		HasQuarantined bool
	}
	// Ticked arrives every second at an active shard, with the jobs that are due.
	Ticked struct{ Due []account.JobRef }
	// NodeGone reports that a node is down.
	NodeGone struct{ Node events.NodeID }
	// Resign asks the machine to finish what is under way and then stop.
	Resign struct{}
	// Abandoned reports that the owner's actor ends, whatever is under way.
	Abandoned struct{}
	// Failed reports an error of the log, the store or a decision. It ends the epoch.
	Failed struct{ Err error }
)

func (Announce) isInput()  {}
func (Announced) isInput() {}
func (Looked) isInput()    {}
func (Arrived) isInput()   {}
func (Skipped) isInput()   {}
func (Lost) isInput()      {}
func (Continue) isInput()  {}
func (Measured) isInput()  {}
func (Decided) isInput()   {}
func (Folded) isInput()    {}
func (Scanned) isInput()   {}
func (Ticked) isInput()    {}
func (NodeGone) isInput()  {}
func (Resign) isInput()    {}
func (Abandoned) isInput() {}
func (Failed) isInput()    {}
