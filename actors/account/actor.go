package account

import (
	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/events"
)

// DecideCommand asks the actor of an account to decide the command at offset Cause.
type DecideCommand struct {
	Cause   int64
	Command events.Command
}

// SetAside asks the actor of an account to set aside the command at offset Cause; Why is the
// reason.
type SetAside struct {
	Cause   int64
	Command events.Command
	Why     error
}

// Decided is the outcome of DecideCommand and SetAside. It is sent to the actor's parent.
type Decided struct {
	Cause    int64
	Command  events.Command
	Decision Decision
	// Err is an error of the store. The parent must end the epoch or set the command aside.
	Err error
}

// Committed tells the actor of an account that the envelope of Cause was read back.
type Committed struct{ Cause int64 }

// Actor decides the commands of one account, one at a time.
type Actor struct{ aggregate *Aggregate }

// NewActor returns the actor of an account, which starts from the committed state in store.
func NewActor(id events.AccountID, store Store) *Actor {
	return &Actor{NewAggregate(id, store, LimitsOf)}
}

// Receive implements actor.Actor.
func (a *Actor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case DecideCommand:
		d, err := a.aggregate.Decide(m.Cause, m.Command)
		ctx.Send(ctx.Parent(), Decided{m.Cause, m.Command, d, err})
	case SetAside:
		ctx.Send(ctx.Parent(), Decided{m.Cause, m.Command, a.aggregate.SetAside(m.Cause, m.Command, m.Why), nil})
	case Committed:
		a.aggregate.Committed(m.Cause)
	}
}
