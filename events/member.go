package events

// MemberID names a member inside its account.
type MemberID string

// NewMemberID makes a random member id, `mem_` and 16 base32 letters (80 bits).
func NewMemberID() MemberID { return MemberID("mem_" + randomName(10)) }

// SessionID names a session inside its account. It is not the secret.
type SessionID string

// NewSessionID makes a random session id, `ses_` and 16 base32 letters (80 bits).
func NewSessionID() SessionID { return SessionID("ses_" + randomName(10)) }

// Role is what a member may do.
type Role string

// The roles.
const (
	// RoleOwner may do everything, and alone changes members.
	RoleOwner Role = "owner"
	// RoleDeveloper may do everything but change members.
	RoleDeveloper Role = "developer"
	// RoleBilling sees usage, and changes nothing.
	RoleBilling Role = "billing"
)

// Roles returns the roles.
func Roles() []Role { return []Role{RoleOwner, RoleDeveloper, RoleBilling} }
