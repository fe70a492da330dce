package node

import (
	"context"
	"errors"

	"platen.dev/actors/account"
	"platen.dev/actors/command"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/timeline"
)

// jobLog reads from the log what the read models do not keep about a job.
type jobLog struct {
	log     eventlog.Log
	replica *projections.Replica
}

// Submission reads the command that made a job.
func (l jobLog) Submission(ctx context.Context, of events.AccountID, id events.JobID) (events.Submission, error) {
	at, err := l.position(of, id)
	if err != nil {
		return events.Submission{}, err
	}
	_, s, err := command.Submission(ctx, l.log, at, of, id)
	if errors.Is(err, command.ErrLost) || errors.Is(err, command.ErrDamaged) {
		err = dashboard.ErrGone
	}
	return s, err
}

// Timeline reads the events of a job.
func (l jobLog) Timeline(ctx context.Context, of events.AccountID, id events.JobID) (timeline.Timeline, error) {
	at, err := l.position(of, id)
	if err != nil {
		return timeline.Timeline{}, err
	}
	line, err := timeline.Read(ctx, l.log, timeline.Query{Partition: at.Partition, Account: of, Job: id, Submitted: at.Offset})
	if errors.Is(err, timeline.ErrGone) {
		err = dashboard.ErrGone
	}
	return line, err
}

// position returns the position of a job's command.
func (l jobLog) position(of events.AccountID, id events.JobID) (command.Position, error) {
	store := account.StoreOf(l.replica, l.log.Partitions(), of)
	state, err := store.Job(of, id)
	if err == nil && state.Account != of { // forgotten meanwhile
		err = dashboard.ErrGone
	}
	return command.Position{Partition: store.Partition, Offset: state.Content}, err
}
