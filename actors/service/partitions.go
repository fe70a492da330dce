package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Partitions are the actions of operators on partitions. They go through the log, so any node does them.
type Partitions struct{ *gate }

// Quarantined reads the command of a partition that was set aside at an offset, or refuses with events.NoSuchCommand.
func (a Partitions) Quarantined(partition int32, cause int64) (account.Quarantined, error) {
	if err := a.Fresh.Partition(partition); err != nil {
		return account.Quarantined{}, err
	}
	q, found, err := account.InQuarantine(a.Replica, partition, cause)
	if err == nil && !found {
		err = refuse(events.NoSuchCommand)
	}
	return q, err
}

// DropQuarantined drops a command from the quarantine. It succeeds if somebody else has dropped it.
func (a Partitions) DropQuarantined(partition int32, cause int64) error {
	err := a.run(Operator(events.PartitionID(partition)), events.DropSetAside{Cause: cause})
	if CodeOf(err) == events.NoSuchCommand {
		return nil
	}
	return err
}

var (
	// ErrRecordGone means that the log no longer has the record of a command, so the command can only be dropped.
	ErrRecordGone = errors.New("the record of the command is gone")
	// ErrUndecided means that a command was sent again and is not decided yet. It stays in quarantine, and is decided once, however often it is sent.
	ErrUndecided = errors.New("the command was sent again and is not decided yet; it stays in quarantine: try again, it is decided once")
	// ErrSetAsideAgain means that a command was set aside again and the quarantine has no room for it.
	ErrSetAsideAgain = errors.New("the command was set aside again, and stays where it is; `platen log dump` says why")
)

// recordLimit bounds the time to read a record.
const recordLimit = 5 * time.Second

// RecordOf reads the record of a command that was set aside. Its error is ErrRecordGone if Kafka's retention has deleted it, or if another record is
// at its offset, as in a re-created topic.
func (a Partitions) RecordOf(ctx context.Context, p int32, cause int64, q account.Quarantined) (eventlog.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	start, end, err := a.Log.Bounds(ctx, events.TopicCommands, p)
	if err != nil {
		return eventlog.Record{}, err
	}
	if cause < start || cause >= end {
		return eventlog.Record{}, fmt.Errorf("%w: %s has the offsets %d to %d", ErrRecordGone, events.TopicCommands, start, end-1)
	}
	record, err := eventlog.ReadOne(ctx, a.Log, events.TopicCommands, p, cause)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return record, fmt.Errorf("%w: %w", ErrRecordGone, err)
	}
	if err != nil {
		return record, err
	}
	if c, err := events.DecodeCommand(record.Value); err != nil || c.ID != q.Command || c.Account != q.Account {
		return record, fmt.Errorf("%w: another one is at its offset", ErrRecordGone)
	}
	return record, nil
}

// Retried is the outcome of a command that was sent again. Reply is empty if commands of its type get none.
type Retried struct {
	Reply events.ReplyCode
	// Again is the command that was set aside in its place, at the offset Cause; nil if it was decided.
	Again *account.Quarantined
	Cause int64
}

// RetryQuarantined sends a command again, and drops it once it is decided, or kept at another offset. Its error is also ErrRecordGone,
// ErrUndecided or ErrSetAsideAgain; then the command stays.
func (a Partitions) RetryQuarantined(ctx context.Context, p int32, cause int64) (Retried, error) {
	q, err := a.Quarantined(p, cause)
	if err != nil {
		return Retried{}, err
	}
	c, err := a.again(ctx, p, cause, q)
	if err == nil {
		err = a.await(ctx, p, c)
	}
	if err != nil {
		return Retried{}, err
	}
	outcome, err := a.outcome(p, c)
	if err == nil && outcome.Reply == events.Internal && outcome.Again == nil {
		err = ErrSetAsideAgain
	}
	if err == nil {
		err = a.DropQuarantined(p, cause)
	}
	return outcome, err
}

// again returns a command that repeats one that was set aside: for the same account, by the same author, with the same body and all its content.
func (a Partitions) again(ctx context.Context, p int32, cause int64, q account.Quarantined) (c events.Command, err error) {
	record, err := a.RecordOf(ctx, p, cause, q)
	if err != nil {
		return c, err
	}
	c, err = events.DecodeCommand(record.Value)
	if _, submits := c.Body.(events.SubmitJob); submits && err == nil {
		c, err = events.DecodeSubmission(record.Value)
	}
	if err != nil {
		return c, fmt.Errorf("the record of the command cannot be read: %w", err)
	}
	c.At, c.ReplyTo = a.now(), nil
	c.ID, err = a.idAgain(p, q)
	return c, err
}

// idAgain returns the id under which a command is sent again: the same one if that was tried with an unknown outcome, a new one if it was set aside
// under that id and is not kept.
func (a Partitions) idAgain(p int32, q account.Quarantined) (events.CommandID, error) {
	for id := q.Command.Again(); ; id = id.Again() {
		reply, _, err := a.Replica.Reply(q.Account, id)
		if err != nil || reply.Code != events.Internal {
			return id, err
		}
		if kept, _, err := a.keptAs(p, id); err != nil || kept != nil {
			return id, err
		}
	}
}

// keptAs finds a command in quarantine by its id, and returns it with its offset; nil if it is not there.
func (a Partitions) keptAs(p int32, id events.CommandID) (kept *account.Quarantined, at int64, err error) {
	err = account.EachQuarantined(a.Replica, p, func(cause int64, q account.Quarantined) bool {
		if q.Command == id {
			kept, at = &q, cause
		}
		return kept == nil
	})
	return kept, at, err
}

// decideLimit is how long to wait for the decision about a command that was sent again: long enough for a shard to change hands. decideLook is how
// often to look for it.
const (
	decideLimit = 12 * time.Second
	decideLook  = 20 * time.Millisecond
)

// await appends a command and waits until its decision is folded. After a timeout, the command may still be decided.
func (a Partitions) await(ctx context.Context, p int32, c events.Command) error {
	ctx, cancel := context.WithTimeout(ctx, decideLimit)
	defer cancel()
	cause, err := a.Commands.Append(ctx, c)
	if err != nil {
		return fmt.Errorf("the command was not sent; try again: %w", err)
	}
	look := time.NewTicker(decideLook)
	defer look.Stop()
	for a.Replica.Cursor(p).Cause < cause {
		select {
		case <-ctx.Done():
			return ErrUndecided
		case <-look.C:
		}
	}
	return nil
}

// outcome returns the outcome of a command that was sent again.
func (a Partitions) outcome(p int32, c events.Command) (out Retried, err error) {
	reply, _, err := a.Replica.Reply(c.Account, c.ID)
	out.Reply = reply.Code
	if err == nil && reply.Code == events.Internal {
		out.Again, out.Cause, err = a.keptAs(p, c.ID)
	}
	return out, err
}
