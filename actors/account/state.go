// Package account decides the commands of an account and, with actors/job, of its jobs. An
// Aggregate composes the two decisions about a command. An Actor runs the aggregate of each account
// that has commands.
package account

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// State is everything that decisions about the account itself depend on.
type State struct {
	// Plan is empty if the account does not exist.
	Plan events.Plan `cbor:"1,keyasint"`
	// Anchor is the start of the first quota window, from which the others follow by months.
	Anchor events.Instant `cbor:"2,keyasint"`
	Keys   []events.Key   `cbor:"3,keyasint,omitempty"`
	// Running counts the charged jobs that have not ended.
	Running int64 `cbor:"4,keyasint,omitempty"`
	// Window is the start of the quota window of the three counts below, see Usage.
	Window   events.Instant `cbor:"5,keyasint,omitempty"`
	Reserved int64          `cbor:"6,keyasint,omitempty"`
	Used     int64          `cbor:"7,keyasint,omitempty"`
	Bytes    int64          `cbor:"8,keyasint,omitempty"`
	// Blocks is the number of extra blocks of volume bought. They count on the business plan only.
	Blocks int64 `cbor:"9,keyasint,omitempty"`
	// MaxFile is the size limit of a file in bytes; zero means the default.
	MaxFile int64 `cbor:"10,keyasint,omitempty"`
	Tests   Tests `cbor:"11,keyasint"`
	// Templates are the saved block templates. DefaultTemplate applies to e-invoices that name
	// no template.
	Templates       []events.TemplateID `cbor:"12,keyasint,omitempty"`
	DefaultTemplate events.TemplateID   `cbor:"13,keyasint,omitempty"`
	Webhooks        Webhooks            `cbor:"14,keyasint,omitzero"`
	Suspension      Suspension          `cbor:"15,keyasint,omitzero"`
	// Team has its own row among the read models, because every job rewrites this one. It is loaded only for commands
	// about it.
	Team team.Team `cbor:"-"`
}

// Tests counts accepted test jobs for the caps of test mode.
type Tests struct {
	// Day is the UTC day of Count, as a number of days since 1970.
	Day   int64 `cbor:"1,keyasint,omitempty"`
	Count int64 `cbor:"2,keyasint,omitempty"`
	// Recent are the instants of the test jobs of the last minute, in the order of acceptance.
	Recent []events.Instant `cbor:"3,keyasint,omitempty"`
}

// Exists reports whether the account was created.
func (s State) Exists() bool { return s.Plan != "" }

func (s State) key(id events.KeyID) (events.Key, bool) {
	for _, k := range s.Keys {
		if k.ID == id {
			return k, true
		}
	}
	return events.Key{}, false
}
