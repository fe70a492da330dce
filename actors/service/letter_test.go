package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/events/testkit"
)

// office is a desk with members, whose letters are kept.
type office struct {
	*desk
	letters *letters
}

// letters keeps what is sent, or refuses it if it has an error.
type letters struct {
	sent chan string // "address: text"
	err  error
	held chan struct{} // what is sent waits for it, if there is one
}

func (l *letters) Send(ctx context.Context, to, _, text string) error {
	if l.held != nil {
		select {
		case <-l.held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if l.err == nil {
		l.sent <- to + ": " + text
	}
	return l.err
}

const team1 events.AccountID = "acc_1"

// newOffice has an owner, Ada, a developer, Bob, and Eve, who is invited.
func newOffice(t *testing.T) *office {
	t.Helper()
	sent := &letters{sent: make(chan string, 1000)}
	o := &office{newDesk(t, sent), sent}
	invite := func(id events.MemberID, role events.Role) events.Event {
		return events.MemberInvited{Member: id, Email: strings.TrimPrefix(string(id), "mem_") + "@example.com", Role: role, Until: events.At(o.now.Add(day))}
	}
	o.happened(
		t, team1, events.AccountCreated{Plan: events.PlanPro},
		invite("mem_ada", events.RoleOwner), invite("mem_bob", events.RoleDeveloper),
		events.MemberJoined{Member: "mem_ada", Password: "x"},
		events.MemberJoined{Member: "mem_bob", Password: "x"},
		invite("mem_eve", events.RoleOwner),
	)
	return o
}

// ends closes the desk, and returns the letters that it has sent.
func (o *office) ends(t *testing.T) (all []string) {
	t.Helper()
	if err := o.Close(testkit.Context(t)); err != nil {
		t.Fatal(err)
	}
	close(o.letters.sent)
	for l := range o.letters.sent {
		all = append(all, l)
	}
	return all
}

func ada() Principal {
	return Member(team1, team.Member{ID: "mem_ada", Role: events.RoleOwner}, session("ses_a"), "192.0.2.1")
}

// Any change to how a member signs in, or to access, is reported to that member, or to the owners; nothing else is.
func TestNotices(t *testing.T) {
	refused := events.Reply{Code: events.NoSuchMember}
	for name, tc := range map[string]struct {
		by    Principal
		body  events.CommandBody
		reply events.Reply
		to    string
		says  []string
	}{
		"a key":               {by: ada(), body: events.IssueKey{Key: events.Key{ID: "key_a", Name: "Shop\x1b"}}, to: "ada", says: []string{`key_a Shop\x1b`, "ada@example.com, from 192.0.2.1", "14 November 2023, 22:13 UTC", "acc_1"}},
		"an operator's key":   {by: Operator(team1), body: events.IssueKey{Key: events.Key{ID: "key_a"}}, to: "ada", says: []string{"an operator of Platen"}},
		"a key is revoked":    {by: Operator(team1), body: events.RevokeKey{Key: "key_a"}, to: "ada", says: []string{"key_a was revoked"}},
		"a webhook secret":    {by: ada(), body: events.RotateWebhookSecret{}, to: "ada", says: []string{"signs webhooks was replaced"}},
		"a link":              {by: ada(), body: events.InviteMember{Member: "mem_bob"}, to: "bob", says: []string{"one-time link was made", "ada@example.com"}},
		"a link for the new":  {by: ada(), body: events.InviteMember{Member: "mem_new"}},
		"a link is used":      {by: visitor(team1, "mem_bob", "192.0.2.7"), body: events.AcceptInvitation{Member: "mem_bob"}, to: "bob", says: []string{"by a one-time link", "somebody with a one-time link, from 192.0.2.7"}},
		"an invited one":      {by: visitor(team1, "mem_eve", ""), body: events.AcceptInvitation{Member: "mem_eve"}},
		"a role":              {by: ada(), body: events.ChangeMember{Member: "mem_bob", Role: events.RoleBilling}, to: "bob", says: []string{"role is now: billing"}},
		"removed":             {by: ada(), body: events.RemoveMember{Member: "mem_bob"}, to: "bob", says: []string{"you were removed"}},
		"signed out":          {by: Operator(team1), body: events.CloseSession{Member: "mem_bob"}, to: "bob", says: []string{"sessions were ended"}},
		"signs out":           {by: ada(), body: events.CloseSession{Member: "mem_ada"}},
		"a password":          {by: ada(), body: events.SetPassword{Member: "mem_ada"}, to: "ada", says: []string{"password was changed"}},
		"a factor":            {by: ada(), body: events.SetSecondFactor{Member: "mem_ada", Secret: events.Sealed{1}}, to: "ada", says: []string{"now asks for a code"}},
		"no factor":           {by: ada(), body: events.SetSecondFactor{Member: "mem_ada"}, to: "ada", says: []string{"turned off"}},
		"a passkey":           {by: ada(), body: events.AddPasskey{Member: "mem_ada", Passkey: events.Passkey{Name: "Phone"}}, to: "ada", says: []string{"added for you: Phone"}},
		"no passkey":          {by: ada(), body: events.RemovePasskey{Member: "mem_ada"}, to: "ada", says: []string{"passkeys was removed"}},
		"refused":             {by: ada(), body: events.RemoveMember{Member: "mem_bob"}, reply: refused},
		"a template":          {by: ada(), body: events.DeleteTemplate{}},
		"a sign-in":           {by: visitor(team1, "mem_ada", ""), body: events.OpenSession{}},
		"not with this role":  {by: Member(team1, team.Member{ID: "mem_bob", Role: events.RoleDeveloper}, session("s"), ""), body: events.RemoveMember{Member: "mem_ada"}},
		"somebody unknown":    {by: ada(), body: events.RemoveMember{Member: "mem_zoe"}},
		"of an other account": {by: Operator("acc_2"), body: events.RevokeKey{}},
	} {
		o := newOffice(t)
		if tc.reply.Code != "" {
			o.shards.reply = tc.reply
		}
		_ = o.gate.run(tc.by, tc.body)
		got := o.ends(t)
		if tc.to == "" {
			if len(got) != 0 {
				t.Errorf("%s: somebody is told %q", name, got)
			}
			continue
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], tc.to+"@example.com: ") {
			t.Errorf("%s: sent %q, want one to %s", name, got, tc.to)
			continue
		}
		for _, text := range tc.says {
			testkit.Contains(t, got[0], text)
		}
	}
}

// The owners are told when somebody sees the first webhook secret, which takes no command.
func TestShownSecretIsTold(t *testing.T) {
	o := newOffice(t)
	if _, err := o.Webhooks.FirstSecret(Member(team1, team.Member{ID: "mem_bob", Role: events.RoleBilling}, session("s"), "")); CodeOf(err) != NotAllowed {
		t.Fatal(err)
	}
	if secret, err := o.Webhooks.FirstSecret(ada()); err != nil || secret == "" {
		t.Fatal(err)
	}
	if got := o.ends(t); len(got) != 1 || !strings.Contains(got[0], "secret that signs webhooks was shown") {
		t.Errorf("sent %q", got)
	}
}

// Every command that takes a proof is reported.
func TestEveryProofIsTold(t *testing.T) {
	taking := 0
	for _, of := range events.CommandTypes() {
		body, ok := reflect.Zero(of).Interface().(events.CommandBody)
		if !ok || !account.TakesProof(body) {
			continue
		}
		taking++
		if say, known := notices[of]; !known {
			t.Errorf("nobody is told of %s", of.Name())
		} else if _, text := say(ada(), body); text == "" {
			t.Errorf("nothing is told of %s", of.Name())
		}
	}
	if taking < 10 {
		t.Errorf("only %d commands take a proof", taking)
	}
}

// A member gets notices of twenty changes a day; those left out are in the log, and the changes stay made. Links do not count.
func TestNoticesAreBounded(t *testing.T) {
	o := newOffice(t)
	revoke := func(times int) {
		for range times {
			if err := o.Keys.Revoke(ada(), "key_a"); err != nil {
				t.Fatal(err)
			}
		}
	}
	revoke(noticesToMember)
	if got := o.lines.String(); got != "" {
		t.Errorf("within the bound: %s", got)
	}
	revoke(1)
	if got := o.lines.String(); strings.Count(got, "left out") != 1 || !strings.Contains(got, "WARN") {
		t.Errorf("beyond the bound: %s", got)
	}
	if invited, err := o.Members.Invite(ada(), "bob@example.com", events.RoleDeveloper, "https://x"); err != nil || invited.Delivery != Sent {
		t.Errorf("a link: %v, %v", invited.Undelivered, err)
	}
	o.now = o.now.Add(day)
	revoke(noticesToMember)
	count := 0
	for _, l := range o.ends(t) {
		if strings.HasPrefix(l, "ada@") {
			count++
		}
	}
	if count != 2*noticesToMember {
		t.Errorf("%d letters in two days, want %d", count, 2*noticesToMember)
	}
}

// An address gets five links a day from an account, and twenty from all; further links are made but not sent, and others get theirs.
func TestLinksAreBounded(t *testing.T) {
	o := newOffice(t)
	invite := func(by Principal, email string) (Delivery, Code) {
		i, err := o.Members.Invite(by, email, events.RoleDeveloper, "https://x")
		if err != nil || i.Link == "" {
			t.Fatalf("no link: %v", err)
		}
		return i.Delivery, CodeOf(i.Undelivered)
	}
	for n := range linksFromOne {
		if got, why := invite(ada(), "new@example.com"); got != Sent {
			t.Errorf("letter %d: %s %s", n+1, got, why)
		}
	}
	for _, email := range []string{"new@example.com", " New@Example.com"} {
		if got, why := invite(ada(), email); got != Unsent || why != ManyLetters {
			t.Errorf("one more to %q: %s %s", email, got, why)
		}
	}
	if got, why := invite(ada(), "other@example.com"); got != Sent {
		t.Errorf("to another address: %s %s", got, why)
	}
	for n := linksFromOne; n < linksToAddress; n++ {
		if got, why := invite(Operator(events.AccountID(fmt.Sprint("acc_", 2+n/linksFromOne))), "new@example.com"); got != Sent {
			t.Errorf("letter %d from all accounts: %s %s", n+1, got, why)
		}
	}
	if got, why := invite(Operator("acc_9"), "new@example.com"); got != Unsent || why != ManyLetters {
		t.Errorf("one more from all accounts: %s %s", got, why)
	}
	o.now = o.now.Add(day - 1)
	if got, _ := invite(ada(), "new@example.com"); got != Unsent {
		t.Error("sent before the day is over")
	}
	o.now = o.now.Add(1)
	if got, why := invite(ada(), "new@example.com"); got != Sent {
		t.Errorf("on the next day: %s %s", got, why)
	}
	o.ends(t)
}

// An account sends twenty links a minute, its operator more.
func TestLinksPerMinute(t *testing.T) {
	o := newOffice(t)
	sent := func(by Principal, from, to int) (count int) {
		for n := from; n < to; n++ {
			i, err := o.Members.Invite(by, fmt.Sprintf("n%d@example.com", n), events.RoleDeveloper, "https://x")
			if err != nil {
				t.Fatal(err)
			}
			if i.Delivery == Sent {
				count++
			} else if CodeOf(i.Undelivered) != RateLimited {
				t.Errorf("letter %d: %v", n, i.Undelivered)
			}
		}
		return count
	}
	if got := sent(ada(), 0, linksPerMinute+2); got != linksPerMinute {
		t.Errorf("%d links in a minute, want %d", got, linksPerMinute)
	}
	if got := sent(Operator(team1), 100, 110); got != 10 {
		t.Errorf("an operator sends %d of 10", got)
	}
	o.now = o.now.Add(time.Minute)
	if got := sent(ada(), 200, 201); got != 1 {
		t.Error("nothing is sent in the next minute")
	}
	o.ends(t)
}

// Nobody waits for a letter about a change. When the node stops, those that wait are sent, or named in the log if the server takes none.
func TestNobodyWaitsForALetter(t *testing.T) {
	o := newOffice(t)
	o.letters.held = make(chan struct{})
	for range 3 {
		if err := o.Keys.Revoke(ada(), "key_a"); err != nil {
			t.Fatal(err)
		}
	}
	close(o.letters.held)
	if got := o.ends(t); len(got) != 3 {
		t.Errorf("%d letters are sent", len(got))
	}
	stuck := newOffice(t)
	stuck.letters.held = make(chan struct{})
	for range 3 {
		_ = stuck.Keys.Revoke(ada(), "key_a")
	}
	ended, cancel := context.WithCancel(testkit.Context(t))
	cancel()
	if err := stuck.Close(ended); err != nil {
		t.Fatal(err)
	}
	if got := stuck.lines.String(); strings.Count(got, "left out")+strings.Count(got, "not sent") != 3 {
		t.Errorf("the log says %s", got)
	}
	broken := newOffice(t)
	broken.letters.err = errors.New("no such mailbox")
	if err := broken.Keys.Revoke(ada(), "key_a"); err != nil {
		t.Error(err)
	}
	broken.ends(t)
	if got := broken.lines.String(); !slices.Contains(strings.Fields(got), "level=ERROR") {
		t.Errorf("the log says %s", got)
	}
}
