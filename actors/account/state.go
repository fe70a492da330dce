// Package account decides what becomes of an account and, with actors/job, of
// its jobs. The Aggregate composes both decisions of one command; the Actor
// gives each active account a mailbox.
package account

import "platen.dev/events"

// State is all that decisions about an account itself depend on.
type State struct {
	// Plan is empty while there is no such account.
	Plan   events.Plan    `cbor:"1,keyasint"`
	Anchor events.Instant `cbor:"2,keyasint"`
	Keys   []events.Key   `cbor:"3,keyasint,omitempty"`
	// Running counts the charged jobs that have not ended.
	Running int64 `cbor:"4,keyasint,omitempty"`
	// Window is the start of the quota window that the counts below belong to.
	Window   events.Instant `cbor:"5,keyasint,omitempty"`
	Reserved int64          `cbor:"6,keyasint,omitempty"`
	Used     int64          `cbor:"7,keyasint,omitempty"`
	Bytes    int64          `cbor:"8,keyasint,omitempty"`
}

// Exists tells whether the account was created.
func (s State) Exists() bool { return s.Plan != "" }

func (s State) key(id events.KeyID) (events.Key, bool) {
	for _, k := range s.Keys {
		if k.ID == id {
			return k, true
		}
	}
	return events.Key{}, false
}
