// Package shard runs partitions: a Host per owned partition reads its commands, has them
// decided, and writes one envelope per command to the journal under the epoch protocol
// (docs/ARCHITECTURE.md, The epoch protocol). The protocol itself is Owner: plain state
// without I/O, which the simulator of actors/simulation drives too.
package shard

import (
	"errors"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
)

// ErrSuperseded means that another owner has announced itself: this one must drop its
// speculation, decide nothing more and reply to nobody.
var ErrSuperseded = errors.New("another owner has announced itself")

// errGap means that the journal accepted an envelope without those before it. No log that keeps its
// contract does that; continuing would silently lose a command.
var errGap = errors.New("the journal skipped an envelope of this owner")

// Owner is one ownership of one partition, from its marker to the next one's. Commands go in by
// offset, their decisions may come back in any order, and envelopes leave in the order of their
// causes. Only what was read back from the journal is acted upon.
type Owner struct {
	epoch  int64 // -1 until the marker has an offset
	slots  []slot
	sent   int // slots[:sent] are on their way to the journal
	active bool
}

// slot is a command from its arrival until its envelope is read back, or a gap in place of lost
// commands.
type slot struct {
	cause    int64
	command  events.Command
	decision account.Decision
	decided  bool
	gap      *events.Gap
}

// NewOwner returns an ownership that has not announced itself yet.
func NewOwner() *Owner { return &Owner{epoch: -1} }

// Announced records the offset of the owner's marker, which is its epoch.
func (o *Owner) Announced(offset int64) { o.epoch = offset }

// Activate tells the owner how far the replica has read. Once it has read the marker,
// ready is true and next is the first command to decide.
func (o *Owner) Activate(cursor projections.Cursor) (next int64, ready bool, err error) {
	if o.epoch < 0 || cursor.Next <= o.epoch {
		return 0, false, nil
	}
	if cursor.Epoch != o.epoch {
		return 0, false, ErrSuperseded
	}
	o.active = true
	return cursor.Cause + 1, true, nil
}

// Active reports whether the owner may take commands.
func (o *Owner) Active() bool { return o.active }

// Waiting returns the number of commands taken and not yet read back.
func (o *Owner) Waiting() int { return len(o.slots) }

// Take accepts the command at offset cause to be decided. Causes must rise.
func (o *Owner) Take(cause int64, c events.Command) {
	o.slots = append(o.slots, slot{cause: cause, command: c})
}

// TakeGap takes a gap in place of lost commands, and returns the entries that can go to the journal
// now, in order.
func (o *Owner) TakeGap(g events.Gap) []events.Entry {
	o.slots = append(o.slots, slot{cause: g.To - 1, gap: &g, decided: true})
	return o.send()
}

// Decided records the decision about a command and returns the entries that can go to the
// journal now, in order.
func (o *Owner) Decided(cause int64, d account.Decision) []events.Entry {
	for i := o.sent; i < len(o.slots); i++ {
		if o.slots[i].cause == cause && o.slots[i].gap == nil {
			o.slots[i].decision, o.slots[i].decided = d, true
			break
		}
	}
	return o.send()
}

func (o *Owner) send() (out []events.Entry) {
	for o.sent < len(o.slots) && o.slots[o.sent].decided {
		out = append(out, o.entry(o.slots[o.sent]))
		o.sent++
	}
	return out
}

func (o *Owner) entry(s slot) events.Entry {
	if s.gap != nil {
		return *s.gap
	}
	return events.Envelope{
		Epoch: o.epoch, Cause: s.cause,
		Command: s.command.ID, Account: s.command.Account, At: s.command.At,
		Reply: s.decision.Reply, Events: s.decision.Events, By: s.command.By, SetAside: s.decision.SetAside,
	}
}

// Outcome is a command whose envelope is part of the journal for good, or a Gap that is.
type Outcome struct {
	Cause    int64
	Command  events.Command
	Decision account.Decision
	Gap      *events.Gap
}

// ReadBack takes a journal record with the replica's verdict. It returns the outcome if
// the record is this owner's envelope or gap, and ErrSuperseded if it is a later marker.
func (o *Owner) ReadBack(step projections.Step) (Outcome, bool, error) {
	switch e := step.Entry.(type) {
	case events.Marker:
		if step.Offset > o.epoch && o.epoch >= 0 {
			return Outcome{}, false, ErrSuperseded
		}
	case events.Envelope:
		if step.Accepted && o.active && e.Epoch == o.epoch {
			return o.settle(e.Cause, false)
		}
	case events.Gap:
		if step.Accepted && o.active && e.Epoch == o.epoch {
			return o.settle(e.To-1, true)
		}
	}
	return Outcome{}, false, nil
}

func (o *Owner) settle(cause int64, gap bool) (Outcome, bool, error) {
	if o.sent == 0 || o.slots[0].cause != cause || gap != (o.slots[0].gap != nil) {
		return Outcome{}, false, errGap
	}
	head := o.slots[0]
	o.slots[0] = slot{}
	o.slots, o.sent = o.slots[1:], o.sent-1
	return Outcome{head.cause, head.command, head.decision, head.gap}, true, nil
}
