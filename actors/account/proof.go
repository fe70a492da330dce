package account

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// TakesProof reports whether a member must have signed in recently to send a command: one that changes how somebody signs in, or grants access. An
// unlocked screen or a stolen session is not enough.
func TakesProof(body events.CommandBody) bool {
	switch body.(type) {
	case events.IssueKey, events.RevokeKey, events.RotateWebhookSecret,
		events.InviteMember, events.ChangeMember, events.RemoveMember,
		events.SetPassword, events.SetSecondFactor, events.AddPasskey, events.RemovePasskey, events.ConnectMember:
		return true
	}
	return false
}

// proved reports whether a command's author may have it decided: an operator, Platen itself, or a member whose session began recently.
func proved(t team.Team, c events.Command) bool {
	if c.By.Member == "" || !TakesProof(c.Body) {
		return true
	}
	s, m, open := t.Session(c.By.Session, c.At)
	return open && m.ID == c.By.Member && s.Opened.Recent(team.ProofTime, c.At)
}
