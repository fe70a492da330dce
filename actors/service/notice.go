package service

import (
	"fmt"
	"reflect"

	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/team"
)

// notice returns a sentence about a command that changes how a member signs in, or what gives access, and the member to tell: the owners if there is
// none. An empty sentence is sent to nobody.
type notice func(Principal, events.CommandBody) (whom events.MemberID, text string)

// notices has a row for each command that takes a proof (account.TakesProof), and for the others that end or replace a sign-in.
var notices = map[reflect.Type]notice{
	of[events.IssueKey](): owners(func(c events.IssueKey) string {
		return fmt.Sprintf("an API key was made: %s %s.", c.Key.ID, contract.Plain(c.Key.Name))
	}),
	of[events.RevokeKey]():           owners(func(c events.RevokeKey) string { return fmt.Sprintf("the API key %s was revoked.", c.Key) }),
	of[events.RotateWebhookSecret](): owners(func(events.RotateWebhookSecret) string { return "the secret that signs webhooks was replaced." }),

	of[events.InviteMember](): member(func(c events.InviteMember) (events.MemberID, string) {
		return c.Member, "a one-time link was made by which a new password can be chosen for you."
	}),
	of[events.AcceptInvitation](): member(func(c events.AcceptInvitation) (events.MemberID, string) {
		return c.Member, "a new password was chosen for you by a one-time link. Your second factor and your passkeys are removed, and your sessions ended."
	}),
	of[events.ChangeMember](): member(func(c events.ChangeMember) (events.MemberID, string) {
		return c.Member, fmt.Sprintf("your role is now: %s.", c.Role)
	}),
	of[events.RemoveMember](): member(func(c events.RemoveMember) (events.MemberID, string) {
		return c.Member, "you were removed from the account, and can no longer sign in to it."
	}),
	of[events.CloseSession](): func(p Principal, body events.CommandBody) (events.MemberID, string) {
		c := body.(events.CloseSession)
		if c.Member == p.by.Member {
			return "", ""
		}
		return c.Member, "your sessions were ended."
	},

	of[events.SetPassword](): member(func(c events.SetPassword) (events.MemberID, string) {
		return c.Member, "your password was changed. Your other sessions are ended."
	}),
	of[events.SetSecondFactor](): member(func(c events.SetSecondFactor) (events.MemberID, string) {
		if len(c.Secret) == 0 {
			return c.Member, "your second factor was turned off: signing in asks for no code any more."
		}
		return c.Member, "a second factor was set up for you: signing in now asks for a code."
	}),
	of[events.AddPasskey](): member(func(c events.AddPasskey) (events.MemberID, string) {
		return c.Member, fmt.Sprintf("a passkey was added for you: %s.", contract.Plain(c.Passkey.Name))
	}),
	of[events.ConnectMember](): member(func(c events.ConnectMember) (events.MemberID, string) {
		if c.Identity == (events.Identity{}) {
			return c.Member, "signing in by the sign-in provider was turned off for you."
		}
		return c.Member, "somebody at the sign-in provider can now sign in as you."
	}),
	of[events.RemovePasskey](): member(func(c events.RemovePasskey) (events.MemberID, string) {
		return c.Member, "one of your passkeys was removed."
	}),
}

// secretShown tells the owners that somebody has seen the first webhook secret, which takes no command.
const secretShown = "the secret that signs webhooks was shown."

func owners[C events.CommandBody](text func(C) string) notice {
	return func(_ Principal, body events.CommandBody) (events.MemberID, string) { return "", text(body.(C)) }
}

func member[C events.CommandBody](text func(C) (events.MemberID, string)) notice {
	return func(_ Principal, body events.CommandBody) (events.MemberID, string) { return text(body.(C)) }
}

const noticeLetter = `Hello,

%s

By:      %s
When:    %s
Account: %s

If you didn’t expect it, sign in and look at your sessions and the account’s audit trail, or ask an owner of the account.
`

// toldOf returns the letters about a command that is about to be decided: a member that it removes still has an address now.
func (g *gate) toldOf(p Principal, body events.CommandBody) []letter {
	say, known := notices[reflect.TypeOf(body)]
	if g.post == nil || !known {
		return nil
	}
	whom, text := say(p, body)
	return g.lettersTo(p, whom, text)
}

// told returns the letters to the owners with a text.
func (g *gate) told(p Principal, text string) []letter {
	if g.post == nil {
		return nil
	}
	return g.lettersTo(p, "", text)
}

// lettersTo returns letters with a text to a member who has joined, or to all owners who have.
func (g *gate) lettersTo(p Principal, whom events.MemberID, text string) (all []letter) {
	if text == "" {
		return nil
	}
	t, err := g.Replica.Team(p.Account)
	if err != nil {
		g.Logger.Warn("letter about a change left out", "account", string(p.Account), "error", err)
		return nil
	}
	text = fmt.Sprintf(noticeLetter, text, authorOf(p, t), letterTime(g.now()), p.Account)
	for _, m := range t.Members {
		if m.Joined != 0 && (m.ID == whom || whom == "" && m.Role == events.RoleOwner) {
			all = append(all, letter{recipient{p.Account, m.Email}, "A change at Platen", text})
		}
	}
	return all
}

// authorOf names the author of an action, and where it came from.
func authorOf(p Principal, t team.Team) string {
	who := "somebody with a one-time link"
	if p.by.Operator {
		return "an operator of Platen"
	}
	if m, known := t.Member(p.by.Member); known && p.is != stranger {
		who = m.Email
	}
	if p.by.Address != "" {
		who += ", from " + p.by.Address
	}
	return contract.Plain(who)
}

// tell sends letters about what was decided.
func (g *gate) tell(all []letter) {
	for _, l := range all {
		g.post.sendSoon(l)
	}
}
