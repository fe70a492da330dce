package service

import (
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// Choice is a membership that a person may sign in to, by password or by an identity at a provider. Enter checks that it still holds, so a choice may
// be kept for some minutes, sealed.
type Choice struct {
	projections.Membership
	Role events.Role
	// Identity is the person's identity at a provider, zero if they have shown a password.
	Identity events.Identity
	// Password is a hash of the password hash that they have matched.
	Password [32]byte
	// Invitation is the hash of the link that choosing it uses up; zero for a member who has joined.
	Invitation [32]byte
}

// Invited reports whether choosing it joins the account.
func (c Choice) Invited() bool { return c.Invitation != [32]byte{} }

// Vouched is somebody whom a provider vouches for: an identity there that owns an email address.
type Vouched struct {
	Identity events.Identity
	Email    string
	// Account is always looked at, however many have invited the address; "" for none.
	Account events.AccountID
}

// maxMemberships is how many accounts a sign-in looks at.
const maxMemberships = 20

// wrongTime is the least time that a refused sign-in takes. It exceeds a few password comparisons, so it does not reveal whether there were any.
const wrongTime = 250 * time.Millisecond

// Match lists the memberships of an email address that have a password, or refuses with NoMatch. The refusal does not tell whether the address, the
// password or the number of attempts is wrong, and always takes the same time. A member of many accounts names one; that one is always checked.
func (s Sessions) Match(account events.AccountID, email, password string) (fit []Choice, err error) {
	answer := time.After(wrongTime)
	all, err := s.membershipsOf(account, events.FoldEmail(email))
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		member, err := s.compare(m, password)
		switch {
		case err == nil:
			fit = append(fit, Choice{Membership: m, Role: member.Role, Password: hashOf([]byte(member.Password))})
		case !errors.Is(err, errNoMatch):
			return nil, err
		}
	}
	if len(fit) > 0 {
		return fit, nil
	}
	if len(all) == 0 {
		s.pretend(password)
	}
	<-answer
	return nil, refuse(NoMatch)
}

// membershipsOf lists the accounts that a folded email address is a member of, or only a named one.
func (s Sessions) membershipsOf(account events.AccountID, email string) ([]projections.Membership, error) {
	if account == "" {
		return s.Replica.Memberships(email, maxMemberships)
	}
	t, err := s.Replica.Team(account)
	m, known := t.ByEmail(email)
	if err != nil || !known {
		return nil, err
	}
	return []projections.Membership{{Account: account, Member: m.ID}}, nil
}

// pretend compares a password with none, one at a time and without queueing: trying unknown addresses neither writes to the log nor keeps members
// waiting.
func (s Sessions) pretend(password string) {
	if s.strangers.TryLock() {
		defer s.strangers.Unlock()
		_ = s.passwords.compare(s.passwords.unknown(), password) // it never fits, and need not wait in a crowd
	}
}

// Vouched lists the sign-in choices of a person whom a provider vouches for: the memberships connected with that person, and the invitations of their
// address. It leaves out memberships that were joined in another way: the maker of their link may have used it. It refuses with NoMatch if nothing is
// left.
func (s Sessions) Vouched(v Vouched) ([]Choice, error) {
	connected, err := s.Replica.Identities(v.Identity, maxMemberships)
	if err != nil {
		return nil, err
	}
	addressed, err := s.addressed(v)
	if err != nil {
		return nil, err
	}
	joined, err := s.choices(connected, v.Identity, false)
	if err != nil {
		return nil, err
	}
	invited, err := s.choices(addressed, v.Identity, true)
	if err != nil {
		return nil, err
	}
	if all := append(joined, invited...); len(all) > 0 {
		return all, nil
	}
	return nil, refuse(NoMatch)
}

// addressed lists the accounts that somebody's address is a member of, first the one that they name.
func (s Sessions) addressed(v Vouched) ([]projections.Membership, error) {
	email := events.FoldEmail(v.Email)
	all, err := s.membershipsOf("", email)
	if err != nil || v.Account == "" {
		return all, err
	}
	named, err := s.membershipsOf(v.Account, email)
	others := slices.DeleteFunc(all, func(m projections.Membership) bool { return m.Account == v.Account })
	return append(named, others...), err
}

// choices returns the memberships that a person at a provider has joined, or else is invited to.
func (s Sessions) choices(of []projections.Membership, identity events.Identity, invited bool) (all []Choice, err error) {
	for _, m := range of {
		t, err := s.Replica.Team(m.Account)
		if err != nil {
			return nil, err
		}
		if c, ok := s.choice(t, m, identity); ok && c.Invited() == invited {
			all = append(all, c)
		}
	}
	return all, nil
}

// choice returns the choice that a membership gives a person at a provider, or false if it gives none.
func (s Sessions) choice(t team.Team, m projections.Membership, identity events.Identity) (Choice, bool) {
	member, known := t.Member(m.Member)
	c := Choice{Membership: m, Role: member.Role, Identity: identity}
	switch {
	case !known:
		return c, false
	case member.Joined != 0:
		return c, member.Identity == identity
	}
	c.Invitation = member.Invitation
	return c, c.Invited() && s.now() < member.Until
}

// Enter signs somebody in by a choice, joining the account first if it is an invitation. It refuses with NoMatch if the choice no longer holds.
func (s Sessions) Enter(b Browser, c Choice) error {
	if c.Invited() {
		return s.joinAs(b, c)
	}
	t, err := s.Replica.Team(c.Account)
	if err != nil {
		return err
	}
	if m, known := t.Member(c.Member); !known || !c.fits(m) {
		return refuse(NoMatch)
	}
	return nil
}

// fits reports whether a member still signs in as when the choice was made.
func (c Choice) fits(m team.Member) bool {
	if c.Identity != (events.Identity{}) {
		return m.Identity == c.Identity
	}
	password := hashOf([]byte(m.Password))
	return subtle.ConstantTimeCompare(password[:], c.Password[:]) == 1
}

// joinAs has an invited member join by an identity at a provider, with a password that nobody knows.
func (s Sessions) joinAs(b Browser, c Choice) error {
	err := s.run(visitor(c.Account, c.Member, b.Address), events.AcceptInvitation{
		Member: c.Member, Invitation: c.Invitation, Password: s.passwords.unknown(), Identity: c.Identity,
	})
	if CodeOf(err) != "" {
		return refuse(NoMatch)
	}
	if err == nil {
		err = s.Fresh.Account(c.Account)
	}
	return err
}

// Join has an invited member choose a password and join. An unacceptable password is refused with the code that says why.
func (s Sessions) Join(b Browser, i Invitation, email, password, repeated string) error {
	chosen, wrong := newPassword(password, repeated, email)
	if wrong != "" {
		return refuse(wrong)
	}
	hash, err := s.passwords.hash(chosen)
	if err != nil {
		return err
	}
	return s.run(visitor(i.Account, i.Member, b.Address), events.AcceptInvitation{Member: i.Member, Invitation: hashOf(i.secret), Password: hash})
}

// Connect lets the member sign in by a provider from now on. It refuses with OtherConnected if another member of the account uses the same identity.
func (s Sessions) Connect(p Principal, identity events.Identity) error {
	return as(s.run(p, events.ConnectMember{Member: p.by.Member, Identity: identity}), events.AlreadyExists, OtherConnected)
}

// Disconnect stops the member from signing in by a provider.
func (s Sessions) Disconnect(p Principal) error { return s.Connect(p, events.Identity{}) }
