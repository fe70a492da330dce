package shard

import (
	"context"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/account"
	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// Performer performs the effects of one partition's jobs. Its calls return at once.
type Performer interface {
	// Perform begins an effect; asking for one that is under way changes nothing.
	Perform(partition int32, e job.Effect)
	// Begun tells that an attempt, here or elsewhere, holds a job: it need not be
	// rendered until that is asked for again.
	Begun(id events.JobID)
	// Drop forgets the effects of a partition that have not begun: its next owner
	// will ask for them.
	Drop(partition int32)
}

// Nodes tells which nodes are up.
type Nodes interface{ Alive(events.NodeID) bool }

// Config is what the hosts of a node share.
type Config struct {
	Node    events.NodeID
	Version string
	Log     eventlog.Log
	Replica *projections.Replica
	Effects Performer
	Nodes   Nodes
	Logger  *slog.Logger
	// Now is the clock of the commands that hosts send.
	Now func() time.Time
	// TrimCommands makes hosts forget commands that no job needs any more. Without
	// it, the log's own retention does.
	TrimCommands bool
}

const (
	// window is how many commands a host has under way between log and journal.
	window = 512
	// tick is how often a host looks for jobs whose time has come.
	tick = time.Second
	// passiveAfter is after how many ticks without a command an account's actor stops.
	passiveAfter = 300
	// wakeAgain is after how many ticks an unheard WakeJob is sent again.
	wakeAgain = 10
	// wakeBatch bounds the WakeJob commands of one tick.
	wakeBatch = 256
	// trimEvery is how many ticks lie between two trims of the commands.
	trimEvery = 60
	trimLimit = 10 * time.Second
)

// Host is the actor that owns one partition for one epoch. It stops when it is
// superseded, when the log or the store fails, or when it is told to resign.
type Host struct {
	cfg       Config
	partition int32
	owner     *Owner
	stopWatch func()
	feed      *feed
	accounts  map[events.AccountID]*resident
	waking    map[events.JobID]int // tick at which a WakeJob was sent
	ticks     int
	ticker    *time.Timer
	resigning bool
}

// resident is an account with an actor.
type resident struct {
	pid      *actor.PID
	inFlight int
	lastUsed int // tick
}

// Messages of the host to itself.
type (
	announced struct {
		offset int64
		err    error
	}
	arrived struct {
		cause   int64
		command events.Command
	}
	failed   struct{ err error }
	ticked   struct{}
	resign   struct{}
	nodeGone struct{ node events.NodeID }
)

// NewHost makes the host of a partition.
func NewHost(cfg Config, partition int32) *Host {
	return &Host{
		cfg: cfg, partition: partition, owner: NewOwner(),
		accounts: map[events.AccountID]*resident{},
		waking:   map[events.JobID]int{},
	}
}

// Receive dispatches.
func (h *Host) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		h.onStarted(ctx)
	case announced:
		h.onAnnounced(ctx, m)
	case projections.Progress:
		h.onProgress(ctx, m)
	case arrived:
		h.onArrived(ctx, m)
	case account.Decided:
		h.onDecided(ctx, m)
	case failed:
		h.stop(ctx, m.err)
	case ticked:
		h.onTick(ctx)
	case nodeGone:
		h.loseRenders(func(n events.NodeID) bool { return n == m.node })
	case resign:
		h.onResign(ctx)
	case *actor.Stopping:
		h.onStopping()
	}
}

// onStarted watches the replica, then announces the ownership.
func (h *Host) onStarted(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.stopWatch = h.cfg.Replica.Watch(h.partition, func(p projections.Progress) { root.Send(self, p) })
	value, err := events.EncodeEntry(events.Marker{Owner: h.cfg.Node, Version: h.cfg.Version})
	if err != nil {
		h.stop(ctx, err)
		return
	}
	h.cfg.Log.Append(events.TopicJournal, h.partition, eventlog.Record{Value: value}, func(offset int64, err error) {
		root.Send(self, announced{offset, err})
	})
}

func (h *Host) onAnnounced(ctx actor.Context, m announced) {
	if m.err != nil {
		h.stop(ctx, m.err)
		return
	}
	h.owner.Announced(m.offset)
	h.activate(ctx)
}

// activate begins to decide once the replica has read the marker.
func (h *Host) activate(ctx actor.Context) {
	next, ready, err := h.owner.Activate(h.cfg.Replica.Cursor(h.partition))
	if err != nil {
		h.stop(ctx, err)
		return
	}
	if !ready {
		return
	}
	h.cfg.Logger.Info("shard owned", "partition", h.partition, "epoch", h.owner.epoch, "from", next)
	h.feed = startFeed(h.cfg.Log, h.partition, next, ctx.ActorSystem().Root, ctx.Self(), h.cfg.Logger)
	h.takeOver(ctx)
	h.schedule(ctx)
}

// takeOver performs what the jobs' states ask for, as the owner before may not have.
func (h *Host) takeOver(ctx actor.Context) {
	err := account.Unsettled(h.cfg.Replica, h.partition, func(id events.JobID, s job.State) {
		for _, e := range job.Pending(id, s) {
			h.cfg.Effects.Perform(h.partition, e)
		}
	})
	if err != nil {
		h.stop(ctx, err)
		return
	}
	h.loseRenders(func(n events.NodeID) bool { return !h.cfg.Nodes.Alive(n) })
}

// loseRenders sends LoseRender for every attempt that runs on a node that is gone.
func (h *Host) loseRenders(gone func(events.NodeID) bool) {
	if !h.owner.Active() {
		return
	}
	err := account.Unsettled(h.cfg.Replica, h.partition, func(id events.JobID, s job.State) {
		if lose, ok := job.Lost(id, s, gone); ok {
			h.send(s.Account, lose)
		}
	})
	if err != nil {
		h.cfg.Logger.Error("look for lost renders", "partition", h.partition, "error", err)
	}
}

// send appends a command of the host's own; a lost one is sent again by a later tick.
func (h *Host) send(id events.AccountID, body events.CommandBody) {
	c := events.Command{ID: events.NewCommandID(), Account: id, At: events.At(h.cfg.Now()), Body: body}
	command.Append(h.cfg.Log, c, func(_ int64, err error) {
		if err != nil {
			h.cfg.Logger.Warn("command not appended", "partition", h.partition, "error", err)
		}
	})
}

func (h *Host) onArrived(ctx actor.Context, m arrived) {
	if h.resigning {
		return
	}
	h.owner.Take(m.cause, m.command)
	if m.command.Body == nil { // unreadable: its envelope says only that it is passed
		h.onDecided(ctx, account.Decided{Cause: m.cause})
		return
	}
	r := h.resident(ctx, m.command.Account)
	r.inFlight++
	r.lastUsed = h.ticks
	ctx.Send(r.pid, account.DecideCommand{Cause: m.cause, Command: m.command})
}

func (h *Host) resident(ctx actor.Context, id events.AccountID) *resident {
	if r, ok := h.accounts[id]; ok {
		return r
	}
	store := account.Replica{Reader: h.cfg.Replica, Partition: h.partition}
	pid := ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return account.NewActor(id, store) }))
	r := &resident{pid: pid}
	h.accounts[id] = r
	return r
}

func (h *Host) onDecided(ctx actor.Context, m account.Decided) {
	if m.Err != nil {
		h.stop(ctx, m.Err)
		return
	}
	self, root := ctx.Self(), ctx.ActorSystem().Root
	for _, e := range h.owner.Decided(m.Cause, m.Decision) {
		value, err := events.EncodeEntry(e)
		if err != nil {
			h.stop(ctx, err)
			return
		}
		h.cfg.Log.Append(events.TopicJournal, h.partition, eventlog.Record{Key: []byte(e.Account), Value: value}, func(_ int64, err error) {
			if err != nil {
				root.Send(self, failed{err})
			}
		})
	}
}

// onProgress performs what was read back, in order.
func (h *Host) onProgress(ctx actor.Context, p projections.Progress) {
	for _, step := range p.Steps {
		outcome, ours, err := h.owner.ReadBack(step)
		if err != nil {
			h.stop(ctx, err)
			return
		}
		if ours {
			h.perform(ctx, outcome)
		}
	}
	if !h.owner.Active() {
		h.activate(ctx)
	}
	if h.resigning && h.owner.Waiting() == 0 {
		ctx.Stop(ctx.Self())
	}
}

func (h *Host) perform(ctx actor.Context, o Outcome) {
	h.feed.release()
	if r, ok := h.accounts[o.Command.Account]; ok && o.Command.Body != nil {
		r.inFlight--
		ctx.Send(r.pid, account.Committed{Cause: o.Cause})
	}
	if w, ok := o.Command.Body.(events.WakeJob); ok {
		delete(h.waking, w.Job)
	}
	if to := o.Command.ReplyTo; to != nil && o.Decision.Reply != nil {
		deliver(ctx, *to, Answer{o.Command.ID, *o.Decision.Reply})
	}
	for _, e := range o.Decision.Effects {
		h.cfg.Effects.Perform(h.partition, e)
	}
	for _, ev := range o.Decision.Events {
		if e, ok := ev.(events.RenderStarted); ok {
			h.onRenderStarted(o.Command.Account, e)
		}
	}
}

// onRenderStarted says that nobody else needs to begin, and loses a render whose node went down between sending its
// StartRender and this decision about it: nobody else will tell.
func (h *Host) onRenderStarted(id events.AccountID, e events.RenderStarted) {
	h.cfg.Effects.Begun(e.Job)
	if !h.cfg.Nodes.Alive(e.Node) {
		h.send(id, events.LoseRender{Job: e.Job, Attempt: e.Attempt})
	}
}

func (h *Host) schedule(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.ticker = time.AfterFunc(tick, func() { root.Send(self, ticked{}) })
}

// onTick wakes the jobs whose time has come and retires accounts that nobody uses.
func (h *Host) onTick(ctx actor.Context) {
	h.ticks++
	h.wakeDue()
	if h.cfg.TrimCommands && h.ticks%trimEvery == 0 {
		h.trim()
	}
	for id, r := range h.accounts {
		if r.inFlight == 0 && h.ticks-r.lastUsed > passiveAfter {
			ctx.Stop(r.pid)
			delete(h.accounts, id)
		}
	}
	h.schedule(ctx)
}

func (h *Host) wakeDue() {
	ready, err := account.Due(h.cfg.Replica, h.partition, events.At(h.cfg.Now()), wakeBatch)
	if err != nil {
		h.cfg.Logger.Error("look for due jobs", "partition", h.partition, "error", err)
		return
	}
	for _, ref := range ready {
		if sent, ok := h.waking[ref.Job]; !ok || h.ticks-sent >= wakeAgain {
			h.waking[ref.Job] = h.ticks
			h.send(ref.Account, events.WakeJob{Job: ref.Job})
		}
	}
}

// trim forgets the commands below the content that jobs under way still need:
// what they changed is in the journal.
func (h *Host) trim() {
	floor, err := account.OldestContent(h.cfg.Replica, h.partition, h.cfg.Replica.Cursor(h.partition).Cause+1)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), trimLimit)
		defer cancel()
		err = h.cfg.Log.Trim(ctx, events.TopicCommands, h.partition, floor)
	}
	if err != nil {
		h.cfg.Logger.Warn("commands not trimmed", "partition", h.partition, "error", err)
	}
}

// onResign stops taking commands, and stops once those taken are read back.
func (h *Host) onResign(ctx actor.Context) {
	h.resigning = true
	h.cfg.Effects.Drop(h.partition)
	if h.feed != nil {
		h.feed.stop()
	}
	if h.owner.Waiting() == 0 {
		ctx.Stop(ctx.Self())
	}
}

func (h *Host) stop(ctx actor.Context, err error) {
	h.cfg.Logger.Warn("shard given up", "partition", h.partition, "epoch", h.owner.epoch, "reason", err)
	h.cfg.Effects.Drop(h.partition)
	ctx.Stop(ctx.Self())
}

func (h *Host) onStopping() {
	h.stopWatch()
	if h.feed != nil {
		h.feed.stop()
	}
	if h.ticker != nil {
		h.ticker.Stop()
	}
}
