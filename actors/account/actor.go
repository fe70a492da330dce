package account

import (
	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/events"
)

// DecideCommand asks an account's actor for the decision about the command at Cause.
type DecideCommand struct {
	Cause   int64
	Command events.Command
}

// Decided is the answer to DecideCommand, sent to the actor's parent.
type Decided struct {
	Cause    int64
	Decision Decision
	// Err is a fault of the store: the parent cannot go on in this epoch.
	Err error
}

// Committed tells an account's actor that the envelope of Cause was read back.
type Committed struct{ Cause int64 }

// Actor is the mailbox of one active account.
type Actor struct{ aggregate *Aggregate }

// NewActor makes the actor of an account over committed state.
func NewActor(id events.AccountID, store Store) *Actor {
	return &Actor{NewAggregate(id, store, LimitsOf)}
}

// Receive dispatches.
func (a *Actor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case DecideCommand:
		d, err := a.aggregate.Decide(m.Cause, m.Command)
		ctx.Send(ctx.Parent(), Decided{m.Cause, d, err})
	case Committed:
		a.aggregate.Committed(m.Cause)
	}
}
