package account

import (
	"time"
	"unicode/utf8"

	"platen.dev/events"
	"platen.dev/events/team"
)

// Bounds of passkeys. They are small because every change of a team rewrites all of it.
const (
	// maxPasskeyID is the maximum length of a credential id, in bytes. Discoverable credentials have short ids.
	maxPasskeyID = 255
	// maxPublicKey exceeds the length of a COSE key for 2048-bit RSA or an elliptic curve.
	maxPublicKey = 320
	// challengeTime is how long a challenge may be answered, and the clock error allowed for the node that made it.
	challengeTime = 10 * time.Minute
)

// addPasskey adds a passkey for a member who has signed in recently: an unlocked screen is not enough.
func addPasskey(t team.Team, b events.AddPasskey, now events.Instant) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Member)
	s, owner, open := t.Session(b.Session, now)
	_, has := m.Passkey(b.Passkey.ID)
	switch {
	case !is:
		return refuse(events.NoSuchMember)
	case !open || owner.ID != b.Member || !s.Opened.Recent(team.ProofTime, now):
		return refuse(events.SignInOld)
	case b.Handle == [32]byte{} || !validPasskey(b.Passkey):
		return refuse(events.OutOfRange)
	case !unanswered(m, b.Challenge, now) || m.Handle != [32]byte{} && m.Handle != b.Handle:
		return refuse(events.Stale)
	case has:
		return refuse(events.AlreadyExists)
	case len(m.Passkeys) >= team.MaxPasskeys:
		return refuse(events.TooManyPasskeys)
	}
	return accept(events.PasskeyAdded{Member: b.Member, Handle: b.Handle, Challenge: b.Challenge, Passkey: b.Passkey})
}

func validPasskey(p events.Passkey) bool {
	within := func(n, most int) bool { return n > 0 && n <= most }
	return within(len(p.ID), maxPasskeyID) && within(len(p.PublicKey), maxPublicKey) && within(len(p.Name), team.MaxPasskeyName) && utf8.ValidString(p.Name)
}

// unanswered reports whether a challenge is current and newer than the last one answered. So each works once, whichever node made it. One that
// was answered in the future, by a wrong clock, locks nobody out: no current challenge is as late.
func unanswered(m team.Member, challenge, now events.Instant) bool {
	newer := challenge > m.Challenge || m.Challenge >= now.Add(challengeTime)
	return newer && now < challenge.Add(challengeTime) && challenge < now.Add(challengeTime)
}

func removePasskey(t team.Team, b events.RemovePasskey) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Member)
	p, has := m.Passkey(b.ID)
	switch {
	case !is:
		return refuse(events.NoSuchMember)
	case !has:
		return refuse(events.NoSuchPasskey)
	}
	return accept(events.PasskeyRemoved{Member: b.Member, ID: b.ID, Name: p.Name})
}

// usePasskey opens a session.
func usePasskey(t team.Team, b events.UsePasskey, now events.Instant) ([]events.Event, events.Reply) {
	m, is := joined(t, b.Session.Member)
	p, has := m.Passkey(b.ID)
	switch {
	case !is:
		return refuse(events.NoSuchMember)
	case !has:
		return refuse(events.NoSuchPasskey)
	case !unanswered(m, b.Challenge, now) || !p.Advances(b.Counter):
		return refuse(events.Stale)
	}
	if code := mayOpen(t, b.Session, now); code != events.Accepted {
		return refuse(code)
	}
	used := events.PasskeyUsed{Member: m.ID, ID: b.ID, Name: p.Name, Counter: b.Counter, Challenge: b.Challenge}
	return []events.Event{used, events.SessionOpened{Session: b.Session, Step: m.Step}}, accepted // used codes stay used
}
