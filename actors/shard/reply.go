package shard

import (
	"errors"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/events"
)

// Answer is a reply on its way to the node that waits for it.
type Answer struct {
	Command events.CommandID `cbor:"1,keyasint"`
	Reply   events.Reply     `cbor:"2,keyasint"`
}

// deliver sends an answer, encoded only where it has to leave the node. It may get
// lost; who waits then finds it in the read model.
func deliver(ctx actor.Context, to events.Address, a Answer) {
	pid := actor.NewPID(to.Node, to.ID)
	if to.Node == ctx.ActorSystem().Address() {
		ctx.Send(pid, a)
		return
	}
	b, err := cbor.Marshal(a)
	if err != nil {
		panic(err) // cannot be: both fields are plain values
	}
	ctx.Send(pid, wrapperspb.Bytes(b))
}

// repliesName is where the replies of a node arrive.
const repliesName = "replies"

// replies hands every answer that arrives at a node to the request that waits for it,
// by the id of its command. It is a process without a mailbox: whoever delivers an
// answer completes the request on its own goroutine.
type replies struct {
	address *events.Address

	mu      sync.Mutex
	waiting map[events.CommandID]chan events.Reply
}

var _ actor.Process = (*replies)(nil)

var errSecondGateway = errors.New("the actor system has a gateway already")

func registerReplies(system *actor.ActorSystem) (*replies, error) {
	r := &replies{waiting: map[events.CommandID]chan events.Reply{}}
	pid, added := system.ProcessRegistry.Add(r, repliesName)
	if !added {
		return nil, errSecondGateway
	}
	r.address = &events.Address{Node: pid.Address, ID: pid.Id}
	return r, nil
}

// expect announces a request; its reply arrives on the channel, once at most.
func (r *replies) expect(id events.CommandID) <-chan events.Reply {
	arrived := make(chan events.Reply, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[id] = arrived
	return arrived
}

func (r *replies) forget(id events.CommandID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, id)
}

// SendUserMessage takes an answer of this node or, as bytes, of another. What is
// neither, or answers nothing that is waited for, is dropped.
func (r *replies) SendUserMessage(_ *actor.PID, message any) {
	switch m := actor.UnwrapEnvelopeMessage(message).(type) {
	case Answer:
		r.complete(m)
	case *wrapperspb.BytesValue:
		var a Answer
		if cbor.Unmarshal(m.Value, &a) == nil {
			r.complete(a)
		}
	}
}

func (r *replies) complete(a Answer) {
	r.mu.Lock()
	arrived := r.waiting[a.Command]
	delete(r.waiting, a.Command)
	r.mu.Unlock()
	if arrived != nil {
		arrived <- a.Reply
	}
}

// SendSystemMessage and Stop do nothing: the process lives as long as its system.
func (r *replies) SendSystemMessage(*actor.PID, any) {}

// Stop does nothing; see SendSystemMessage.
func (r *replies) Stop(*actor.PID) {}
