package service

import (
	"encoding/base64"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
)

// Members are the actions on the members of an account.
type Members struct{ *gate }

// InvitationTime is how long a one-time link is valid.
const InvitationTime = 7 * 24 * time.Hour

// Invited is a one-time link, which is stored nowhere.
type Invited struct {
	Member events.MemberID
	Email  string
	Link   string
	Until  events.Instant
	// Delivery says whether the link was sent to the member, Undelivered why not.
	Delivery    Delivery
	Undelivered error
}

// Invite makes a one-time link by which somebody joins the account: a new member, one that has not joined, or one that needs a new password, whose
// role stays. It refuses with OwnLink to make one for the inviting member itself. origin is where the member's browser reaches Platen.
func (m Members) Invite(p Principal, email string, role events.Role, origin string) (Invited, error) {
	made := Invited{Member: events.NewMemberID(), Email: events.FoldEmail(email), Until: m.now().Add(InvitationTime)}
	t, err := m.Replica.Team(p.Account)
	if err != nil {
		return made, err
	}
	if have, known := t.ByEmail(made.Email); known {
		made.Member = have.ID
	}
	if p.by.Member == made.Member { // otherwise anybody with a session could take the account over
		return made, refuse(OwnLink)
	}
	link, hash := newInvitation(p.Account, made.Member)
	err = m.run(p, events.InviteMember{Member: made.Member, Email: made.Email, Role: role, Invitation: hash, Until: made.Until})
	if err != nil {
		return made, err
	}
	made.Link = origin + link
	m.deliver(p, &made)
	return made, nil
}

// InviteAgain is Invite for somebody who is a member already.
func (m Members) InviteAgain(p Principal, id events.MemberID, origin string) (Invited, error) {
	t, err := m.Replica.Team(p.Account)
	if err != nil {
		return Invited{}, err
	}
	have, known := t.Member(id)
	if !known {
		return Invited{}, refuse(events.NoSuchMember)
	}
	return m.Invite(p, have.Email, have.Role, origin)
}

// ChangeRole gives a member another role.
func (m Members) ChangeRole(p Principal, id events.MemberID, role events.Role) error {
	return m.run(p, events.ChangeMember{Member: id, Role: role})
}

// Remove removes a member with its sessions.
func (m Members) Remove(p Principal, id events.MemberID) error {
	return m.run(p, events.RemoveMember{Member: id})
}

// SignOut ends all sessions of a member.
func (m Members) SignOut(p Principal, id events.MemberID) error {
	if p.is != operator && p.by.Member != id {
		return refuse(NotAllowed)
	}
	return m.run(p, events.CloseSession{Member: id})
}

// InvitationPath is the path prefix of one-time links.
const InvitationPath = "/dashboard/invitation/"

// newInvitation makes a one-time link for a member, and the hash of its secret.
func newInvitation(account events.AccountID, member events.MemberID) (link string, hash [32]byte) {
	secret, hash := newSecret()
	return InvitationPath + string(account) + "/" + string(member) + "/" + base64.RawURLEncoding.EncodeToString(secret), hash
}

// Invitation is a parsed one-time link.
type Invitation struct {
	Account events.AccountID
	Member  events.MemberID
	secret  []byte
}

// maxLink is longer than the end of any link.
const maxLink = 256

// ParseInvitation reads the part of a link after InvitationPath.
func ParseInvitation(link string) (i Invitation, ok bool) {
	parts := strings.Split(link, "/")
	if len(parts) != 3 || len(link) > maxLink {
		return i, false
	}
	secret, ok := ParseSecret(parts[2])
	return Invitation{events.AccountID(parts[0]), events.MemberID(parts[1]), secret}, ok && len(secret) == secretSize
}

// ParseSecret reads a secret of a link or a cookie. Each has one spelling: without padding, line breaks or stray bits at its end.
func ParseSecret(text string) (secret []byte, ok bool) {
	secret, err := base64.RawURLEncoding.DecodeString(text)
	return secret, err == nil && base64.RawURLEncoding.EncodeToString(secret) == text
}

// Invitee returns the member that a link is for, or false if the link is used, replaced or expired. An error means that this is not known now.
func (m Members) Invitee(i Invitation) (member team.Member, ok bool, err error) {
	if err := m.Fresh.Account(i.Account); err != nil {
		return member, false, err
	}
	t, err := m.Replica.Team(i.Account)
	member, known := t.Member(i.Member)
	return member, err == nil && known && member.Invitation == hashOf(i.secret) && m.now() < member.Until, err
}
