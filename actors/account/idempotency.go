package account

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Remembered is the accepted request that an idempotency key stands for.
type Remembered struct {
	Job         events.JobID   `cbor:"1,keyasint"`
	Fingerprint [32]byte       `cbor:"2,keyasint"`
	At          events.Instant `cbor:"3,keyasint"`
}

// replay answers a request that was accepted before; false for a new one.
func (r Remembered) replay(want *events.Idempotency, now events.Instant) (events.Reply, bool) {
	switch {
	case want == nil || r.At == 0 || now >= r.At.Add(contract.IdempotencyLife):
		return events.Reply{}, false
	case r.Fingerprint != want.Fingerprint:
		return events.Reply{Code: events.KeyReused}, true
	}
	return events.Reply{Code: events.Replayed, Job: &r.Job}, true
}

// remember is what an accepted request is remembered by.
func remember(q events.JobQueued, at events.Instant) Remembered {
	return Remembered{Job: q.Job, Fingerprint: q.Idempotency.Fingerprint, At: at}
}
