package account

import (
	"net/mail"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
)

// Bounds of members.
const (
	// maxEmail is the maximum length of an address, in bytes (RFC 5321, section 4.5.3.1.3, as corrected).
	maxEmail = 254
	// maxPassword is the maximum length of a password's hash.
	maxPassword = 200
	// maxInvitation is how long a one-time link may be valid, maxSession how long a session may last.
	maxInvitation = 7*24*time.Hour + time.Minute
	maxSession    = 14*24*time.Hour + time.Minute
	// maxFactor is the maximum length of an authenticator's sealed secret.
	maxFactor = 200
	// maxAgent and maxAddress are the maximum lengths of a browser's user agent and address.
	maxAgent   = 200
	maxAddress = 64
)

// Delays between sign-in attempts: none before the sixth attempt in a row, then each twice the previous.
const (
	freeAttempts = 5
	firstDelay   = 15 * time.Second
	longestDelay = 15 * time.Minute
)

// signInDelay returns how long the next attempt must wait after a number of attempts.
func signInDelay(attempts int64) time.Duration {
	if attempts < freeAttempts {
		return 0
	}
	delay := firstDelay
	for n := attempts - freeAttempts; n > 0 && delay < longestDelay; n-- {
		delay = min(2*delay, longestDelay)
	}
	return delay
}

// aboutTeam reports whether a command is about members and sessions.
func aboutTeam(body events.CommandBody) bool {
	switch body.(type) {
	case events.InviteMember, events.AcceptInvitation, events.ChangeMember, events.RemoveMember,
		events.BeginSignIn, events.SetSecondFactor, events.SetPassword, events.OpenSession, events.CloseSession,
		events.AddPasskey, events.RemovePasskey, events.UsePasskey, events.ConnectMember:
		return true
	}
	return false
}

// decideTeam decides the commands about members and sessions.
func decideTeam(t team.Team, body events.CommandBody, now events.Instant) ([]events.Event, events.Reply) {
	switch b := body.(type) {
	case events.InviteMember:
		return inviteMember(t, b, now)
	case events.AcceptInvitation:
		return acceptInvitation(t, b, now)
	case events.ConnectMember:
		return connectMember(t, b)
	case events.ChangeMember:
		return changeMember(t, b)
	case events.RemoveMember:
		return removeMember(t, b)
	case events.BeginSignIn:
		return beginSignIn(t, b, now)
	case events.SetSecondFactor:
		return setSecondFactor(t, b)
	case events.SetPassword:
		return setPassword(t, b)
	case events.OpenSession:
		return openSession(t, b, now)
	case events.CloseSession:
		return closeSession(t, b)
	case events.AddPasskey:
		return addPasskey(t, b, now)
	case events.RemovePasskey:
		return removePasskey(t, b)
	case events.UsePasskey:
		return usePasskey(t, b, now)
	}
	return refuse(events.Stale)
}

func inviteMember(t team.Team, b events.InviteMember, now events.Instant) ([]events.Event, events.Reply) {
	if !validEmail(b.Email) || b.Member == "" || !slices.Contains(events.Roles(), b.Role) || b.Until <= now || b.Until > now.Add(maxInvitation) {
		return refuse(events.OutOfRange)
	}
	invited := events.MemberInvited(b)
	have, exists := t.ByEmail(b.Email)
	switch {
	case exists && have.Joined != 0:
		invited.Member, invited.Role = have.ID, have.Role
	case exists:
		invited.Member = have.ID
	case len(t.Members) >= team.MaxMembers:
		return refuse(events.TooManyMembers)
	default:
		if _, taken := t.Member(b.Member); taken {
			return refuse(events.AlreadyExists)
		}
	}
	return accept(invited)
}

// validEmail reports whether an address is folded and a bare address.
func validEmail(email string) bool {
	a, err := mail.ParseAddress(email)
	return err == nil && a.Address == email && a.Name == "" && len(email) <= maxEmail && email == events.FoldEmail(email)
}

func acceptInvitation(t team.Team, b events.AcceptInvitation, now events.Instant) ([]events.Event, events.Reply) {
	m, exists := t.Member(b.Member)
	if !exists || m.Until <= now || m.Invitation != b.Invitation {
		return refuse(events.InvitationGone)
	}
	if !validHash(b.Password) {
		return refuse(events.OutOfRange)
	}
	if _, taken := t.ByIdentity(b.Identity); taken {
		return refuse(events.AlreadyExists)
	}
	return accept(events.MemberJoined{Member: b.Member, Password: b.Password, Identity: b.Identity})
}

// connectMember connects a member with somebody's identity at a provider, which belongs to at most one member of the account.
func connectMember(t team.Team, b events.ConnectMember) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Member)
	_, taken := t.ByIdentity(b.Identity)
	switch {
	case !is:
		return refuse(events.NoSuchMember)
	case m.Identity == b.Identity:
		return nil, accepted
	case taken:
		return refuse(events.AlreadyExists)
	}
	return accept(events.MemberConnected(b))
}

func changeMember(t team.Team, b events.ChangeMember) ([]events.Event, events.Reply) {
	m, exists := t.Member(b.Member)
	switch {
	case !exists:
		return refuse(events.NoSuchMember)
	case !slices.Contains(events.Roles(), b.Role):
		return refuse(events.OutOfRange)
	case m.Role == b.Role:
		return nil, accepted
	case t.LastOwner(b.Member):
		return refuse(events.LastOwner)
	}
	return accept(events.MemberChanged(b))
}

func removeMember(t team.Team, b events.RemoveMember) ([]events.Event, events.Reply) {
	m, exists := t.Member(b.Member)
	switch {
	case !exists:
		return refuse(events.NoSuchMember)
	case t.LastOwner(b.Member):
		return refuse(events.LastOwner)
	}
	return accept(events.MemberRemoved{Member: b.Member, Email: m.Email})
}

// joined returns a member, or false if there is none or it has not joined.
func joined(t team.Team, id events.MemberID) (team.Member, bool) {
	m, exists := t.Member(id)
	return m, exists && m.Joined != 0
}

// validHash reports whether a string has the size of a password's hash.
func validHash(hash string) bool { return hash != "" && len(hash) <= maxPassword }

func beginSignIn(t team.Team, b events.BeginSignIn, now events.Instant) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Member)
	if !is {
		return refuse(events.NoSuchMember)
	}
	if delay := signInDelay(m.Attempts); m.Tried.Recent(delay, now) {
		return nil, events.Reply{Code: events.SignInDelayed, RetryAfter: now.SecondsUntil(m.Tried.Add(delay))}
	}
	return accept(events.SignInBegun(b))
}

// setSecondFactor takes each code once, as openSession does. It does not replace a present factor: somebody who has only an open session could lock
// the member out.
func setSecondFactor(t team.Team, b events.SetSecondFactor) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Member)
	sets, has := len(b.Secret) > 0, len(m.Factor) > 0
	switch {
	case !is:
		return refuse(events.NoSuchMember)
	case len(b.Secret) > maxFactor || sets && b.Step <= 0:
		return refuse(events.OutOfRange)
	case sets && has:
		return refuse(events.AlreadyExists)
	case !sets && !has:
		return nil, accepted
	case !sets && b.Step <= m.Step:
		return refuse(events.Stale)
	}
	return accept(events.SecondFactorSet(b))
}

func setPassword(t team.Team, b events.SetPassword) ([]events.Event, events.Reply) {
	if _, is := joined(t, b.Member); !is {
		return refuse(events.NoSuchMember)
	}
	if !validHash(b.Password) {
		return refuse(events.OutOfRange)
	}
	return accept(events.PasswordSet(b))
}

// openSession takes each code once: somebody may have seen it typed.
func openSession(t team.Team, b events.OpenSession, now events.Instant) ([]events.Event, events.Reply) {
	s := b.Session
	m, is := joined(t, s.Member)
	if !is {
		return refuse(events.NoSuchMember)
	}
	if len(m.Factor) > 0 && b.Step <= m.Step {
		return refuse(events.Stale)
	}
	if len(m.Factor) == 0 && b.Step != 0 {
		return refuse(events.OutOfRange)
	}
	if code := mayOpen(t, s, now); code != events.Accepted {
		return refuse(code)
	}
	return accept(events.SessionOpened(b))
}

// mayOpen returns whether a session can be opened, whatever credentials were shown.
func mayOpen(t team.Team, s events.Session, now events.Instant) events.ReplyCode {
	if s.ID == "" || s.Until <= now || s.Until > now.Add(maxSession) || len(s.Agent) > maxAgent || len(s.Address) > maxAddress {
		return events.OutOfRange
	}
	if slices.ContainsFunc(t.Sessions, func(other team.Session) bool { return other.ID == s.ID }) {
		return events.AlreadyExists
	}
	return events.Accepted
}

// closeSession changes nothing if there is no such session: it may have expired.
func closeSession(t team.Team, b events.CloseSession) ([]events.Event, events.Reply) {
	if _, exists := t.Member(b.Member); !exists {
		return refuse(events.NoSuchMember)
	}
	if !slices.ContainsFunc(t.Sessions, func(s team.Session) bool { return s.Member == b.Member && (b.Session == "" || s.ID == b.Session) }) {
		return nil, accepted
	}
	return accept(events.SessionClosed(b))
}
