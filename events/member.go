package events

import (
	"crypto/sha256"
	"strings"
)

// MemberID names a member inside its account.
type MemberID string

// NewMemberID makes a random member id, `mem_` and 16 base32 letters (80 bits).
func NewMemberID() MemberID { return MemberID("mem_" + randomName(10)) }

// SessionID names a session inside its account. It is not the secret.
type SessionID string

// NewSessionID makes a random session id, `ses_` and 16 base32 letters (80 bits).
func NewSessionID() SessionID { return SessionID("ses_" + randomName(10)) }

// Role says what a member may do.
type Role string

// The roles.
const (
	// RoleOwner may do everything; only owners change members.
	RoleOwner Role = "owner"
	// RoleDeveloper may do everything but change members.
	RoleDeveloper Role = "developer"
	// RoleBilling sees usage, and changes nothing.
	RoleBilling Role = "billing"
)

// Roles returns the roles.
func Roles() []Role { return []Role{RoleOwner, RoleDeveloper, RoleBilling} }

// Identity is a person at an OpenID provider: the SHA-256 of the issuer's URL, a zero byte, and the subject, which the issuer never gives to another
// person. It is zero for nobody.
type Identity [32]byte

// NewIdentity makes the identity of a subject at an issuer.
func NewIdentity(issuer, subject string) Identity {
	return sha256.Sum256([]byte(issuer + "\x00" + subject))
}

// FoldEmail returns the form in which email addresses are compared: `Ada@Example.com ` becomes `ada@example.com`.
func FoldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// InviteMember makes a one-time link with which somebody joins an account. For a member that has not joined it replaces the previous link; for one
// that has, it is the way to a new password, and the role stays.
type InviteMember struct {
	// Member is the id of a new member.
	Member MemberID `cbor:"1,keyasint"`
	// Email is folded, see FoldEmail.
	Email string `cbor:"2,keyasint"`
	Role  Role   `cbor:"3,keyasint"`
	// Invitation is the SHA-256 of the link's secret; Until is when the link expires.
	Invitation [32]byte `cbor:"4,keyasint"`
	Until      Instant  `cbor:"5,keyasint"`
}

// AcceptInvitation sets the password and the provider identity of an invited member, removes its second factor and passkeys, and ends its sessions.
type AcceptInvitation struct {
	Member     MemberID `cbor:"1,keyasint"`
	Invitation [32]byte `cbor:"2,keyasint"`
	// Password is a hash in the PHC format.
	Password string `cbor:"3,keyasint"`
	// Identity is the identity of a member who joins by a provider, zero for one who chooses a password.
	Identity Identity `cbor:"4,keyasint,omitzero"`
}

// ConnectMember lets a member sign in by a provider from now on, or stops that if Identity is zero.
type ConnectMember struct {
	Member   MemberID `cbor:"1,keyasint"`
	Identity Identity `cbor:"2,keyasint,omitzero"`
}

// ChangeMember gives a member another role.
type ChangeMember struct {
	Member MemberID `cbor:"1,keyasint"`
	Role   Role     `cbor:"2,keyasint"`
}

// RemoveMember removes a member with its sessions.
type RemoveMember struct {
	Member MemberID `cbor:"1,keyasint"`
}

// BeginSignIn asks whether a member may try a password now. It counts before the password is checked, so that parallel attempts do not get around the
// delay.
type BeginSignIn struct {
	Member MemberID `cbor:"1,keyasint"`
}

// SetSecondFactor makes a member's sign-in require an authenticator's code (TOTP, RFC 6238), or no longer if Secret is empty.
type SetSecondFactor struct {
	Member MemberID `cbor:"1,keyasint"`
	Secret Sealed   `cbor:"2,keyasint,omitempty"`
	// Step is the time step of the code that proves the member has the secret: the new one, or the one being removed. A code is valid once.
	Step int64 `cbor:"3,keyasint,omitempty"`
}

// SetPassword replaces the password of a member who has shown the current one, and ends all its sessions but one.
type SetPassword struct {
	Member MemberID `cbor:"1,keyasint"`
	// Password is a hash in the PHC format.
	Password string `cbor:"2,keyasint"`
	// Keep is the session that continues.
	Keep SessionID `cbor:"3,keyasint,omitempty"`
}

// OpenSession signs a member in, and resets the count of attempts.
type OpenSession struct {
	Session Session `cbor:"1,keyasint"`
	// Step is the time step of the code, zero for a member without a second factor.
	Step int64 `cbor:"2,keyasint,omitempty"`
}

// CloseSession signs a member out of one browser, or of all if Session is empty.
type CloseSession struct {
	Member  MemberID  `cbor:"1,keyasint"`
	Session SessionID `cbor:"2,keyasint,omitempty"`
}

// MemberInvited made a one-time link, and the member unless one with that id existed.
type MemberInvited struct {
	Member     MemberID `cbor:"1,keyasint"`
	Email      string   `cbor:"2,keyasint"`
	Role       Role     `cbor:"3,keyasint"`
	Invitation [32]byte `cbor:"4,keyasint"`
	Until      Instant  `cbor:"5,keyasint"`
}

// MemberJoined used up a one-time link. It ended the member's sessions, and removed its second factor and passkeys.
type MemberJoined struct {
	Member   MemberID `cbor:"1,keyasint"`
	Password string   `cbor:"2,keyasint"`
	// Identity is the identity of a member who joined by a provider, zero for one who chose a password.
	Identity Identity `cbor:"3,keyasint,omitzero"`
}

// MemberConnected let a member sign in by a provider, or stopped that if Identity is zero.
type MemberConnected struct {
	Member   MemberID `cbor:"1,keyasint"`
	Identity Identity `cbor:"2,keyasint,omitzero"`
}

// MemberChanged gave a member another role.
type MemberChanged struct {
	Member MemberID `cbor:"1,keyasint"`
	Role   Role     `cbor:"2,keyasint"`
}

// MemberRemoved removed a member with its sessions.
type MemberRemoved struct {
	Member MemberID `cbor:"1,keyasint"`
	// Email is the member's address, for finding its index row.
	Email string `cbor:"2,keyasint"`
}

// SignInBegun counted an attempt to sign in.
type SignInBegun struct {
	Member MemberID `cbor:"1,keyasint"`
}

// SecondFactorSet gave a member a second factor, or removed it if Secret is empty.
type SecondFactorSet struct {
	Member MemberID `cbor:"1,keyasint"`
	Secret Sealed   `cbor:"2,keyasint,omitempty"`
	Step   int64    `cbor:"3,keyasint,omitempty"`
}

// PasswordSet gave a member another password, and ended its sessions but Keep.
type PasswordSet struct {
	Member   MemberID  `cbor:"1,keyasint"`
	Password string    `cbor:"2,keyasint"`
	Keep     SessionID `cbor:"3,keyasint,omitempty"`
}

// SessionOpened signed a member in.
type SessionOpened struct {
	Session Session `cbor:"1,keyasint"`
	Step    int64   `cbor:"2,keyasint,omitempty"`
}

// SessionClosed signed a member out of one browser, or of all if Session is empty.
type SessionClosed struct {
	Member  MemberID  `cbor:"1,keyasint"`
	Session SessionID `cbor:"2,keyasint,omitempty"`
}

// Session is a browser in which a member is signed in.
type Session struct {
	ID     SessionID `cbor:"1,keyasint"`
	Member MemberID  `cbor:"2,keyasint"`
	// Hash is the SHA-256 of the secret in the browser's cookie.
	Hash  [32]byte `cbor:"3,keyasint"`
	Until Instant  `cbor:"4,keyasint"`
	// Address is where the browser connected from, Agent its user agent.
	Address string `cbor:"5,keyasint,omitempty"`
	Agent   string `cbor:"6,keyasint,omitempty"`
}

func (InviteMember) command()             {}
func (c InviteMember) String() string     { return text(c) }
func (AcceptInvitation) command()         {}
func (c AcceptInvitation) String() string { return text(c) }
func (ConnectMember) command()            {}
func (c ConnectMember) String() string    { return text(c) }
func (ChangeMember) command()             {}
func (c ChangeMember) String() string     { return text(c) }
func (RemoveMember) command()             {}
func (c RemoveMember) String() string     { return text(c) }
func (BeginSignIn) command()              {}
func (c BeginSignIn) String() string      { return text(c) }
func (OpenSession) command()              {}
func (c OpenSession) String() string      { return text(c) }
func (CloseSession) command()             {}
func (c CloseSession) String() string     { return text(c) }
func (SetSecondFactor) command()          {}
func (c SetSecondFactor) String() string  { return text(c) }
func (SetPassword) command()              {}
func (c SetPassword) String() string      { return text(c) }

func (MemberInvited) event()             {}
func (e MemberInvited) String() string   { return text(e) }
func (MemberJoined) event()              {}
func (e MemberJoined) String() string    { return text(e) }
func (MemberConnected) event()           {}
func (e MemberConnected) String() string { return text(e) }
func (MemberChanged) event()             {}
func (e MemberChanged) String() string   { return text(e) }
func (MemberRemoved) event()             {}
func (e MemberRemoved) String() string   { return text(e) }
func (SignInBegun) event()               {}
func (e SignInBegun) String() string     { return text(e) }
func (SessionOpened) event()             {}
func (e SessionOpened) String() string   { return text(e) }
func (SessionClosed) event()             {}
func (e SessionClosed) String() string   { return text(e) }
func (SecondFactorSet) event()           {}
func (e SecondFactorSet) String() string { return text(e) }
func (PasswordSet) event()               {}
func (e PasswordSet) String() string     { return text(e) }
