package events

import (
	"strings"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// SuspendAccount blocks new jobs of an account until it is resumed. It changes nothing if the account is already suspended for that reason.
type SuspendAccount struct {
	// Reason is for the members of the account; see ValidReason.
	Reason string `cbor:"1,keyasint"`
}

// ResumeAccount unblocks new jobs of a suspended account.
type ResumeAccount struct{}

// AccountSuspended blocked new jobs of an account. Those accepted before continue.
type AccountSuspended struct {
	Reason string `cbor:"1,keyasint"`
}

// AccountResumed unblocked new jobs of an account.
type AccountResumed struct{}

func (SuspendAccount) command()           {}
func (c SuspendAccount) String() string   { return text(c) }
func (ResumeAccount) command()            {}
func (c ResumeAccount) String() string    { return text(c) }
func (AccountSuspended) event()           {}
func (e AccountSuspended) String() string { return text(e) }
func (AccountResumed) event()             {}
func (e AccountResumed) String() string   { return text(e) }

// MaxReason is how many characters the reason of a correction or of a suspension may have.
const MaxReason = 200

// ValidReason reports whether a reason is not empty and is one line of up to MaxReason characters.
func ValidReason(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxReason &&
		!strings.ContainsFunc(text, contract.Hidden)
}
