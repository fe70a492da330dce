package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

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
	go f.run(ctx, cfg, cfg.Log.Read(events.TopicCommands, partition, a.From), tell)
	return f
}

// run reads until its context ends. On an error it sends the host a Failed and stops. A
// partition whose commands cannot be read is of no use to this node: it fails as a whole.
// Commands that were trimmed are a fault of the partition, not of the node.
func (f *feed) run(ctx context.Context, cfg Config, reader eventlog.Reader, tell func(Input)) {
	defer close(f.ended)
	defer reader.Close()
	for {
		records, err := reader.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			tell(Failed{err})
			if !errors.Is(err, eventlog.ErrTrimmed) && !errors.Is(err, eventlog.ErrClosed) {
				cfg.Failed(fmt.Errorf("read commands: %w", err))
			}
			return
		}
		for _, r := range records {
			if !f.spend(ctx) {
				return
			}
			tell(Arrived{r.Offset, decode(r, cfg.Logger)})
		}
	}
}

// decode returns a command without a body if the record cannot be read: it still needs an
// envelope of its own.
func decode(r eventlog.Record, logger *slog.Logger) events.Command {
	c, err := events.DecodeCommand(r.Value)
	if err != nil {
		logger.Error("unreadable command skipped", "offset", r.Offset, "error", err)
		return events.Command{}
	}
	return c
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
