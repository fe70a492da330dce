package events

// Passkey is a WebAuthn credential by which a member signs in, without a password or second factor.
type Passkey struct {
	// ID is the authenticator's name for it.
	ID []byte `cbor:"1,keyasint"`
	// PublicKey is a COSE key (RFC 9052).
	PublicKey []byte `cbor:"2,keyasint"`
	// Name is the member's name for it.
	Name string `cbor:"3,keyasint"`
	// Counter is the number of signatures claimed by the authenticator. Many do not count and always say
	// zero.
	Counter uint32 `cbor:"4,keyasint,omitempty"`
	// Synced is set if it may be copied to its owner's other devices; that never changes.
	Synced bool `cbor:"5,keyasint,omitempty"`
}

// AddPasskey gives a member a passkey. The session must have been opened recently.
type AddPasskey struct {
	Member  MemberID  `cbor:"1,keyasint"`
	Session SessionID `cbor:"2,keyasint"`
	// Handle is the random name by which the member's authenticators know it. All its passkeys have one.
	Handle [32]byte `cbor:"3,keyasint"`
	// Challenge is when the challenge that the authenticator answered was made: each is valid once.
	Challenge Instant `cbor:"4,keyasint"`
	Passkey   Passkey `cbor:"5,keyasint"`
}

// RemovePasskey takes a passkey away from a member.
type RemovePasskey struct {
	Member MemberID `cbor:"1,keyasint"`
	ID     []byte   `cbor:"2,keyasint"`
}

// UsePasskey signs in a member whose passkey has answered a challenge.
type UsePasskey struct {
	Session Session `cbor:"1,keyasint"`
	ID      []byte  `cbor:"2,keyasint"`
	// Counter is that of the answer; Challenge is as in AddPasskey.
	Counter   uint32  `cbor:"3,keyasint,omitempty"`
	Challenge Instant `cbor:"4,keyasint"`
}

// PasskeyAdded gave a member a passkey.
type PasskeyAdded struct {
	Member    MemberID `cbor:"1,keyasint"`
	Handle    [32]byte `cbor:"2,keyasint"`
	Challenge Instant  `cbor:"3,keyasint"`
	Passkey   Passkey  `cbor:"4,keyasint"`
}

// PasskeyRemoved took a passkey away from a member.
type PasskeyRemoved struct {
	Member MemberID `cbor:"1,keyasint"`
	ID     []byte   `cbor:"2,keyasint"`
	Name   string   `cbor:"3,keyasint"`
}

// PasskeyUsed says that a member was signed in by a passkey. The session's event follows.
type PasskeyUsed struct {
	Member    MemberID `cbor:"1,keyasint"`
	ID        []byte   `cbor:"2,keyasint"`
	Name      string   `cbor:"3,keyasint"`
	Counter   uint32   `cbor:"4,keyasint,omitempty"`
	Challenge Instant  `cbor:"5,keyasint"`
}

func (AddPasskey) command()            {}
func (c AddPasskey) String() string    { return text(c) }
func (RemovePasskey) command()         {}
func (c RemovePasskey) String() string { return text(c) }
func (UsePasskey) command()            {}
func (c UsePasskey) String() string    { return text(c) }

func (PasskeyAdded) event()             {}
func (e PasskeyAdded) String() string   { return text(e) }
func (PasskeyRemoved) event()           {}
func (e PasskeyRemoved) String() string { return text(e) }
func (PasskeyUsed) event()              {}
func (e PasskeyUsed) String() string    { return text(e) }
