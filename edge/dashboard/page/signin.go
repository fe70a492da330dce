package page

import (
	"time"

	"platen.dev/events"
)

// SignIn is the page on which a member signs in.
type SignIn struct {
	Email string
	// Wrong is set if email and password did not match, or too many attempts were made: which of them is not told.
	Wrong bool
	// Passkeys is set if people may have passkeys, WrongPasskey if one was refused.
	Passkeys, WrongPasskey bool
	// Next is the path that is shown after the sign-in.
	Next string
	// Choose is set if a member wants to see all accounts that the provider opens.
	Choose bool
	// Account is the account that was named, "" for any.
	Account string
	// Demo are the demo accounts that sign in with one click; none unless the node serves this machine only.
	Demo []events.Plan
	// Provider is the display name of the provider where people can sign in instead; "" if there is none.
	Provider string
}

// Code is the page on which a member enters an authenticator's code, after the password.
type Code struct {
	// Ticket says who the member is; the form sends it back.
	Ticket, Next string
	// Wrong is set if the code was not taken, or too many attempts were made.
	Wrong bool
}

// Choice is the page on which somebody chooses an account.
type Choice struct {
	// Joined are the accounts that they are a member of, Invited those that they would join.
	Joined, Invited []Choosable
	Next            string
}

// Choosable is an account to sign in to, with the member's role. The form sends Ticket back.
type Choosable struct {
	Account events.AccountID
	Role    events.Role
	Ticket  string
}

// Connect is the page on which members confirm their identity at the provider: There is the email address.
type Connect struct {
	Frame
	Provider, There, Ticket string
}

// Invitation is the page on which an invited member chooses a password. Action is the address of its form.
type Invitation struct {
	Action  string
	Account events.AccountID
	Email   string
	// Provider is where people can sign in instead, "" for nowhere.
	Provider string
	// Wrong is why the password was not taken; "" at first.
	Wrong string
}

// Security is the page about a member's own sign-in and sessions.
type Security struct {
	Frame
	Sessions []Session
	// Factor is whether the member has a second factor.
	Factor   bool
	Passkeys []Passkey
	// Provider is where members can sign in, "" for nowhere; Connected is set if this member does.
	Provider  string
	Connected bool
	// NoPasskey is why none can be added now; "" if one can.
	NoPasskey NoPasskey
}

// Passkey is a passkey of a member.
type Passkey struct {
	ID, Name    string
	Added, Used time.Time
}

// NoPasskey is why a passkey cannot be added.
type NoPasskey string

// The reasons.
const (
	NoPasskeyHere NoPasskey = "here" // browsers make none at this address
	NoPasskeyMore NoPasskey = "more" // the maximum is reached
	NoPasskeyNow  NoPasskey = "now"  // the sign-in is too long ago
)

// Factor is the page on which a member sets an authenticator up.
type Factor struct {
	Frame
	// QR is the secret as a PNG, Secret as text; the form sends Ticket back.
	QR     []byte
	Secret string
	Ticket string
}

// Session is a browser in which a member is signed in.
type Session struct {
	ID      events.SessionID
	Opened  time.Time
	Until   time.Time
	Address string
	Agent   string // as the browser sent it
	This    bool
}
