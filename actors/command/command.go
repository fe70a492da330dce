// Package command appends commands to the log, from which the shard of their account reads them.
package command

import (
	"context"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Append appends a command to the partition of its account, as eventlog.Log.Append does. If the
// command cannot be encoded, done is called before Append returns.
func Append(l eventlog.Log, c events.Command, done func(offset int64, err error)) {
	record, err := recordOf(c)
	if err != nil {
		done(0, err)
		return
	}
	l.Append(events.TopicCommands, partition(l, c), record, done)
}

// AppendWait appends a command and waits until it is durable or ctx ends. If ctx ends first, the
// outcome is unknown.
func AppendWait(ctx context.Context, l eventlog.Log, c events.Command) error {
	_, err := AppendAt(ctx, l, c)
	return err
}

// AppendAt is AppendWait that returns the offset of the command.
func AppendAt(ctx context.Context, l eventlog.Log, c events.Command) (offset int64, err error) {
	record, err := recordOf(c)
	if err != nil {
		return 0, err
	}
	return eventlog.AppendWait(ctx, l, events.TopicCommands, partition(l, c), record)
}

func recordOf(c events.Command) (eventlog.Record, error) {
	value, err := events.EncodeCommand(c)
	return eventlog.Record{Key: []byte(c.Account), Value: value}, err
}

func partition(l eventlog.Log, c events.Command) int32 {
	return events.Partition(c.Account, l.Partitions())
}
