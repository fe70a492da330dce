// Package team holds who may sign in to an account, and where they are signed in: a pure fold of events.
package team

import (
	"bytes"
	"slices"
	"time"

	"platen.dev/events"
)

// Limits of an account's team, because every change of it rewrites all of it.
const (
	MaxMembers = 50
	// MaxSessions is how many sessions a member may have. One more ends the oldest.
	MaxSessions = 10
	// MaxPasskeys is how many passkeys a member may have.
	MaxPasskeys = 10
	// MaxPasskeyName is the length of a passkey's name in bytes.
	MaxPasskeyName = 60
)

// ProofTime is how long after signing in a member may change how somebody signs in, or grant access.
const ProofTime = 10 * time.Minute

// Team is the members of an account. Its zero value has none.
type Team struct {
	Members []Member `cbor:"1,keyasint,omitempty"`
	// Sessions are in the order in which they began. Expired ones are removed when another begins.
	Sessions []Session `cbor:"2,keyasint,omitempty"`
}

// Session is a session that began at Opened.
type Session struct {
	events.Session
	Opened events.Instant `cbor:"7,keyasint"`
}

// Member is a person who may sign in, once it has joined.
type Member struct {
	ID    events.MemberID `cbor:"1,keyasint"`
	Email string          `cbor:"2,keyasint"`
	Role  events.Role     `cbor:"3,keyasint"`
	// Password is a hash in the PHC format, "" until the member has joined.
	Password string         `cbor:"4,keyasint,omitempty"`
	Joined   events.Instant `cbor:"5,keyasint,omitempty"`
	// Invitation is the hash of a one-time link that is valid until Until; both are zero if there is none.
	Invitation [32]byte       `cbor:"6,keyasint,omitzero"`
	Until      events.Instant `cbor:"7,keyasint,omitempty"`
	// Attempts counts the failed sign-in attempts since the last success, Tried is when the latest was.
	Attempts int64          `cbor:"8,keyasint,omitempty"`
	Tried    events.Instant `cbor:"9,keyasint,omitempty"`
	// Factor is the sealed secret of the authenticator, nil for none; Step is the time step of the last code used.
	Factor events.Sealed `cbor:"10,keyasint,omitempty"`
	Step   int64         `cbor:"11,keyasint,omitempty"`
	// Handle is the name by which passkeys know the member, zero before its first; Challenge is when the last challenge that one of them answered was
	// made.
	Handle    [32]byte       `cbor:"12,keyasint,omitzero"`
	Passkeys  []Passkey      `cbor:"13,keyasint,omitempty"`
	Challenge events.Instant `cbor:"14,keyasint,omitempty"`
	// Identity is the provider identity that signs the member in, zero for none.
	Identity events.Identity `cbor:"15,keyasint,omitzero"`
}

// Passkey is a passkey added at Added. Used is when it last signed its member in, zero for never.
type Passkey struct {
	events.Passkey
	Added events.Instant `cbor:"6,keyasint"`
	Used  events.Instant `cbor:"7,keyasint,omitempty"`
}

// Advances reports whether a signature with a counter comes after the last one. If not, the authenticator may have been copied (WebAuthn Level 3, section
// 6.1.1). Many do not count, and always say 0.
func (p Passkey) Advances(counter uint32) bool {
	return counter > p.Counter || counter == 0 && p.Counter == 0
}

// Passkey returns the member's passkey with an id.
func (m Member) Passkey(id []byte) (Passkey, bool) {
	i := slices.IndexFunc(m.Passkeys, func(p Passkey) bool { return bytes.Equal(p.ID, id) })
	if i < 0 {
		return Passkey{}, false
	}
	return m.Passkeys[i], true
}

// Member returns the member with an id.
func (t Team) Member(id events.MemberID) (Member, bool) {
	return t.find(func(m Member) bool { return m.ID == id })
}

// ByEmail returns the member with a folded email address.
func (t Team) ByEmail(email string) (Member, bool) {
	return t.find(func(m Member) bool { return m.Email == email })
}

// ByIdentity returns the member that signs in as somebody at a provider.
func (t Team) ByIdentity(identity events.Identity) (Member, bool) {
	return t.find(func(m Member) bool { return m.Identity == identity && identity != events.Identity{} })
}

func (t Team) find(is func(Member) bool) (Member, bool) {
	if i := slices.IndexFunc(t.Members, is); i >= 0 {
		return t.Members[i], true
	}
	return Member{}, false
}

// LastOwner reports whether a member is the only owner that has joined.
func (t Team) LastOwner(id events.MemberID) bool {
	owns := func(m Member) bool { return m.Role == events.RoleOwner && m.Joined != 0 }
	m, _ := t.Member(id)
	return owns(m) && !slices.ContainsFunc(t.Members, func(m Member) bool { return m.ID != id && owns(m) })
}

// Session returns the unexpired session with an id, and its member.
func (t Team) Session(id events.SessionID, now events.Instant) (Session, Member, bool) {
	i := slices.IndexFunc(t.Sessions, func(s Session) bool { return s.ID == id && now < s.Until })
	if i < 0 {
		return Session{}, Member{}, false
	}
	m, ok := t.Member(t.Sessions[i].Member)
	return t.Sessions[i], m, ok
}

// Changes reports whether an event is about the team.
func Changes(ev events.Event) bool {
	switch ev.(type) {
	case events.MemberInvited, events.MemberJoined, events.MemberChanged, events.MemberRemoved,
		events.SecondFactorSet, events.PasswordSet, events.SignInBegun, events.SessionOpened, events.SessionClosed,
		events.PasskeyAdded, events.PasskeyRemoved, events.PasskeyUsed, events.MemberConnected:
		return true
	}
	return false
}

// Evolve returns the team after an event. It does not change slices of t, which other values may share.
func (t Team) Evolve(ev events.Event, at events.Instant) Team {
	switch e := ev.(type) {
	case events.MemberInvited:
		return t.invited(e)
	case events.MemberJoined:
		t.Sessions = without(t.Sessions, func(s Session) bool { return s.Member == e.Member })
		return t.with(e.Member, func(m *Member) {
			m.Password, m.Joined, m.Invitation, m.Until, m.Attempts = e.Password, at, [32]byte{}, 0, 0
			m.Factor, m.Step, m.Identity = nil, 0, e.Identity
			m.Handle, m.Passkeys, m.Challenge = [32]byte{}, nil, 0
		})
	case events.MemberConnected:
		return t.withoutLink(e.Member, func(m *Member) { m.Identity = e.Identity })
	case events.MemberChanged:
		return t.with(e.Member, func(m *Member) { m.Role = e.Role })
	case events.MemberRemoved:
		t.Members = without(t.Members, func(m Member) bool { return m.ID == e.Member })
		t.Sessions = without(t.Sessions, func(s Session) bool { return s.Member == e.Member })
	case events.SignInBegun:
		return t.with(e.Member, func(m *Member) { m.Attempts, m.Tried = m.Attempts+1, at })
	case events.PasswordSet:
		t.Sessions = without(t.Sessions, func(s Session) bool { return s.Member == e.Member && s.ID != e.Keep })
		return t.withoutLink(e.Member, func(m *Member) { m.Password, m.Attempts = e.Password, 0 })
	case events.SecondFactorSet:
		return t.withoutLink(e.Member, func(m *Member) { m.Factor, m.Step = e.Secret, max(m.Step, e.Step) })
	case events.PasskeyAdded:
		return t.with(e.Member, func(m *Member) {
			m.Handle, m.Challenge = e.Handle, e.Challenge
			m.Passkeys = append(slices.Clip(m.Passkeys), Passkey{Passkey: e.Passkey, Added: at})
		})
	case events.PasskeyRemoved:
		return t.with(e.Member, func(m *Member) {
			m.Passkeys = without(m.Passkeys, func(p Passkey) bool { return bytes.Equal(p.ID, e.ID) })
		})
	case events.PasskeyUsed:
		return t.with(e.Member, func(m *Member) { m.Passkeys, m.Challenge = used(m.Passkeys, e, at), e.Challenge })
	case events.SessionOpened:
		t = t.with(e.Session.Member, func(m *Member) { m.Attempts, m.Step = 0, max(m.Step, e.Step) })
		t.Sessions = opened(t.Sessions, e.Session, at)
	case events.SessionClosed:
		t.Sessions = without(t.Sessions, func(s Session) bool {
			return s.Member == e.Member && (e.Session == "" || s.ID == e.Session)
		})
		if e.Session == "" {
			return t.withoutLink(e.Member, func(*Member) {})
		}
	}
	return t
}

// invited adds a member, or gives an existing one another link.
func (t Team) invited(e events.MemberInvited) Team {
	have, exists := t.Member(e.Member)
	if !exists {
		t.Members = append(slices.Clip(t.Members), Member{ID: e.Member, Email: e.Email, Role: e.Role, Invitation: e.Invitation, Until: e.Until})
		return t
	}
	return t.with(have.ID, func(m *Member) { m.Role, m.Invitation, m.Until = e.Role, e.Invitation, e.Until })
}

// with returns a team with one member changed.
func (t Team) with(id events.MemberID, change func(*Member)) Team {
	t.Members = slices.Clone(t.Members)
	for i := range t.Members {
		if t.Members[i].ID == id {
			change(&t.Members[i])
		}
	}
	return t
}

// withoutLink is with for changes that give a member control again: a pending link may be in the wrong hands.
func (t Team) withoutLink(id events.MemberID, change func(*Member)) Team {
	return t.with(id, func(m *Member) {
		m.Invitation, m.Until = [32]byte{}, 0
		change(m)
	})
}

// used returns the passkeys after one was used.
func used(all []Passkey, e events.PasskeyUsed, at events.Instant) []Passkey {
	all = slices.Clone(all)
	for i := range all {
		if bytes.Equal(all[i].ID, e.ID) {
			all[i].Counter, all[i].Used = e.Counter, at
		}
	}
	return all
}

// opened returns the sessions after one more, without expired ones, and without the oldest of a member who has too many.
func opened(all []Session, s events.Session, at events.Instant) []Session {
	all = without(all, func(other Session) bool { return other.Until <= at })
	all = append(slices.Clip(all), Session{s, at})
	mine := 0
	for _, other := range all {
		if other.Member == s.Member {
			mine++
		}
	}
	if mine <= MaxSessions {
		return all
	}
	oldest := slices.IndexFunc(all, func(other Session) bool { return other.Member == s.Member })
	return slices.Delete(slices.Clone(all), oldest, oldest+1)
}

// without returns a copy that lacks some, nil if none is left, like decoding.
func without[T any](all []T, leaves func(T) bool) []T {
	left := slices.DeleteFunc(slices.Clone(all), leaves)
	if len(left) == 0 {
		return nil
	}
	return left
}
