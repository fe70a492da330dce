package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/account"
	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/tracing"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// Performer performs the effects of one kind. Its methods do not block.
type Performer interface {
	// Perform begins an effect that the job's state now asks for.
	Perform(partition int32, e job.Effect)
	// Resume begins an effect unless it is waiting or under way already.
	Resume(partition int32, e job.Effect)
	// Forget withdraws an effect that has not begun.
	Forget(key job.EffectKey)
	// ForgetAll withdraws the effects of a partition that have not begun. The partition's
	// next owner will begin them.
	ForgetAll(partition int32)
}

// Performers maps each kind of effect to its performer.
type Performers map[job.EffectKind]Performer

// Nodes knows which nodes are up.
type Nodes interface{ Alive(events.NodeID) bool }

// Config configures all hosts of a node.
type Config struct {
	Node    events.NodeID
	Version string
	Log     eventlog.Log
	Replica *projections.Replica
	Effects Performers
	Nodes   Nodes
	Logger  *slog.Logger
	// Now is the clock that stamps the commands sent by hosts.
	Now func() time.Time
	// Latest is the latest that true time may be. It equals Now unless Now is held back.
	Latest func() time.Time
	// MayOwn returns why this node should own no partitions now, nil if it may. It is called every second; owning says whether the node owns some
	// already. Nil means always.
	MayOwn func(owning bool) error
	// Publish publishes a partition's events from when a host serves it until stop is called. Neither blocks. Nil publishes nothing.
	Publish func(partition int32) (stop func())
	// Published returns the highest number among the public events of a partition. Nil means that there are none.
	Published func(ctx context.Context, partition int32) (int64, error)
	// Traces makes the spans of decisions; nil for none.
	Traces *tracing.Tracer
	// TrimCommands lets hosts trim commands that no job needs any more. Without it, the
	// log's own retention deletes them.
	TrimCommands bool
	// Failed is called when the commands of a partition cannot be read or decided, and no
	// later attempt would succeed. It must not block.
	Failed func(error)
}

const (
	// window is the maximal number of commands that a host has under way between the
	// command log and the journal.
	window = 512
	// tick is how often a host looks for jobs whose time has come.
	tick = time.Second
	// Measured in ticks; see Settings.
	passiveAfter  = 300
	sendAgain     = 10
	setAsideAgain = 600
	sweepEvery    = 30
	measureEvery  = 5
	// pageJobs is the number of unsettled jobs in a page: reading them takes some 20 ms.
	pageJobs = 4096
	// wakeBatch is the maximal number of due jobs handled in one tick.
	wakeBatch = 256
	trimLimit = 10 * time.Second
	// boundsLimit bounds a look at the bounds of the commands.
	boundsLimit = 5 * time.Second
)

// Host is the actor that owns one partition for one epoch. It turns messages into inputs
// of the Machine and carries out its outputs. It stops when it is superseded, when the
// log or the store fails, or once it has resigned.
type Host struct {
	cfg       Config
	partition int32
	machine   *Machine
	accounts  map[events.AccountID]*actor.PID
	feed      *feed
	ticker    *time.Timer
	stopWatch func()
	unpublish func() // nil before the host serves
	board     *board
	trimming  atomic.Bool
	scanning  sync.WaitGroup // pages being read
}

// newHost creates the host of a partition.
func newHost(cfg Config, partition int32, b *board) *Host {
	return &Host{
		cfg: cfg, partition: partition, accounts: map[events.AccountID]*actor.PID{},
		machine: NewMachine(cfg.settings()), board: b,
	}
}

func (c Config) settings() Settings {
	return Settings{
		Node: c.Node, Version: c.Version, Window: window, Alive: c.Nodes.Alive,
		PassiveAfter: passiveAfter, SendAgain: sendAgain, SetAsideAgain: setAsideAgain,
		SweepEvery: sweepEvery, PageJobs: pageJobs, MeasureEvery: measureEvery, Trim: c.TrimCommands,
		Commands: events.TopicID(c.Log.TopicID(events.TopicCommands)), Level: events.NewestLevel,
	}
}

// Messages of the host to itself that are not yet inputs.
type (
	appended struct{ offset int64 } // the marker is durable
	ticked   struct{}
)

// proceed is the operator's permission for a halted partition to continue.
type proceed struct{ partition int32 }

// Receive implements actor.Actor.
func (h *Host) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		h.onStarted(ctx)
	case appended:
		h.step(ctx, Announced{m.offset, h.cfg.Replica.Cursor(h.partition)})
	case projections.Progress:
		h.onProgress(ctx, m)
	case account.Decided:
		h.onDecided(ctx, m)
	case ticked:
		h.onTicked(ctx)
	case proceed:
		h.bounds(ctx, func(start, end int64) Input { return Continue{start, end} })
	case Skipped:
		h.onSkipped(ctx, m)
	case Input:
		h.step(ctx, m)
	case *actor.Stopping:
		h.onStopping(ctx)
	}
}

// step gives the machine an input and carries out the outputs.
func (h *Host) step(ctx actor.Context, in Input) {
	for _, out := range h.machine.Step(in) {
		h.do(ctx, out)
	}
}

func (h *Host) do(ctx actor.Context, out Output) {
	switch out := out.(type) {
	case Append:
		h.append(ctx, out.Entry)
	case Look:
		h.look(ctx)
	case Activate:
		h.activate(ctx, out)
	case Credit:
		h.feed.credit()
	case StopReading:
		h.stopReading()
	case Halt:
		h.halt(out.Err)
	case Measure:
		h.bounds(ctx, func(_, end int64) Input { return Measured{end} })
	case Decide:
		ctx.Send(h.account(ctx, out.Command.Account), account.DecideCommand{Cause: out.Cause, Command: out.Command})
	case Commit:
		ctx.Send(h.account(ctx, out.Account), account.Committed{Cause: out.Cause})
	case Retire:
		h.retire(ctx, out.Account)
	case Reply:
		deliver(ctx, out.To, out.CommandReply)
	case Traced:
		h.traced(out)
	case Begin:
		h.begin(out.Effect)
	case Resume:
		h.cfg.Effects[out.Effect.Key().Kind].Resume(h.partition, out.Effect)
	case Forget:
		h.cfg.Effects[out.Key.Kind].Forget(out.Key)
	case ForgetAll:
		h.forgetAll()
	case Send:
		h.send(out)
	case Scan:
		h.scan(ctx, out)
	case Trim:
		h.trim(out.Before)
	case Stop:
		h.stop(ctx, out.Err)
	}
}

// errRestored means that the replica has skipped records of the journal, possibly those that this owner waits for.
var errRestored = errors.New("the replica was so far behind that it had to load a snapshot")

func (h *Host) onProgress(ctx actor.Context, p projections.Progress) {
	if err := cmp.Or(p.Halted, restored(p)); err != nil {
		h.step(ctx, Failed{err})
		return
	}
	h.step(ctx, Folded{p.Steps, p.Cursor})
}

func restored(p projections.Progress) error {
	if p.Restored {
		return errRestored
	}
	return nil
}

// onSkipped raises the alarm: nobody got a reply to these commands, so no promise is broken, but a well-configured log does not trim them.
func (h *Host) onSkipped(ctx actor.Context, m Skipped) {
	h.board.lost.Add(m.To - m.From)
	h.cfg.Logger.Error("commands were trimmed before they were decided, continuing behind them: check the retention of "+events.TopicCommands,
		"partition", h.partition, "from", m.From, "to", m.To)
	h.step(ctx, m)
}

func (h *Host) onDecided(ctx actor.Context, m account.Decided) {
	switch {
	case errors.Is(m.Err, table.ErrUndecodable) && !h.cfg.Replica.Renew(h.partition, m.Err): // the journal itself says so
		ctx.Send(h.account(ctx, m.Command.Account), account.SetAside{Cause: m.Cause, Command: m.Command, Why: m.Err})
		return
	case m.Err != nil:
		h.step(ctx, Failed{m.Err})
		return
	}
	if m.Decision.SetAside != "" {
		h.board.setAside.Add(1)
		h.cfg.Logger.Error("a command was set aside, because it cannot be decided", "partition", h.partition, "cause", m.Cause, "reason", m.Decision.SetAside)
	}
	h.step(ctx, Decided{m.Cause, m.Decision})
}

func (h *Host) append(ctx actor.Context, entry events.Entry) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	value, err := events.EncodeEntry(entry)
	if err != nil {
		root.Send(self, Failed{err})
		return
	}
	record := eventlog.Record{Value: value}
	if e, ok := entry.(events.Envelope); ok {
		record.Key = []byte(e.Account)
	}
	_, marker := entry.(events.Marker)
	h.cfg.Log.Append(events.TopicJournal, h.partition, record, func(offset int64, err error) {
		switch {
		case err != nil:
			root.Send(self, Failed{err})
		case marker:
			root.Send(self, appended{offset})
		}
	})
}

// activate starts to read commands; again after a halt.
func (h *Host) activate(ctx actor.Context, out Activate) {
	h.stopReading()
	h.board.show(h, Serving, nil)
	h.cfg.Logger.Debug("shard owned", "partition", h.partition, "epoch", h.machine.Epoch(), "from", out.From)
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.feed = startFeed(h.cfg, h.partition, out, func(in Input) { root.Send(self, in) })
	if h.ticker == nil {
		h.schedule(ctx)
	}
	if h.unpublish == nil && h.cfg.Publish != nil {
		h.unpublish = h.cfg.Publish(h.partition)
	}
}

// halt reports that commands are lost. The node may hold other partitions, so it continues.
func (h *Host) halt(err error) {
	h.board.show(h, Halted, err)
	h.cfg.Logger.Error("shard halted, its accounts get no replies: inspect it with `platen admin partition list`", "then", fmt.Sprintf("platen admin partition continue %d", h.partition),
		"partition", h.partition, "error", err)
}

// bounds looks at the bounds of the partition's commands, on a goroutine of its own. If the
// log does not answer, there is no input.
func (h *Host) bounds(ctx actor.Context, in func(start, end int64) Input) {
	self, root, log := ctx.Self(), ctx.ActorSystem().Root, h.cfg.Log
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), boundsLimit)
		defer cancel()
		if start, end, err := log.Bounds(ctx, events.TopicCommands, h.partition); err == nil {
			root.Send(self, in(start, end))
		}
	}()
}

func (h *Host) schedule(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.ticker = time.AfterFunc(tick, func() { root.Send(self, ticked{}) })
}

func (h *Host) onTicked(ctx actor.Context) {
	due, err := account.Due(h.cfg.Replica, h.partition, events.At(h.cfg.Now()), wakeBatch)
	if err != nil && !(errors.Is(err, table.ErrUndecodable) && h.cfg.Replica.Renew(h.partition, err)) {
		h.cfg.Logger.Error("cannot read due jobs", "partition", h.partition, "error", err)
	}
	h.step(ctx, Ticked{due})
	h.schedule(ctx)
}

// account returns the actor of an account, spawning it if necessary.
func (h *Host) account(ctx actor.Context, id events.AccountID) *actor.PID {
	pid, ok := h.accounts[id]
	if !ok {
		store := account.ReplicaStore{Reader: h.cfg.Replica, Partition: h.partition}
		pid = ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return account.NewActor(id, store) }))
		h.accounts[id] = pid
	}
	return pid
}

func (h *Host) retire(ctx actor.Context, id events.AccountID) {
	ctx.Stop(h.accounts[id])
	delete(h.accounts, id)
}

// traced makes the span of a decision.
func (h *Host) traced(out Traced) {
	f := tracing.Facts{Job: out.Job.Job, Partition: h.partition, Operation: out.Job.Operation}
	if out.Reply.Job != nil {
		f.Job = *out.Reply.Job // the job of the request that this one repeats
	}
	if out.Reply.Code != events.Accepted && out.Reply.Code != events.Replayed {
		f.Code = events.ErrorCode(out.Reply.Code)
	}
	h.cfg.Traces.Span(out.Job.Trace, tracing.Decide, out.Command.At.Time()).End(h.cfg.Now(), f)
}

func (h *Host) begin(e job.Effect) { h.cfg.Effects[e.Key().Kind].Perform(h.partition, e) }

func (h *Host) forgetAll() {
	for _, p := range h.cfg.Effects {
		p.ForgetAll(h.partition)
	}
}

// send appends a command of the owner's own. The machine sends it again if it gets lost.
func (h *Host) send(out Send) {
	c := events.NewCommand(out.Account, h.cfg.Now(), out.Body)
	command.Append(h.cfg.Log, c, func(_ int64, err error) {
		if err != nil {
			h.cfg.Logger.Warn("cannot append a command", "partition", h.partition, "error", err)
		}
	})
}

// scan reads a page of jobs on its own goroutine, which ends before the host does: the replica is closed once all hosts have ended.
func (h *Host) scan(ctx actor.Context, out Scan) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	h.scanning.Go(func() {
		page, err := out.Read(h.cfg.Replica, h.partition)
		if err != nil {
			root.Send(self, Failed{err})
			return
		}
		if page.Unreadable != nil && !h.cfg.Replica.Renew(h.partition, page.Unreadable) {
			h.cfg.Logger.Error("an unsettled job cannot be read: nothing is done for it, and no commands are trimmed", "partition", h.partition, "error", page.Unreadable)
		}
		root.Send(self, page)
	})
}

// trim deletes commands on a goroutine, one trim at a time: a disk may hang.
func (h *Host) trim(before int64) {
	if !h.trimming.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer h.trimming.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), trimLimit)
		defer cancel()
		if err := h.cfg.Log.Trim(ctx, events.TopicCommands, h.partition, before); err != nil {
			h.cfg.Logger.Warn("cannot trim the commands", "partition", h.partition, "error", err)
		}
	}()
}

func (h *Host) stop(ctx actor.Context, err error) {
	if err != nil {
		h.cfg.Logger.Warn("shard given up", "partition", h.partition, "epoch", h.machine.Epoch(), "error", err)
	}
	if errors.Is(err, ErrStalled) { // the next host of this node would fare no better
		h.cfg.Failed(fmt.Errorf("partition %d: %w", h.partition, err))
	}
	ctx.Stop(ctx.Self())
}

func (h *Host) stopReading() {
	if h.feed != nil {
		h.feed.stop()
	}
}

// onStopping may come before messages that were sent earlier, such as a Resign.
func (h *Host) onStopping(ctx actor.Context) {
	h.step(ctx, Abandoned{})
	h.board.remove(h)
	if h.stopWatch != nil {
		h.stopWatch()
	}
	h.stopReading()
	if h.ticker != nil {
		h.ticker.Stop()
	}
	if h.unpublish != nil {
		h.unpublish()
	}
	h.scanning.Wait()
}
