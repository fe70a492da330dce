package render

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/job"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// answerLimit is how long a node may take to answer an offer. The job waits meanwhile.
const answerLimit = 500 * time.Millisecond

// offerMessage asks another node to render a job. The content is in the log, where both
// nodes can read it.
type offerMessage struct {
	Partition int32            `cbor:"1,keyasint"`
	Account   events.AccountID `cbor:"2,keyasint"`
	Job       events.JobID     `cbor:"3,keyasint"`
	Content   int64            `cbor:"4,keyasint"`
	MaxFile   int64            `cbor:"5,keyasint,omitempty"`
	Lane      events.Lane      `cbor:"6,keyasint,omitempty"`
	Weight    int              `cbor:"7,keyasint,omitempty"`
	Queued    events.Instant   `cbor:"8,keyasint,omitempty"`
}

// offerAnswer is the response to an offer.
type offerAnswer struct {
	Job   events.JobID `cbor:"1,keyasint"`
	Taken bool         `cbor:"2,keyasint,omitempty"`
}

// offer asks another node to take a job. No answer counts as a refusal.
func (d *dispatcher) offer(ctx actor.Context, out dispatch.Offer) {
	r := out.Effect
	b, err := cbor.Marshal(offerMessage{out.Partition, r.Account, r.Job, r.Content, r.MaxFile, r.Lane, out.Weight, r.Queued})
	if err != nil {
		panic(err) // cannot happen: the fields are plain values
	}
	in := dispatch.Answered{Job: r.Job, Offer: out.Offer, From: out.To}
	to := d.cfg.Peers.Renderer(out.To)
	if to == nil {
		in.Silent = true
		ctx.ActorSystem().Root.Send(ctx.Self(), in)
		return
	}
	future := ctx.ActorSystem().Root.RequestFuture(to, wrapperspb.Bytes(b), answerLimit)
	ctx.ReenterAfter(future, func(result any, err error) {
		in.Taken, in.Silent = isTaken(r.Job, result, err), err != nil
		d.take(ctx, in)
	})
}

// isTaken reports whether a node has accepted a job.
func isTaken(id events.JobID, result any, err error) bool {
	m, ok := result.(*wrapperspb.BytesValue)
	if err != nil || !ok || len(m.Value) > maxOffer {
		return false
	}
	var a offerAnswer
	return cbor.Unmarshal(m.Value, &a) == nil && a.Job == id && a.Taken
}

// onOffered handles another node's offer.
func (d *dispatcher) onOffered(ctx actor.Context, b []byte) {
	in, err := decodeOffer(b, d.cfg.Log.Partitions())
	if err != nil {
		d.cfg.Logger.Warn("dropped a message to the renderer that no node of this version sends", "bytes", len(b))
		return
	}
	d.take(ctx, in)
}

// respond answers the current offer.
func respond(ctx actor.Context, out dispatch.Answer) {
	if ctx.Sender() == nil {
		return
	}
	b, err := cbor.Marshal(offerAnswer(out))
	if err != nil {
		panic(err) // cannot happen: the fields are plain values
	}
	ctx.Respond(wrapperspb.Bytes(b))
}

// maxOffer bounds a message from another node and maxID a name in it, in bytes; maxWeight
// bounds a weight.
const (
	maxOffer  = 1 << 10
	maxID     = 128
	maxWeight = 1 << 10
)

// errForeign is the error for a message that no node of this version sends.
var errForeign = errors.New("not a message that a node of this version sends")

// decodeOffer decodes and checks an offer from another node. The job's account must
// belong to the partition; the attempt checks that the content is the job's.
func decodeOffer(b []byte, partitions int32) (dispatch.Offered, error) {
	var m offerMessage
	if len(b) > maxOffer || cbor.Unmarshal(b, &m) != nil {
		return dispatch.Offered{}, errForeign
	}
	switch {
	case m.Account == "" || len(m.Account) > maxID, m.Job == (events.JobID{}),
		m.Partition != events.Partition(m.Account, partitions),
		m.Content < 0, m.MaxFile < 0 || m.MaxFile > 1<<40, m.Lane > events.Remote, m.Queued < 0, m.Weight < 0 || m.Weight > maxWeight:
		return dispatch.Offered{}, errForeign
	}
	return dispatch.Offered{Partition: m.Partition, Effect: job.Render{
		Account: m.Account, Job: m.Job, Content: m.Content, MaxFile: m.MaxFile, Lane: m.Lane, Queued: m.Queued,
	}, Weight: m.Weight}, nil
}
