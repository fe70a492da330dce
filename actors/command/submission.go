package command

import (
	"context"
	"errors"
	"fmt"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Position is the position of a record in the command log.
type Position struct {
	Partition int32
	Offset    int64
}

// Errors of Submission that reading again does not cure.
var (
	// ErrLost means that the log no longer has the command: it was trimmed, or has lost its newest
	// records, or another topic has taken its place.
	ErrLost = errors.New("the job's content is gone")
	// ErrDamaged means that the command cannot be decoded.
	ErrDamaged = errors.New("the job's content is damaged")
)

// Submission reads the command that submitted a job, and the time of its submission.
func Submission(ctx context.Context, l eventlog.Log, at Position, account events.AccountID, job events.JobID) (events.Instant, events.Submission, error) {
	record, err := eventlog.ReadOne(ctx, l, events.TopicCommands, at.Partition, at.Offset)
	if errors.Is(err, eventlog.ErrTrimmed) || errors.Is(err, eventlog.ErrBeyondEnd) {
		return 0, events.Submission{}, fmt.Errorf("%w: %w", ErrLost, err)
	}
	if err != nil {
		return 0, events.Submission{}, err
	}
	c, err := events.DecodeSubmission(record.Value)
	if err != nil {
		if _, other := events.DecodeCommand(record.Value); other != nil {
			return 0, events.Submission{}, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	submission, ok := c.Body.(events.Submission)
	if !ok || submission.Job != job || c.Account != account {
		return 0, events.Submission{}, fmt.Errorf("%w: record %d of command partition %d is not job %s", ErrLost, at.Offset, at.Partition, job)
	}
	return c.At, submission, nil
}
