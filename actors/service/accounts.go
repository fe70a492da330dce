package service

import (
	"platen.dev/actors/account"
	"platen.dev/events"
)

// Accounts are the actions of operators on accounts.
type Accounts struct{ *gate }

// Create opens an account whose quota windows run from an anchor, by default the present. It returns the account's id.
func (a Accounts) Create(plan events.Plan, anchor events.Instant) (events.AccountID, error) {
	id := events.NewAccountID()
	return id, a.run(Operator(id), events.CreateAccount{Plan: plan, Anchor: anchor})
}

// SetPlan moves the account to another plan at once.
func (a Accounts) SetPlan(p Principal, plan events.Plan) error {
	return a.run(p, events.ChangePlan{Plan: plan})
}

// Suspend blocks new jobs of the account until Resume. Its members see the reason.
func (a Accounts) Suspend(p Principal, reason string) error {
	if !events.ValidReason(reason) {
		return refuse(BadReason)
	}
	return a.run(p, events.SuspendAccount{Reason: reason})
}

// Resume unblocks new jobs of a suspended account.
func (a Accounts) Resume(p Principal) error { return a.run(p, events.ResumeAccount{}) }

// MoveAnchor changes the instant from which the account's quota windows run.
func (a Accounts) MoveAnchor(p Principal, anchor events.Instant) error {
	return a.run(p, events.MoveAnchor{Anchor: anchor})
}

// ResetWindow moves the account back to the present quota window, after a clock that was ahead has moved it on. charged returns what the usage ledger
// has for the window that began at an instant.
func (a Accounts) ResetWindow(p Principal, charged func(window events.Instant) (units, bytes int64, err error)) error {
	if err := a.Fresh.Account(p.Account); err != nil { // an owner that has moved on by more than this node knows would forget the charges
		return err
	}
	state, err := a.state(p.Account)
	if err != nil {
		return err
	}
	reset := events.ResetWindow{Window: account.WindowAt(state, a.now())}
	if state.Window > reset.Window {
		if reset.Units, reset.Bytes, err = charged(reset.Window); err != nil {
			return err
		}
		running, err := account.Unfinished(a.Replica, events.Partition(p.Account, a.Log.Partitions()), p.Account, state)
		if err != nil {
			return err
		}
		reset.Reserved = running[reset.Window]
	}
	return a.run(p, reset)
}

// LimitFiles sets the size limit of the account's files in bytes; zero restores the plan's.
func (a Accounts) LimitFiles(p Principal, bytes int64) error {
	return a.run(p, events.LimitFiles{Bytes: bytes})
}

// SetBlocks sets the account's number of blocks of extra volume. It refuses with NoBlocks on plans without them.
func (a Accounts) SetBlocks(p Principal, blocks int64) error {
	return as(a.run(p, events.SetVolumeBlocks{Blocks: blocks}), events.PlanRequired, NoBlocks)
}

// Adjust books a correction and returns its entry in the ledger. Each call books one.
func (a Accounts) Adjust(p Principal, c events.Adjustment) (events.EntryID, error) {
	c.Entry = events.NewEntryID()
	if err := account.CheckAdjustment(c); err != nil {
		return "", because(BadAdjustment, err)
	}
	return c.Entry, a.run(p, events.AdjustUsage{Adjustment: c})
}
