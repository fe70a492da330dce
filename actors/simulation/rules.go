package simulation

import (
	"platen.dev/actors/account"
	"platen.dev/actors/job"
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
	// ForgetRequests makes owners not know what an idempotency key stands for.
	ForgetRequests bool
	// ForgetDownloads makes owners not know the downloads of a file.
	ForgetDownloads bool
	// ForgetHandovers makes nodes not take up again what a node took that is gone.
	ForgetHandovers bool
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
func (r Rules) store(s account.Replica) account.Store { return forgetful{s, r} }

// forgetful is committed state without what the rules make owners forget.
type forgetful struct {
	account.Replica
	rules Rules
}

func (f forgetful) Reply(id events.AccountID, c events.CommandID) (events.Reply, bool, error) {
	if f.rules.ForgetReplies {
		return events.Reply{}, false, nil
	}
	return f.Replica.Reply(id, c)
}

func (f forgetful) Remembered(id events.AccountID, key string) (account.Remembered, error) {
	if f.rules.ForgetRequests {
		return account.Remembered{}, nil
	}
	return f.Replica.Remembered(id, key)
}

func (f forgetful) Job(id events.AccountID, j events.JobID) (job.State, error) {
	s, err := f.Replica.Job(id, j)
	if f.rules.ForgetDownloads {
		s.Downloads, s.Stream, s.StreamUntil = 0, 0, 0
	}
	return s, err
}
