package simulation

import (
	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
)

// Rules are the protocol as it is played. The zero value is the real one; each
// field breaks one rule, to show that the simulation would find out.
type Rules struct {
	// IgnoreMarkers makes readers and owners accept envelopes of any epoch.
	IgnoreMarkers bool
	// ReplyOnAck makes owners reply and act when their append is acknowledged.
	ReplyOnAck bool
	// ForgetReplies makes owners decide a duplicated command again.
	ForgetReplies bool
	// SplitEnvelopes writes the events of one command as two records.
	SplitEnvelopes bool
}

// step moves a cursor as the rules have it.
func (r Rules) step(c *projections.Cursor, offset int64, entry events.Entry) bool {
	e, ok := entry.(events.Envelope)
	if ok && r.IgnoreMarkers {
		c.Epoch = e.Epoch
	}
	if ok && r.SplitEnvelopes && e.Cause == c.Cause && e.Epoch == c.Epoch {
		c.Next = offset + 1
		return true // the second half of a command
	}
	return c.Step(offset, entry)
}

// records is how the journal gets an envelope.
func (r Rules) records(e events.Envelope) []events.Envelope {
	if !r.SplitEnvelopes || len(e.Events) < 2 {
		return []events.Envelope{e}
	}
	first, second := e, e
	first.Events, second.Events = e.Events[:1], e.Events[1:]
	return []events.Envelope{first, second}
}

// store is committed state as the rules let owners see it.
func (r Rules) store(s account.Replica) account.Store {
	if r.ForgetReplies {
		return forgetful{s}
	}
	return s
}

type forgetful struct{ account.Replica }

func (forgetful) Reply(events.AccountID, events.CommandID) (events.Reply, bool, error) {
	return events.Reply{}, false, nil
}
