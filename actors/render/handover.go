package render

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/job"
	"platen.dev/events"
)

const (
	// answerLimit is how long a node may take to answer whether it takes a job; the
	// job waits for it.
	answerLimit = 500 * time.Millisecond
	// restAfter is how long a node that refused, or was silent, is asked for nothing.
	restAfter = time.Second
	// beginLimit is after how long a job that a node took, and of whose beginning the
	// journal knows nothing, is taken up again. Both attempts then do no harm.
	beginLimit = time.Minute
)

// handover asks another node to render a job. The content is where both can read it.
type handover struct {
	Partition int32            `cbor:"1,keyasint"`
	Account   events.AccountID `cbor:"2,keyasint"`
	Job       events.JobID     `cbor:"3,keyasint"`
	Content   int64            `cbor:"4,keyasint"`
	MaxFile   int64            `cbor:"5,keyasint,omitempty"`
	Lane      events.Lane      `cbor:"6,keyasint,omitempty"`
}

// answer is what becomes of a handover.
type answer struct {
	Job   events.JobID `cbor:"1,keyasint"`
	Taken bool         `cbor:"2,keyasint,omitempty"`
}

// acquaintance is what this node remembers of another.
type acquaintance struct {
	// given counts what the node was given since it told its load.
	load  Load
	given int
	// rests is until when it is asked for nothing.
	rests time.Time
}

// handOver offers the jobs that wait to nodes that would begin them at once.
func (d *dispatcher) handOver(ctx actor.Context) {
	if d.cfg.Peers == nil || d.closing || len(d.queues[0])+len(d.queues[1]) == 0 {
		return
	}
	peers := d.acquaint(d.cfg.Peers.Peers())
	given := func(p Peer) int { return d.peers[p.Node].given }
	open := [lanes]bool{true, true}
	for {
		e := d.first(func(in int) bool { return open[in] })
		if e == nil {
			return
		}
		to, ok := choose(e.lane(), peers, given)
		if !ok {
			open[e.lane()] = false
			continue
		}
		d.offer(ctx, d.dequeue(e), to)
	}
}

// acquaint notes what is new of the nodes, and gives those that may be asked.
func (d *dispatcher) acquaint(peers []Peer) (able []Peer) {
	now, before := d.cfg.Now(), d.peers
	d.peers = make(map[events.NodeID]*acquaintance, len(peers))
	for _, p := range peers {
		a := before[p.Node]
		if a == nil {
			a = &acquaintance{}
		}
		if a.load != p.Load {
			a.load, a.given = p.Load, 0
		}
		d.peers[p.Node] = a
		if p.Node != d.cfg.Node && !now.Before(a.rests) {
			able = append(able, p)
		}
	}
	return able
}

// offer asks a node to take a job.
func (d *dispatcher) offer(ctx actor.Context, e *entry, to Peer) {
	r := e.take.effect
	b, err := cbor.Marshal(handover{e.take.partition, r.Account, r.Job, r.Content, r.MaxFile, r.Lane})
	if err != nil {
		panic(err) // cannot be: the fields are plain
	}
	e.where, e.to = offered, to.Node
	d.peers[to.Node].given++
	future := ctx.ActorSystem().Root.RequestFuture(to.Renderer, wrapperspb.Bytes(b), answerLimit)
	ctx.ReenterAfter(future, func(result any, err error) {
		d.onAnswered(ctx, e, isTaken(r.Job, result, err))
		d.next(ctx)
	})
}

// isTaken tells whether a node answered that it takes a job.
func isTaken(id events.JobID, result any, err error) bool {
	m, ok := result.(*wrapperspb.BytesValue)
	if err != nil || !ok || len(m.Value) > maxHandover {
		return false
	}
	var a answer
	return cbor.Unmarshal(m.Value, &a) == nil && a.Job == id && a.Taken
}

// onAnswered hears from a node, or of its silence. The job may have been begun,
// dropped or taken back meanwhile.
func (d *dispatcher) onAnswered(ctx actor.Context, e *entry, taken bool) {
	if taken {
		d.counts.HandedOver++
	} else {
		d.counts.Refused++
		d.rest(ctx, e.to)
	}
	switch {
	case d.known[e.take.effect.Job] != e || e.where != offered:
	case taken:
		e.where = away
		self, root := ctx.Self(), ctx.ActorSystem().Root
		e.overdue = time.AfterFunc(beginLimit, func() { root.Send(self, overdue{e}) })
	default:
		d.enqueue(e)
	}
}

// rest leaves a node alone for a while.
func (d *dispatcher) rest(ctx actor.Context, node events.NodeID) {
	if a := d.peers[node]; a != nil {
		a.rests = d.cfg.Now().Add(restAfter)
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(restAfter, func() { root.Send(self, reconsider{}) })
	}
}

func (e *entry) stopTimer() {
	if e.overdue != nil {
		e.overdue.Stop()
		e.overdue = nil
	}
}

// takeBack lets a job wait here again, in its old place.
func (d *dispatcher) takeBack(e *entry) {
	d.counts.TakenBack++
	e.stopTimer()
	d.enqueue(e)
}

func (d *dispatcher) onOverdue(e *entry) {
	if d.known[e.take.effect.Job] == e && e.where == away {
		d.takeBack(e)
	}
}

func (d *dispatcher) onNodeGone(node events.NodeID) {
	for _, e := range d.known {
		if (e.where == away || e.where == offered) && e.to == node {
			d.takeBack(e)
		}
	}
}

// maxHandover and maxID bound a message of another node, and a name in it.
const (
	maxHandover = 1 << 10
	maxID       = 128
)

// errForeign refuses a message that no node of this version sends.
var errForeign = errors.New("foreign message")

// decodeHandover checks what another node sent: the job must be one of its
// partition, and the attempt checks that the content is the job's.
func decodeHandover(b []byte, partitions int32) (take, error) {
	var h handover
	if len(b) > maxHandover || cbor.Unmarshal(b, &h) != nil {
		return take{}, errForeign
	}
	switch {
	case h.Account == "" || len(h.Account) > maxID, h.Job == (events.JobID{}),
		h.Partition != events.Partition(h.Account, partitions),
		h.Content < 0, h.MaxFile < 0 || h.MaxFile > 1<<40, h.Lane > events.Slow:
		return take{}, errForeign
	}
	return take{partition: h.Partition, effect: job.Render{
		Account: h.Account, Job: h.Job, Content: h.Content, MaxFile: h.MaxFile, Lane: h.Lane,
	}}, nil
}

// onOffered takes a job of another node if there is a page for it at once, so that
// none waits here, or is handed on. The other may know an older load.
func (d *dispatcher) onOffered(ctx actor.Context, b []byte) {
	m, err := decodeHandover(b, d.cfg.Log.Partitions())
	if err != nil {
		d.cfg.Logger.Warn("foreign message to the renderer", "bytes", len(b))
		return
	}
	a := answer{Job: m.effect.Job}
	if e, known := d.known[a.Job]; known {
		a.Taken = e.where == running
	} else if in := lane(m.effect.Lane); d.room(in) && d.load().fits(in, 0) {
		a.Taken = true
		d.counts.TakenOver++
		d.begin(ctx, d.know(m))
	}
	if ctx.Sender() == nil {
		return
	}
	if b, err = cbor.Marshal(a); err == nil {
		ctx.Respond(wrapperspb.Bytes(b))
	}
}
