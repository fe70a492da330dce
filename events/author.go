package events

// Author says who sent a command, and from where: a member in the dashboard, or an operator. It is zero if a program sent it with an API key, or
// Platen itself.
type Author struct {
	Member   MemberID `cbor:"1,keyasint,omitempty"`
	Operator bool     `cbor:"2,keyasint,omitempty"`
	// Address is that of the member's browser.
	Address string `cbor:"3,keyasint,omitempty"`
	// Session is the session in which the member did it.
	Session SessionID `cbor:"4,keyasint,omitempty"`
}
