package account

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// AcceptedRequest is a request that was accepted with an idempotency key.
type AcceptedRequest struct {
	Job         events.JobID   `cbor:"1,keyasint"`
	Fingerprint [32]byte       `cbor:"2,keyasint"`
	At          events.Instant `cbor:"3,keyasint"`
}

// replay returns the reply to a request that repeats r, or false if the request is new.
func (r AcceptedRequest) replay(want *events.Idempotency, now events.Instant) (events.Reply, bool) {
	switch {
	case want == nil || r.At == 0 || now >= r.At.Add(contract.IdempotencyLife):
		return events.Reply{}, false
	case r.Fingerprint != want.Fingerprint:
		return events.Reply{Code: events.KeyReused}, true
	}
	return events.Reply{Code: events.Replayed, Job: &r.Job}, true
}

func acceptedRequest(q events.JobQueued, at events.Instant) AcceptedRequest {
	return AcceptedRequest{Job: q.Job, Fingerprint: q.Idempotency.Fingerprint, At: at}
}
