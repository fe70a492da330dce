package shard

import (
	"errors"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/events"
)

// CommandReply is the reply to a command, on its way to the node that is waiting for it.
type CommandReply struct {
	Command events.CommandID `cbor:"1,keyasint"`
	Reply   events.Reply     `cbor:"2,keyasint"`
}

// deliver sends a reply. It is encoded only if it leaves the node. If it gets lost, the
// gateway finds the reply in the read model.
func deliver(ctx actor.Context, to events.Address, r CommandReply) {
	pid := actor.NewPID(to.Node, to.ID)
	if to.Node == ctx.ActorSystem().Address() {
		ctx.Send(pid, r)
		return
	}
	b, err := cbor.Marshal(r)
	if err != nil {
		panic(err) // cannot happen: both fields are plain values
	}
	ctx.Send(pid, wrapperspb.Bytes(b))
}

// RepliesName is the name of the process that receives a node's replies.
const RepliesName = "replies"

// replies hands each reply that arrives at a node to the request that is waiting for it,
// by command id. It is a process without a mailbox: the request is completed on the
// deliverer's goroutine.
type replies struct {
	address *events.Address

	mu      sync.Mutex
	waiting map[events.CommandID]chan events.Reply
}

var _ actor.Process = (*replies)(nil)

var errSecondGateway = errors.New("the actor system has a gateway already")

func registerReplies(system *actor.ActorSystem) (*replies, error) {
	r := &replies{waiting: map[events.CommandID]chan events.Reply{}}
	pid, added := system.ProcessRegistry.Add(r, RepliesName)
	if !added {
		return nil, errSecondGateway
	}
	r.address = &events.Address{Node: pid.Address, ID: pid.Id}
	return r, nil
}

// expect registers a request. Its reply arrives on the channel, at most once.
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

// SendUserMessage takes a CommandReply from this node or, as bytes, from another one.
// Anything else is dropped, and so is a reply that no request is waiting for.
func (r *replies) SendUserMessage(_ *actor.PID, message any) {
	switch m := actor.UnwrapEnvelopeMessage(message).(type) {
	case CommandReply:
		r.complete(m)
	case *wrapperspb.BytesValue:
		var reply CommandReply
		if cbor.Unmarshal(m.Value, &reply) == nil {
			r.complete(reply)
		}
	}
}

func (r *replies) complete(reply CommandReply) {
	r.mu.Lock()
	arrived := r.waiting[reply.Command]
	delete(r.waiting, reply.Command)
	r.mu.Unlock()
	if arrived != nil {
		arrived <- reply.Reply
	}
}

// SendSystemMessage does nothing: the process lives as long as its system.
func (r *replies) SendSystemMessage(*actor.PID, any) {}

// Stop does nothing; see SendSystemMessage.
func (r *replies) Stop(*actor.PID) {}
