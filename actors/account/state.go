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
	// Blocks are the extra blocks of volume bought; they count on the business plan.
	Blocks int64 `cbor:"9,keyasint,omitempty"`
	// MaxFile is how many bytes a file may have; zero means the default.
	MaxFile int64 `cbor:"10,keyasint,omitempty"`
	Tests   Tests `cbor:"11,keyasint"`
	// Templates are the saved block templates; DefaultTemplate applies to e-invoices
	// that name none.
	Templates       []events.TemplateID `cbor:"12,keyasint,omitempty"`
	DefaultTemplate events.TemplateID   `cbor:"13,keyasint,omitempty"`
}

// Tests counts accepted test jobs for the caps of test mode.
type Tests struct {
	// Day is the UTC day, counted from 1970, that Count belongs to.
	Day   int64 `cbor:"1,keyasint,omitempty"`
	Count int64 `cbor:"2,keyasint,omitempty"`
	// Recent are the instants of the last minute's, in their order of acceptance.
	Recent []events.Instant `cbor:"3,keyasint,omitempty"`
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
