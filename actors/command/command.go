// Package command puts commands into the log, where their account's shard finds them.
package command

import (
	"context"

	"platen.dev/events"
	"platen.dev/events/log"
)

// Append appends a command to its account's partition; done is as in log.Log.
func Append(l log.Log, c events.Command, done func(offset int64, err error)) {
	value, err := events.EncodeCommand(c)
	if err != nil {
		done(0, err)
		return
	}
	l.Append(events.TopicCommands, events.Partition(c.Account, l.Partitions()), log.Record{Key: []byte(c.Account), Value: value}, done)
}

// AppendWait appends a command and waits until it is durable or ctx ends. When
// ctx ends first, the outcome is unknown.
func AppendWait(ctx context.Context, l log.Log, c events.Command) error {
	durable := make(chan error, 1)
	Append(l, c, func(_ int64, err error) { durable <- err })
	select {
	case err := <-durable:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
