package shard

import (
	"context"
	"errors"
	"fmt"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// feed reads a partition's commands for its host. It stays at most one window ahead of
// the credit returned to it.
type feed struct {
	slots  chan struct{}
	cancel context.CancelFunc
	ended  chan struct{}
}

func startFeed(cfg Config, partition int32, a Activate, tell func(Input)) *feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{slots: make(chan struct{}, a.Window), cancel: cancel, ended: make(chan struct{})}
	go f.run(ctx, reading{cfg, partition, tell}, a.From)
	return f
}

// reading says which partition a feed reads, and whom it tells.
type reading struct {
	cfg       Config
	partition int32
	tell      func(Input)
}

// run reads until its context ends, and continues after commands that were trimmed. On an error it
// tells the host and stops. A node that cannot read a partition's commands is no use to it, and
// fails as a whole. Commands that the log has lost are a fault of the partition alone.
func (f *feed) run(ctx context.Context, r reading, from int64) {
	defer close(f.ended)
	for {
		next, err := f.read(ctx, r, from)
		if errors.Is(err, eventlog.ErrTrimmed) {
			next, err = f.skip(ctx, r, next)
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, eventlog.ErrBeyondEnd), errors.Is(err, eventlog.ErrReplaced):
			r.tell(Lost{fmt.Errorf("command %d is next: %w", next, err)})
			return
		case err != nil:
			r.tell(Failed{err})
			if !errors.Is(err, eventlog.ErrClosed) {
				r.cfg.Failed(fmt.Errorf("read commands: %w", err))
			}
			return
		}
		from = next
	}
}

// read reads from an offset until an error, and returns it with the offset of the next command.
func (f *feed) read(ctx context.Context, r reading, from int64) (next int64, err error) {
	reader := r.cfg.Log.Read(events.TopicCommands, r.partition, from)
	defer reader.Close()
	for next = from; ; {
		records, err := reader.Next(ctx)
		if err != nil {
			return next, err
		}
		for _, record := range records {
			if !f.spend(ctx) {
				return next, ctx.Err()
			}
			c, err := r.decode(record)
			if err != nil {
				return next, err
			}
			next = record.Offset + 1
			r.tell(Arrived{record.Offset, c, events.At(r.cfg.Now()), events.At(r.cfg.Latest())})
		}
	}
}

// skip continues after commands that were trimmed.
func (f *feed) skip(ctx context.Context, r reading, from int64) (next int64, err error) {
	start, _, err := r.cfg.Log.Bounds(ctx, events.TopicCommands, r.partition)
	if err == nil && start <= from {
		err = eventlog.ErrTrimmed // the commands are there after all: retrying would never end
	}
	if err != nil {
		return from, err
	}
	if !f.spend(ctx) {
		return from, ctx.Err()
	}
	r.tell(Skipped{From: from, To: start})
	return start, nil
}

// decode returns a command without a body if the record is not Platen's, or belongs into another partition: it still needs an
// envelope. A command of a newer version is an error: a node that knows it will decide it.
func (r reading) decode(record eventlog.Record) (events.Command, error) {
	c, err := events.DecodeCommand(record.Value)
	known := err == nil || errors.Is(err, events.ErrNewer) && c.Account != "" // whose command it is: the owner of that partition decides what the account does
	if of := events.Partition(c.Account, r.cfg.Log.Partitions()); known && of != r.partition {
		err = fmt.Errorf("a command of partition %d: another program has copied it", of)
	}
	switch {
	case errors.Is(err, events.ErrNewer):
		return c, fmt.Errorf("command at offset %d of %s/%d: %w", record.Offset, events.TopicCommands, r.partition, err)
	case err != nil:
		r.cfg.Logger.Error("unreadable command skipped", "topic", events.TopicCommands, "partition", r.partition, "offset", record.Offset, "error", err)
		return events.Command{}, nil
	}
	return c, nil
}

// spend waits for room in the window.
func (f *feed) spend(ctx context.Context) bool {
	select {
	case f.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// credit makes room for one more command.
func (f *feed) credit() { <-f.slots }

// stop ends the feed and waits for its goroutine, which never waits for the host.
func (f *feed) stop() {
	f.cancel()
	<-f.ended
}
