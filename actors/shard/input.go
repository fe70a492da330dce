package shard

import (
	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
)

// Input is something that has happened to a shard.
type Input interface{ isInput() }

// The inputs of a Machine.
type (
	// Announce begins the ownership.
	Announce struct{}
	// Announced reports the offset of the owner's marker, now durable, and how far the
	// replica has come by then.
	Announced struct {
		Offset int64
		Cursor projections.Cursor
	}
	// Arrived is the next command of the partition. One that cannot be read has no body.
	Arrived struct {
		Cause   int64
		Command events.Command
	}
	// Decided is the decision about a command that the machine had decided.
	Decided struct {
		Cause    int64
		Decision account.Decision
	}
	// Folded are journal records as the replica has judged them, in order, and its
	// cursor behind them.
	Folded struct {
		Steps  []projections.Step
		Cursor projections.Cursor
	}
	// Scanned answers a Scan with the unsettled jobs of the partition.
	Scanned struct {
		For  ScanReason
		Jobs []account.Job
	}
	// Ticked comes every second to an active shard, with the jobs that are due.
	Ticked struct{ Due []account.JobRef }
	// NodeGone reports that a node is down.
	NodeGone struct{ Node events.NodeID }
	// Resign asks to finish what is under way, and to stop then.
	Resign struct{}
	// Failed reports a fault of the log, the store or a decision: the epoch is over.
	Failed struct{ Err error }
)

func (Announce) isInput()  {}
func (Announced) isInput() {}
func (Arrived) isInput()   {}
func (Decided) isInput()   {}
func (Folded) isInput()    {}
func (Scanned) isInput()   {}
func (Ticked) isInput()    {}
func (NodeGone) isInput()  {}
func (Resign) isInput()    {}
func (Failed) isInput()    {}
