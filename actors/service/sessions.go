package service

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// Sessions are the actions by which members sign in and change their sign-in.
type Sessions struct {
	*gate
	passwords *passwords
	// strangers is held while a password is tried for an address without a member: one at a time.
	strangers *sync.Mutex
}

func newSessions(g *gate) Sessions { return Sessions{g, newPasswords(), &sync.Mutex{}} }

// SessionTime is how long a session lasts.
const SessionTime = 14 * 24 * time.Hour

// secretSize is the length in bytes of the secrets of sessions and invitations.
const secretSize = 32

// newSecret returns a secret and its hash.
func newSecret() (secret []byte, hash [32]byte) {
	secret = make([]byte, secretSize)
	rand.Read(secret) // never fails: crypto/rand aborts the process instead
	return secret, hashOf(secret)
}

func hashOf(secret []byte) [32]byte { return sha256.Sum256(secret) }

// Browser is where somebody signs in.
type Browser struct{ Address, Agent string }

// maxAgent is how much of a browser's user agent is kept, in bytes.
const maxAgent = 200

// Token names a session and proves that its holder opened it. Only the hash of the secret is kept.
type Token struct {
	Account events.AccountID
	Session events.SessionID
	Secret  []byte
}

// Good reports whether a secret has the right length.
func (t Token) Good() bool { return t.Account != "" && t.Session != "" && len(t.Secret) == secretSize }

// Find returns the session of a token and its member, by what this node has read; false if it has ended.
func (s Sessions) Find(t Token) (team.Session, team.Member, bool) {
	members, err := s.Replica.Team(t.Account)
	if err != nil {
		s.Logger.Error("read members", "account", string(t.Account), "error", err)
		return team.Session{}, team.Member{}, false
	}
	session, member, ok := members.Session(t.Session, s.now())
	hash := hashOf(t.Secret)
	return session, member, ok && subtle.ConstantTimeCompare(hash[:], session.Hash[:]) == 1
}

// open opens a session by the command that justifies it. It refuses with NoMatch if the proof was used before, is not enough, or is no longer the
// member's.
func (s Sessions) open(b Browser, account events.AccountID, member events.MemberID, by func(events.Session) events.CommandBody) (Token, error) {
	t := Token{Account: account, Session: events.NewSessionID()}
	opened := events.Session{ID: t.Session, Member: member, Until: s.now().Add(SessionTime), Address: b.Address, Agent: Clip(strings.ToValidUTF8(b.Agent, ""), maxAgent)}
	t.Secret, opened.Hash = newSecret()
	err := s.run(visitor(account, member, b.Address), by(opened))
	switch CodeOf(err) {
	case events.Stale, events.NoSuchPasskey, events.NoSuchMember:
		return t, refuse(NoMatch)
	}
	return t, err
}

// Open opens a session of a member who has shown its password or whom a provider vouches for. step is the time step of the code shown, zero for a
// member without a second factor.
func (s Sessions) Open(b Browser, m projections.Membership, step int64) (Token, error) {
	return s.open(b, m.Account, m.Member, func(opened events.Session) events.CommandBody {
		return events.OpenSession{Session: opened, Step: step}
	})
}

// OpenByPasskey opens a session of the member whose passkey has answered the challenge made at an instant.
func (s Sessions) OpenByPasskey(b Browser, m projections.Membership, passkey []byte, counter uint32, challenge events.Instant) (Token, error) {
	return s.open(b, m.Account, m.Member, func(opened events.Session) events.CommandBody {
		return events.UsePasskey{Session: opened, ID: passkey, Counter: counter, Challenge: challenge}
	})
}

// Close ends one of the member's own sessions; all if the id is empty.
func (s Sessions) Close(p Principal, id events.SessionID) error {
	return s.run(p, events.CloseSession{Member: p.by.Member, Session: id})
}

// compare counts an attempt of a member, compares its password, and returns the member. The error is errNoMatch if there is no such member, its
// password is missing or different, or it has to wait; all take the same time.
func (s Sessions) compare(m projections.Membership, password string) (team.Member, error) {
	t, err := s.Replica.Team(m.Account)
	if err != nil {
		return team.Member{}, err
	}
	member, _ := t.Member(m.Member)
	hash := s.passwords.unknown()
	tried, err := s.try(m)
	if err != nil {
		return member, err
	}
	if tried {
		hash = member.Password
	}
	return member, s.passwords.compare(hash, password)
}

// try counts an attempt of a member, and reports whether it is allowed now.
func (s Sessions) try(m projections.Membership) (bool, error) {
	_, err := s.decide(visitor(m.Account, "", ""), events.BeginSignIn{Member: m.Member})
	if CodeOf(err) != "" {
		return false, nil
	}
	return err == nil, err
}

// SetPassword changes a member's password, and ends all its sessions but one. The current password must be shown: an unlocked screen is not enough.
// It refuses with WrongPassword, and with the codes for a new password.
func (s Sessions) SetPassword(p Principal, email, current, password, repeated string, keep events.SessionID) error {
	chosen, wrong := newPassword(password, repeated, email)
	if wrong != "" {
		return refuse(wrong)
	}
	_, err := s.compare(projections.Membership{Account: p.Account, Member: p.by.Member}, current)
	if errors.Is(err, errNoMatch) {
		return refuse(WrongPassword)
	}
	if err != nil {
		return err
	}
	hash, err := s.passwords.hash(chosen)
	if err != nil {
		return err
	}
	return s.run(p, events.SetPassword{Member: p.by.Member, Password: hash, Keep: keep})
}

// AddOwner makes a joined owner of an account, with a password that nobody knows. It is for demo accounts.
func (s Sessions) AddOwner(account events.AccountID, id events.MemberID, email string) error {
	_, hash := newInvitation(account, id)
	err := s.run(Operator(account), events.InviteMember{Member: id, Email: email, Role: events.RoleOwner, Invitation: hash, Until: s.now().Add(time.Hour)})
	if err == nil {
		err = s.joinAs(Browser{}, Choice{Membership: projections.Membership{Account: account, Member: id}, Invitation: hash})
	}
	if err != nil {
		return fmt.Errorf("add owner: %w", err)
	}
	return nil
}
