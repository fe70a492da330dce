package shard

import (
	"context"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// feed reads a partition's commands for its host, at most a window ahead of the
// credit that it gets back.
type feed struct {
	slots  chan struct{}
	cancel context.CancelFunc
	ended  chan struct{}
}

func startFeed(l eventlog.Log, partition int32, a Activate, root *actor.RootContext, host *actor.PID, logger *slog.Logger) *feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{slots: make(chan struct{}, a.Window), cancel: cancel, ended: make(chan struct{})}
	go f.run(ctx, l.Read(events.TopicCommands, partition, a.From), func(in Input) { root.Send(host, in) }, logger)
	return f
}

// run ends with its context, or with a Failed to the host.
func (f *feed) run(ctx context.Context, reader eventlog.Reader, tell func(Input), logger *slog.Logger) {
	defer close(f.ended)
	defer reader.Close()
	for {
		records, err := reader.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			tell(Failed{err})
			return
		}
		for _, r := range records {
			if !f.spend(ctx) {
				return
			}
			tell(Arrived{r.Offset, decode(r, logger)})
		}
	}
}

// decode gives a command without body for a record that holds none: it must
// still be passed by an envelope of its own.
func decode(r eventlog.Record, logger *slog.Logger) events.Command {
	c, err := events.DecodeCommand(r.Value)
	if err != nil {
		logger.Error("unreadable command passed over", "offset", r.Offset, "error", err)
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

// stop ends the feed and waits for its goroutine, which never blocks on the host.
func (f *feed) stop() {
	f.cancel()
	<-f.ended
}
