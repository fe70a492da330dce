package node

import (
	"context"
	"errors"

	"platen.dev/actors/account"
	"platen.dev/actors/command"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/projections/timeline"
)

// jobLog reads of the log what the read models do not keep of a job.
type jobLog struct{ node *Node }

// Submission reads the command that made a job.
func (l jobLog) Submission(ctx context.Context, of events.AccountID, id events.JobID) (events.Submission, error) {
	at, err := l.position(of, id)
	if err != nil {
		return events.Submission{}, err
	}
	_, s, err := command.Submission(ctx, l.node.log, at, of, id)
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
	line, err := timeline.Read(ctx, l.node.log, timeline.Query{Partition: at.Partition, Account: of, Job: id, Submitted: at.Offset})
	if errors.Is(err, timeline.ErrGone) {
		err = dashboard.ErrGone
	}
	return line, err
}

// position is where the command of a job is.
func (l jobLog) position(of events.AccountID, id events.JobID) (command.Position, error) {
	state, err := account.StoreOf(l.node.replica, l.node.log.Partitions(), of).Job(of, id)
	if err == nil && state.Account != of { // forgotten since
		err = dashboard.ErrGone
	}
	return command.Position{Partition: events.Partition(of, l.node.log.Partitions()), Offset: state.Content}, err
}
