package account

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// office is an account whose commands are decided and folded one after another.
type office struct {
	t         *testing.T
	now       events.Instant
	by        events.Author // of the commands
	rows      table.Memory
	aggregate *Aggregate
	cause     int64
}

func newOffice(t *testing.T) *office {
	o := &office{t: t, by: events.Author{Operator: true}, now: 1_700_000_000_000, rows: table.Memory{}}
	o.aggregate = NewAggregate("acc", ReplicaStore{Reader: o.rows}, LimitsOf)
	o.do(events.CreateAccount{Plan: events.PlanPro})
	return o
}

// do decides a command, folds its envelope, and returns the reply.
func (o *office) do(body events.CommandBody) events.Reply {
	o.t.Helper()
	o.cause++
	c := events.Command{ID: events.NewCommandID(), Account: "acc", At: o.now, Body: body, By: o.by}
	d, err := o.aggregate.Decide(o.cause, c)
	if err != nil {
		o.t.Fatal(err)
	}
	tx := table.NewTx(o.rows)
	for _, p := range []table.Projection{States{}, projections.ReadModels{}} {
		p.Apply(tx, 0, events.Envelope{Cause: o.cause, Command: c.ID, Account: "acc", At: o.now, Reply: d.Reply, Events: d.Events, By: c.By})
	}
	if err := tx.Flush(o.rows); err != nil {
		o.t.Fatal(err)
	}
	o.aggregate.Committed(o.cause)
	return *d.Reply
}

// want runs a command and checks the code of its reply.
func (o *office) want(code events.ReplyCode, body events.CommandBody) {
	o.t.Helper()
	if reply := o.do(body); reply.Code != code {
		o.t.Errorf("%s: %s, not %s", body, reply.Code, code)
	}
}

// team returns the team according to the rows, which must equal that of the next decision.
func (o *office) team() team.Team {
	o.t.Helper()
	stored, err := table.TeamOf(o.rows, 0, "acc")
	if err != nil {
		o.t.Fatal(err)
	}
	if s, err := o.aggregate.State(); err != nil || !reflect.DeepEqual(s.Team, stored) {
		o.t.Errorf("decided on %+v, stored %+v, %v", s.Team, stored, err)
	}
	return stored
}

func (o *office) invite(id events.MemberID, role events.Role) events.InviteMember {
	return events.InviteMember{Member: id, Email: string(id) + "@example.com", Role: role, Invitation: [32]byte{1}, Until: o.now.Add(time.Hour)}
}

// join has a new member join, and returns its id.
func (o *office) join(id events.MemberID, role events.Role) events.MemberID {
	o.want(events.Accepted, o.invite(id, role))
	o.want(events.Accepted, events.AcceptInvitation{Member: id, Invitation: [32]byte{1}, Password: "hash"})
	return id
}

func (o *office) session(id events.SessionID, member events.MemberID) events.OpenSession {
	return events.OpenSession{Session: events.Session{ID: id, Member: member, Hash: [32]byte{2}, Until: o.now.Add(time.Hour)}}
}

// A link works once, within its time, with its secret.
func TestInvitations(t *testing.T) {
	o := newOffice(t)
	accept := events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: "hash"}
	o.want(events.InvitationGone, accept)
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	o.want(events.InvitationGone, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{2}, Password: "hash"})
	o.want(events.InvitationGone, events.AcceptInvitation{Member: "mem_a", Password: "hash"})
	o.now = o.now.Add(time.Hour)
	o.want(events.InvitationGone, accept)
	o.want(events.Accepted, o.invite("mem_b", events.RoleOwner))
	again := o.invite("mem_other", events.RoleDeveloper)
	again.Email = "mem_a@example.com"
	o.want(events.Accepted, again) // replaces the link of the member with that address
	o.now = again.Until - 1
	o.want(events.Accepted, accept)
	o.want(events.InvitationGone, accept)
	if m, ok := o.team().Member("mem_a"); !ok || m.Role != events.RoleDeveloper || m.Joined != o.now || m.Invitation != [32]byte{} || len(o.team().Members) != 2 {
		t.Errorf("joined as %+v", m)
	}
}

// A member who has joined gets a new password by a new link; the role stays, and the sessions end with the new password.
func TestANewPassword(t *testing.T) {
	o := newOffice(t)
	o.join("mem_a", events.RoleBilling)
	o.want(events.Accepted, o.session("ses_a", "mem_a"))
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	if m, _ := o.team().Member("mem_a"); m.Role != events.RoleBilling || m.Password != "hash" || len(o.team().Sessions) != 1 {
		t.Errorf("invited again: %+v, %d sessions", m, len(o.team().Sessions))
	}
	o.want(events.Accepted, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: "other"})
	if m, _ := o.team().Member("mem_a"); m.Password != "other" || len(o.team().Sessions) != 0 {
		t.Errorf("with a new password: %+v, %d sessions", m, len(o.team().Sessions))
	}
}

func TestWhatInvitationsMayBe(t *testing.T) {
	o := newOffice(t)
	long := strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 60)+".", 3) + "example"
	for name, c := range map[string]struct {
		change func(*events.InviteMember)
		code   events.ReplyCode
	}{
		"254 bytes":         {func(b *events.InviteMember) { b.Email = long[len(long)-254:] }, events.Accepted},
		"255 bytes":         {func(b *events.InviteMember) { b.Email = long[len(long)-255:] }, events.OutOfRange},
		"a name before":     {func(b *events.InviteMember) { b.Email = "ada <ada@example.com>" }, events.OutOfRange},
		"capitals":          {func(b *events.InviteMember) { b.Email = "Ada@example.com" }, events.OutOfRange},
		"no address":        {func(b *events.InviteMember) { b.Email = "" }, events.OutOfRange},
		"two lines":         {func(b *events.InviteMember) { b.Email = "ada@example.com\r\nBcc: b@example.com" }, events.OutOfRange},
		"no role":           {func(b *events.InviteMember) { b.Role = "" }, events.OutOfRange},
		"another role":      {func(b *events.InviteMember) { b.Role = "admin" }, events.OutOfRange},
		"seven days":        {func(b *events.InviteMember) { b.Until = o.now.Add(maxInvitation) }, events.Accepted},
		"more":              {func(b *events.InviteMember) { b.Until = o.now.Add(maxInvitation) + 1 }, events.OutOfRange},
		"has run out":       {func(b *events.InviteMember) { b.Until = o.now }, events.OutOfRange},
		"no id":             {func(b *events.InviteMember) { b.Member = "" }, events.OutOfRange},
		"for a millisecond": {func(b *events.InviteMember) { b.Until = o.now + 1 }, events.Accepted},
	} {
		b := o.invite(events.NewMemberID(), events.RoleBilling)
		c.change(&b)
		if reply := o.do(b); reply.Code != c.code {
			t.Errorf("%s: %s, not %s", name, reply.Code, c.code)
		}
	}
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	b := o.invite("mem_a", events.RoleOwner)
	b.Email = "another@example.com"
	o.want(events.AlreadyExists, b) // an id is not reused
	o.want(events.OutOfRange, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}})
	o.want(events.OutOfRange, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: strings.Repeat("h", maxPassword+1)})
	o.want(events.Accepted, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: strings.Repeat("h", maxPassword)})
}

func TestMostMembers(t *testing.T) {
	o := newOffice(t)
	for i := range team.MaxMembers {
		o.want(events.Accepted, o.invite(events.MemberID(fmt.Sprint("mem_", i)), events.RoleOwner))
	}
	o.want(events.TooManyMembers, o.invite("mem_more", events.RoleOwner))
	o.want(events.Accepted, o.invite("mem_7", events.RoleOwner))
	o.want(events.Accepted, events.RemoveMember{Member: "mem_7"})
	o.want(events.Accepted, o.invite("mem_more", events.RoleOwner))
}

// An account that has had an owner keeps one.
func TestTheLastOwner(t *testing.T) {
	o := newOffice(t)
	o.join("mem_a", events.RoleOwner)
	o.want(events.Accepted, o.invite("mem_b", events.RoleOwner)) // has not joined
	o.want(events.LastOwner, events.RemoveMember{Member: "mem_a"})
	o.want(events.LastOwner, events.ChangeMember{Member: "mem_a", Role: events.RoleBilling})
	o.want(events.Accepted, events.ChangeMember{Member: "mem_a", Role: events.RoleOwner})
	o.want(events.OutOfRange, events.ChangeMember{Member: "mem_a", Role: "admin"})
	o.join("mem_b", events.RoleOwner)
	o.want(events.Accepted, o.session("ses_a", "mem_a"))
	o.want(events.Accepted, events.RemoveMember{Member: "mem_a"})
	o.want(events.NoSuchMember, events.RemoveMember{Member: "mem_a"})
	o.want(events.NoSuchMember, events.ChangeMember{Member: "mem_a", Role: events.RoleOwner})
	o.want(events.NoSuchMember, o.session("ses_b", "mem_a"))
	if got := o.team(); len(got.Members) != 1 || len(got.Sessions) != 0 {
		t.Errorf("left %+v", got)
	}
}

// The first five attempts are free; each later one waits twice as long as the previous.
func TestSignInDelays(t *testing.T) {
	o := newOffice(t)
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	o.want(events.NoSuchMember, events.BeginSignIn{Member: "mem_a"}) // has no password
	o.join("mem_a", events.RoleOwner)
	begin := events.BeginSignIn{Member: "mem_a"}
	for _, seconds := range []int64{0, 0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900} {
		if seconds > 0 {
			o.now = o.now.Add(time.Duration(seconds)*time.Second) - 1
			if reply := o.do(begin); reply.Code != events.SignInDelayed || reply.RetryAfter != 1 {
				t.Errorf("a millisecond before %d s: %+v", seconds, reply)
			}
			o.now++
		}
		o.want(events.Accepted, begin)
	}
	o.want(events.SignInDelayed, begin)
	o.want(events.Accepted, o.session("ses_a", "mem_a"))
	for range freeAttempts {
		o.want(events.Accepted, begin)
	}
	o.want(events.SignInDelayed, begin)
	o.want(events.NoSuchMember, events.BeginSignIn{Member: "mem_b"})
}

// What a clock far ahead wrote neither keeps a member out nor proves who it is, once the clock is right.
func TestSignInAfterAWrongClock(t *testing.T) {
	k := newKeyring(t)
	k.want(events.Accepted, k.add("1"))
	begin := events.BeginSignIn{Member: "mem_a"}
	right := k.now
	k.now = right.Add(1000 * time.Hour)
	for range freeAttempts {
		k.want(events.Accepted, begin)
	}
	k.want(events.SignInDelayed, begin)
	k.want(events.Accepted, k.use("1", 6))
	k.want(events.Accepted, k.long("ses_ahead", "mem_a"))
	k.want(events.Accepted, begin)
	k.now = right
	k.later()
	k.want(events.Accepted, begin)
	k.want(events.Accepted, k.use("1", 7))
	k.want(events.Stale, k.use("1", 8)) // the same challenge again
	k.session = "ses_ahead"
	k.later()
	k.want(events.SignInOld, k.add("2"))
}

func TestSessions(t *testing.T) {
	o := newOffice(t)
	o.join("mem_a", events.RoleOwner)
	o.join("mem_b", events.RoleBilling)
	o.want(events.Accepted, o.session("ses_other", "mem_b"))
	for i := range team.MaxSessions + 1 {
		o.want(events.Accepted, o.session(events.SessionID(fmt.Sprint("ses_", i)), "mem_a"))
	}
	if _, _, is := o.team().Session("ses_0", o.now); is || len(o.team().Sessions) != team.MaxSessions+1 {
		t.Errorf("%d sessions, the oldest is there: %t", len(o.team().Sessions), is)
	}
	o.want(events.AlreadyExists, o.session("ses_1", "mem_b"))
	o.want(events.Accepted, events.CloseSession{Member: "mem_b", Session: "ses_1"}) // another member's
	o.want(events.Accepted, events.CloseSession{Member: "mem_a", Session: "ses_2"})
	o.want(events.Accepted, events.CloseSession{Member: "mem_a", Session: "ses_2"})
	o.want(events.NoSuchMember, events.CloseSession{Member: "mem_c"})
	for id, want := range map[events.SessionID]bool{"ses_1": true, "ses_2": false, "ses_other": true} {
		if _, _, is := o.team().Session(id, o.now); is != want {
			t.Errorf("%s: %t", id, is)
		}
	}
	until := o.now.Add(time.Hour)
	if _, m, is := o.team().Session("ses_other", until-1); !is || m.ID != "mem_b" {
		t.Errorf("at its last moment: %t, of %s", is, m.ID)
	}
	if _, _, is := o.team().Session("ses_other", until); is {
		t.Error("a session lasts longer than it may")
	}
	o.want(events.Accepted, events.CloseSession{Member: "mem_a"})
	if left := o.team().Sessions; len(left) != 1 || left[0].ID != "ses_other" {
		t.Errorf("left %+v", left)
	}
	o.now = until
	o.want(events.Accepted, o.session("ses_late", "mem_a"))
	if left := o.team().Sessions; len(left) != 1 || left[0].ID != "ses_late" || left[0].Opened != until {
		t.Errorf("left %+v", left)
	}
	for name, c := range map[string]struct {
		change func(*events.Session)
		code   events.ReplyCode
	}{
		"two weeks":      {func(s *events.Session) { s.Until = o.now.Add(maxSession) }, events.Accepted},
		"more":           {func(s *events.Session) { s.Until = o.now.Add(maxSession) + 1 }, events.OutOfRange},
		"no time":        {func(s *events.Session) { s.Until = o.now }, events.OutOfRange},
		"an agent":       {func(s *events.Session) { s.Agent = strings.Repeat("a", maxAgent) }, events.Accepted},
		"a long agent":   {func(s *events.Session) { s.Agent = strings.Repeat("a", maxAgent+1) }, events.OutOfRange},
		"an address":     {func(s *events.Session) { s.Address = strings.Repeat("a", maxAddress) }, events.Accepted},
		"a long address": {func(s *events.Session) { s.Address = strings.Repeat("a", maxAddress+1) }, events.OutOfRange},
		"no id":          {func(s *events.Session) { s.ID = "" }, events.OutOfRange},
	} {
		b := o.session(events.NewSessionID(), "mem_a")
		c.change(&b.Session)
		if reply := o.do(b); reply.Code != c.code {
			t.Errorf("%s: %s, not %s", name, reply.Code, c.code)
		}
	}
}

// A member with a second factor signs in only by codes, and by each of them once.
func TestSecondFactor(t *testing.T) {
	o := newOffice(t)
	set := func(step int64, secret ...byte) events.SetSecondFactor {
		return events.SetSecondFactor{Member: "mem_a", Secret: secret, Step: step}
	}
	open := func(id events.SessionID, step int64) events.OpenSession {
		b := o.session(id, "mem_a")
		b.Step = step
		return b
	}
	o.want(events.NoSuchMember, set(7, 1))
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	o.want(events.NoSuchMember, set(7, 1))
	o.join("mem_a", events.RoleOwner)
	o.want(events.OutOfRange, open("ses_0", 7))
	o.want(events.OutOfRange, set(0, 1))
	o.want(events.Accepted, set(7)) // there is none to remove
	o.want(events.OutOfRange, set(7, make([]byte, maxFactor+1)...))
	o.want(events.Accepted, set(6, make([]byte, maxFactor)...))
	o.want(events.AlreadyExists, set(9, 1)) // the present one must first be removed, by one of its codes
	o.want(events.Stale, set(6))
	o.want(events.Accepted, set(7))
	o.want(events.Accepted, set(7, 1))
	o.want(events.Stale, open("ses_1", 0))
	o.want(events.Stale, open("ses_1", 7))
	o.want(events.Accepted, open("ses_1", 8))
	o.want(events.Stale, open("ses_2", 8))
	o.want(events.Stale, open("ses_2", 3))
	o.want(events.Accepted, open("ses_2", 9))
	o.want(events.Stale, set(0))
	o.want(events.Stale, set(9)) // the code was used to sign in
	o.want(events.Accepted, set(10))
	o.want(events.Accepted, set(10))
	o.want(events.Accepted, open("ses_3", 0))
	o.want(events.Accepted, set(11, 1))
	o.join("mem_a", events.RoleOwner) // with a new password
	if m, _ := o.team().Member("mem_a"); m.Factor != nil || m.Step != 0 {
		t.Errorf("a new password leaves the second factor: %+v", m)
	}
}

// A new password ends all sessions of the member but the one in which it was set.
func TestSetPassword(t *testing.T) {
	o := newOffice(t)
	set := func(hash string) events.SetPassword {
		return events.SetPassword{Member: "mem_a", Password: hash, Keep: "ses_1"}
	}
	o.want(events.NoSuchMember, set("other"))
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	o.want(events.NoSuchMember, set("other"))
	o.join("mem_a", events.RoleOwner)
	o.join("mem_b", events.RoleOwner)
	for i, member := range []events.MemberID{"mem_a", "mem_a", "mem_b"} {
		o.want(events.Accepted, o.session(events.SessionID(fmt.Sprint("ses_", i)), member))
	}
	o.want(events.OutOfRange, set(""))
	o.want(events.OutOfRange, set(strings.Repeat("h", maxPassword+1)))
	o.want(events.Accepted, set(strings.Repeat("h", maxPassword)))
	o.want(events.Accepted, set("other"))
	left := o.team()
	if m, _ := left.Member("mem_a"); m.Password != "other" || len(left.Sessions) != 2 || left.Sessions[0].ID != "ses_1" || left.Sessions[1].ID != "ses_2" {
		t.Errorf("left %+v", left)
	}
}

// Anything that gives a member control again ends a pending link: a new password, signing out everywhere, a second factor.
func TestPendingLinksEnd(t *testing.T) {
	for name, regain := range map[string]events.CommandBody{
		"a new password":         events.SetPassword{Member: "mem_a", Password: "other"},
		"signed out everywhere":  events.CloseSession{Member: "mem_a"},
		"a second factor":        events.SetSecondFactor{Member: "mem_a", Secret: events.Sealed{1}, Step: 7},
		"signed out of one":      events.CloseSession{Member: "mem_a", Session: "ses_a"},
		"signed out, of another": events.CloseSession{Member: "mem_b"},
	} {
		o := newOffice(t)
		o.join("mem_a", events.RoleOwner)
		o.join("mem_b", events.RoleOwner)
		o.want(events.Accepted, o.session("ses_a", "mem_a"))
		o.want(events.Accepted, o.session("ses_b", "mem_b"))
		o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
		o.want(events.Accepted, regain)
		want := events.InvitationGone
		if strings.HasPrefix(name, "signed out") && name != "signed out everywhere" {
			want = events.Accepted
		}
		if got := o.do(events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: "stolen"}); got.Code != want {
			t.Errorf("after %s the link is %s", name, got.Code)
		}
	}
}

// A passkey does not make a used code valid again.
func TestCodesStayUsed(t *testing.T) {
	o := newOffice(t)
	o.join("mem_a", events.RoleOwner)
	o.want(events.Accepted, events.SetSecondFactor{Member: "mem_a", Secret: events.Sealed{1}, Step: 7})
	opened := events.SessionOpened{Session: events.Session{ID: "ses_p", Member: "mem_a"}} // as by a passkey
	after := o.team().Evolve(opened, o.now)
	if m, _ := after.Member("mem_a"); m.Step != 7 {
		t.Errorf("codes from step %d on are good", m.Step+1)
	}
}

func TestNamesOfKeys(t *testing.T) {
	o := newOffice(t)
	o.want(events.OutOfRange, events.IssueKey{Key: events.Key{ID: "key_a", Name: strings.Repeat("n", events.MaxKeyName+1)}})
	o.want(events.Accepted, events.IssueKey{Key: events.Key{ID: "key_a", Name: strings.Repeat("n", events.MaxKeyName)}})
}

// A member is connected with one person at a provider, who is only one member of the account. A one-time link ends the connection.
func TestConnectedMembers(t *testing.T) {
	o := newOffice(t)
	ada, bo := events.NewIdentity("https://login.example", "ada"), events.NewIdentity("https://login.example", "bo")
	o.want(events.NoSuchMember, events.ConnectMember{Member: "mem_a", Identity: ada})
	o.want(events.Accepted, o.invite("mem_a", events.RoleOwner))
	o.want(events.NoSuchMember, events.ConnectMember{Member: "mem_a", Identity: ada})
	o.want(events.Accepted, events.AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: "hash", Identity: ada})
	o.join("mem_b", events.RoleOwner)
	o.want(events.AlreadyExists, events.ConnectMember{Member: "mem_b", Identity: ada})
	o.want(events.Accepted, events.ConnectMember{Member: "mem_b", Identity: bo})
	o.want(events.Accepted, events.ConnectMember{Member: "mem_b", Identity: bo})
	o.want(events.Accepted, o.invite("mem_c", events.RoleOwner))
	o.want(events.AlreadyExists, events.AcceptInvitation{Member: "mem_c", Invitation: [32]byte{1}, Password: "hash", Identity: bo})
	o.want(events.Accepted, events.ConnectMember{Member: "mem_b"})
	o.want(events.Accepted, events.AcceptInvitation{Member: "mem_c", Invitation: [32]byte{1}, Password: "hash", Identity: bo})
	o.want(events.Accepted, o.invite("mem_c", events.RoleOwner))
	o.want(events.Accepted, events.AcceptInvitation{Member: "mem_c", Invitation: [32]byte{1}, Password: "hash"})
	for id, want := range map[events.MemberID]events.Identity{"mem_a": ada, "mem_b": {}, "mem_c": {}} {
		if m, _ := o.team().Member(id); m.Identity != want {
			t.Errorf("%s is connected with %x", id, m.Identity)
		}
	}
}
