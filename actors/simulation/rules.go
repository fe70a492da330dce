package simulation

import (
	"fmt"
	"io"
	"slices"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// Rules are the rules of the protocol. The zero value is the real protocol. Each field
// breaks one rule, to show that the simulation finds it.
type Rules struct {
	// IgnoreMarkers makes readers and owners accept envelopes of any epoch.
	IgnoreMarkers bool
	// AcceptHoles makes readers accept an envelope although one before it got lost.
	AcceptHoles bool
	// ReplyOnAck makes owners reply and act when their append is acknowledged.
	ReplyOnAck bool
	// ForgetReplies makes owners decide a duplicated command again.
	ForgetReplies bool
	// SplitEnvelopes writes the events of one command as two records.
	SplitEnvelopes bool
	// ForgetRequests makes owners forget what an idempotency key stands for.
	ForgetRequests bool
	// ForgetDownloads makes owners forget the downloads of a file.
	ForgetDownloads bool
	// KeepDiverged makes nodes continue with what they have folded, although the journal has lost it.
	KeepDiverged bool
	// ForgetPublished makes owners announce themselves without the number of the last public event.
	ForgetPublished bool
	// RetryUndecidable makes owners fail at a command that cannot be decided, instead of setting it aside.
	RetryUndecidable bool
	// Trace, unless nil, receives each machine's inputs and outputs.
	Trace io.Writer
	// Fault is a bug in the orchestration.
	Fault Fault
}

// trace prints an input of a machine, and the outputs that follow.
func trace[O any](w io.Writer, machine string, in any, outs []O) {
	fmt.Fprintf(w, "%s: %T%+v\n", machine, in, in)
	for _, out := range outs {
		fmt.Fprintf(w, "%s:   %T%+v\n", machine, out, out)
	}
}

// cursor returns the replica's cursor as told to an owner that announced itself at offset.
func (r Rules) cursor(c projections.Cursor, offset int64) projections.Cursor {
	if r.IgnoreMarkers {
		c.Epoch = offset
	}
	return c
}

// told returns the journal records and the cursor that an owner is told.
func (r Rules) told(steps []projections.Step, c projections.Cursor, epoch int64) ([]projections.Step, projections.Cursor) {
	if !r.IgnoreMarkers {
		return steps, c
	}
	c.Epoch = epoch
	return slices.DeleteFunc(slices.Clone(steps), func(s projections.Step) bool {
		_, marker := s.Entry.(events.Marker)
		return marker
	}), c
}

// step moves a cursor by the rules.
func (r Rules) step(c *projections.Cursor, offset int64, entry events.Entry) bool {
	e, ok := entry.(events.Envelope)
	if ok && r.IgnoreMarkers {
		c.Epoch = e.Epoch
	}
	if ok && r.AcceptHoles && e.Epoch == c.Epoch && e.Cause > c.Cause {
		c.Cause = e.Cause - 1
	}
	if ok && r.SplitEnvelopes && e.Cause == c.Cause && e.Epoch == c.Epoch {
		c.Next = offset + 1
		return true // the second half of a command
	}
	return c.Step(offset, entry)
}

// records returns the journal records of an envelope.
func (r Rules) records(e events.Envelope) []events.Envelope {
	if !r.SplitEnvelopes || len(e.Events) < 2 {
		return []events.Envelope{e}
	}
	first, second := e, e
	first.Events, second.Events = e.Events[:1], e.Events[1:]
	return []events.Envelope{first, second}
}

// store returns committed state as the rules let owners see it.
func (r Rules) store(s account.ReplicaStore, w *world) account.Store { return forgetful{s, r, w} }

// forgetful hides what the rules make owners forget.
type forgetful struct {
	account.ReplicaStore
	rules Rules
	world *world
}

// Reply also panics for the commands that cannot be decided.
func (f forgetful) Reply(id events.AccountID, c events.CommandID) (events.Reply, bool, error) {
	if f.world.undecidable(c) {
		panic("a command that cannot be decided")
	}
	if f.rules.ForgetReplies {
		return events.Reply{}, false, nil
	}
	return f.ReplicaStore.Reply(id, c)
}

func (f forgetful) AcceptedRequest(id events.AccountID, key string) (account.AcceptedRequest, error) {
	if f.rules.ForgetRequests {
		return account.AcceptedRequest{}, nil
	}
	return f.ReplicaStore.AcceptedRequest(id, key)
}

func (f forgetful) Job(id events.AccountID, j events.JobID) (job.State, error) {
	s, err := f.ReplicaStore.Job(id, j)
	if f.rules.ForgetDownloads {
		s.Downloads, s.Stream, s.StreamUntil = 0, 0, 0
	}
	return s, err
}
