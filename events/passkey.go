package events

// Passkey is a WebAuthn credential by which a member signs in, without its password and without another step.
type Passkey struct {
	// ID is the authenticator's name for it.
	ID []byte `cbor:"1,keyasint"`
	// PublicKey is a COSE key (RFC 9052).
	PublicKey []byte `cbor:"2,keyasint"`
	// Name is the member's name for it.
	Name string `cbor:"3,keyasint"`
	// Counter is how often the authenticator says it has signed. Many do not count: theirs is zero for ever.
	Counter uint32 `cbor:"4,keyasint,omitempty"`
	// Synced is set if it may be copied to other devices of its owner, which never changes.
	Synced bool `cbor:"5,keyasint,omitempty"`
}

// AddPasskey gives a member a passkey. The session must have been opened lately.
type AddPasskey struct {
	Member  MemberID  `cbor:"1,keyasint"`
	Session SessionID `cbor:"2,keyasint"`
	// Handle is the random name by which the member's authenticators know it. All its passkeys have one.
	Handle [32]byte `cbor:"3,keyasint"`
	// Challenge is when the challenge was made that the authenticator has answered: each is good once.
	Challenge Instant `cbor:"4,keyasint"`
	Passkey   Passkey `cbor:"5,keyasint"`
}

// RemovePasskey takes a passkey away from a member.
type RemovePasskey struct {
	Member MemberID `cbor:"1,keyasint"`
	ID     []byte   `cbor:"2,keyasint"`
}

// UsePasskey signs a member in whose passkey has answered a challenge.
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

// PasskeyUsed says that a member was signed in by a passkey. The session follows it.
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
