package shard

import (
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/command"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// ErrUnavailable tells that a command got no reply in time. It may still take
// effect: ask again with the same command id.
var ErrUnavailable = errors.New("no reply from the account's shard")

// Gateway sends commands and waits for their replies.
type Gateway struct {
	Log     eventlog.Log
	Replica *projections.Replica
	System  *actor.ActorSystem
	// Patience is how long a reply is waited for.
	Patience time.Duration
	Now      func() time.Time
}

// Do sends a command and returns the reply of its accepted envelope. An error
// tells that none came: eventlog.ErrTooLarge when the command can never be taken,
// otherwise ErrUnavailable.
func (g *Gateway) Do(id events.AccountID, body events.CommandBody) (events.Reply, error) {
	promise := actor.NewFuture(g.System, g.Patience)
	c := events.Command{
		ID: events.NewCommandID(), Account: id, At: events.At(g.Now()), Body: body,
		ReplyTo: &events.Address{Node: promise.PID().Address, ID: promise.PID().Id},
	}
	command.Append(g.Log, c, func(_ int64, err error) {
		if err != nil {
			g.System.Root.Send(promise.PID(), err)
		}
	})
	done := make(chan struct{})
	defer close(done)
	defer time.AfterFunc(askEvery, func() { g.seek(promise.PID(), id, c.ID, done) }).Stop()
	result, err := promise.Result()
	if err == nil {
		return answerOf(result, c.ID)
	}
	reply, known, readErr := g.Replica.Reply(id, c.ID)
	if known && readErr == nil { // the reply was lost on its way, not the command
		return reply, nil
	}
	return events.Reply{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Tell sends a command that nobody answers; done hears once whether it is durable.
func (g *Gateway) Tell(id events.AccountID, body events.CommandBody, done func(error)) {
	c := events.Command{ID: events.NewCommandID(), Account: id, At: events.At(g.Now()), Body: body}
	command.Append(g.Log, c, func(_ int64, err error) { done(err) })
}

// askEvery is how often the read model is asked for a reply that does not come.
const askEvery = time.Second

// seek completes a promise from the read model, for the reply may have got lost on
// its way, as happens when the node that waits for it has just been restarted.
func (g *Gateway) seek(promise *actor.PID, account events.AccountID, id events.CommandID, done <-chan struct{}) {
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		if reply, known, err := g.Replica.Reply(account, id); known && err == nil {
			g.System.Root.Send(promise, reply)
			return
		}
		select {
		case <-ticker.C:
		case <-done:
			return
		}
	}
}

func answerOf(result any, want events.CommandID) (events.Reply, error) {
	switch r := result.(type) {
	case error:
		return events.Reply{}, fmt.Errorf("%w: %w", ErrUnavailable, r)
	case events.Reply:
		return r, nil
	case *wrapperspb.BytesValue:
		var a Answer
		if err := cbor.Unmarshal(r.Value, &a); err != nil || a.Command != want {
			return events.Reply{}, fmt.Errorf("%w: foreign answer", ErrUnavailable)
		}
		return a.Reply, nil
	}
	return events.Reply{}, fmt.Errorf("%w: unexpected %T", ErrUnavailable, result)
}

// Answer is a reply on its way to the promise that waits for it. It names the
// command, because a promise of a restarted node may bear an old one's address.
type Answer struct {
	Command events.CommandID `cbor:"1,keyasint"`
	Reply   events.Reply     `cbor:"2,keyasint"`
}

// deliver sends an answer, over the network when the promise is another node's.
// It may get lost; who waits then asks the read model.
func deliver(ctx actor.Context, to events.Address, a Answer) {
	b, err := cbor.Marshal(a)
	if err != nil {
		return // cannot be: both fields are plain values
	}
	ctx.Send(actor.NewPID(to.Node, to.ID), wrapperspb.Bytes(b))
}
