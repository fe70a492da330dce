package service

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// NewPasskey is a passkey that a browser made during a session, in answer to a challenge.
type NewPasskey struct {
	Session   events.SessionID
	Handle    [32]byte
	Challenge events.Instant
	Passkey   events.Passkey
}

// PasskeyName returns a passkey's name as stored, or refuses with BadPasskeyName.
func PasskeyName(typed string) (string, error) {
	name, ok := line(typed, team.MaxPasskeyName)
	if !ok {
		return "", refuse(BadPasskeyName)
	}
	return name, nil
}

// AddPasskey adds a passkey to the member.
func (s Sessions) AddPasskey(p Principal, n NewPasskey) error {
	name, err := PasskeyName(n.Passkey.Name)
	if err != nil {
		return err
	}
	n.Passkey.Name = name
	return s.run(p, events.AddPasskey{Member: p.by.Member, Session: n.Session, Handle: n.Handle, Challenge: n.Challenge, Passkey: n.Passkey})
}

// RemovePasskey takes a passkey away from the member.
func (s Sessions) RemovePasskey(p Principal, id []byte) error {
	return s.run(p, events.RemovePasskey{Member: p.by.Member, ID: id})
}
