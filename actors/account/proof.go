package account

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// TakesProof reports whether a member who has a command sent must have signed in lately: it changes how somebody signs in, or gives access.
// An unlocked screen, or a session that somebody took, is not enough.
func TakesProof(body events.CommandBody) bool {
	switch body.(type) {
	case events.IssueKey, events.RevokeKey, events.RotateWebhookSecret,
		events.InviteMember, events.ChangeMember, events.RemoveMember,
		events.SetPassword, events.SetSecondFactor, events.AddPasskey, events.RemovePasskey, events.ConnectMember:
		return true
	}
	return false
}

// proved reports whether the author of a command may have it decided: an operator, Platen itself, or a member whose session began lately.
func proved(t team.Team, c events.Command) bool {
	if c.By.Member == "" || !TakesProof(c.Body) {
		return true
	}
	s, m, open := t.Session(c.By.Session, c.At)
	return open && m.ID == c.By.Member && c.At < s.Opened.Add(team.ProofTime)
}
