package account

import "platen.dev/events"

// Suspension is why an account gets no new jobs; zero if it gets them.
type Suspension struct {
	Since  events.Instant `cbor:"1,keyasint"`
	Reason string         `cbor:"2,keyasint"`
}

func suspend(s State, b events.SuspendAccount) ([]events.Event, events.Reply) {
	if !events.ValidReason(b.Reason) {
		return refuse(events.OutOfRange)
	}
	if s.Suspension.Reason == b.Reason {
		return nil, accepted
	}
	return accept(events.AccountSuspended(b))
}

func resume(s State) ([]events.Event, events.Reply) {
	if s.Suspension.Since == 0 {
		return nil, accepted
	}
	return accept(events.AccountResumed{})
}

// evolveSuspension applies an event to a suspension.
func evolveSuspension(have Suspension, ev events.Event, at events.Instant) Suspension {
	switch e := ev.(type) {
	case events.AccountSuspended:
		if have.Since == 0 {
			have.Since = at
		}
		return Suspension{have.Since, e.Reason}
	case events.AccountResumed:
		return Suspension{}
	}
	return have
}
