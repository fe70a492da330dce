package shard

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/events"
	"platen.dev/projections"
)

// This file looks at the log before an owner decides: at the journal before it announces itself, and at the public events
// once its marker is durable.

// onStarted subscribes to the replica, then announces the ownership. It does neither if the replica has halted: only another version
// of Platen can continue.
func (h *Host) onStarted(ctx actor.Context) {
	if err := h.cfg.Replica.Halted(h.partition); err != nil {
		h.board.show(h, Halted, err)
		return
	}
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.stopWatch = h.cfg.Replica.Watch(h.partition, func(p projections.Progress) { root.Send(self, p) })
	h.board.show(h, Starting, nil)
	root.Send(self, Announce{Timeline: events.NewTimelineID(), Now: events.At(h.cfg.Now())})
}

// lookLimit bounds how long an owner tries to read the last public events. After that it decides nevertheless: if the journal has just lost its end,
// some numbers of public events are used twice.
const lookLimit = 30 * time.Second

// look looks at the last public events, and at the end of the commands.
func (h *Host) look(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
		defer cancel()
		root.Send(self, h.looked(ctx))
	}()
}

func (h *Host) looked(ctx context.Context) Input {
	in := Looked{Timeline: events.NewTimelineID(), Now: events.At(h.cfg.Now())}
	if h.cfg.Published == nil {
		return in
	}
	var err error
	if _, in.End, err = h.cfg.Log.Bounds(ctx, events.TopicCommands, h.partition); err != nil {
		return Failed{err} // they could not be read either
	}
	if in.Published, err = h.cfg.Published(ctx, h.partition); err != nil {
		h.cfg.Logger.Error("cannot read the last public events: whether the journal has lost some of them is unknown", "partition", h.partition, "error", err)
	}
	return in
}
