package account

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/team"
)

// keyring is a member who has signed in at an office.
type keyring struct {
	*office
	session events.SessionID
}

func newKeyring(t *testing.T) *keyring {
	o := newOffice(t)
	o.join("mem_a", events.RoleOwner)
	k := &keyring{o, "ses_a"}
	o.want(events.Accepted, o.long("ses_a", "mem_a"))
	return k
}

// long returns a command that opens a session outlasting the test.
func (o *office) long(id events.SessionID, member events.MemberID) events.OpenSession {
	b := o.session(id, member)
	b.Session.Until = o.now.Add(maxSession)
	return b
}

// add returns a command that adds a passkey whose challenge was made a second ago.
func (k *keyring) add(id string) events.AddPasskey {
	return events.AddPasskey{
		Member: "mem_a", Session: k.session, Handle: [32]byte{7}, Challenge: k.now.Add(-time.Second),
		Passkey: events.Passkey{ID: []byte(id), PublicKey: []byte{1}, Name: "Laptop", Counter: 5},
	}
}

// use returns a command that signs in by a passkey.
func (k *keyring) use(id string, counter uint32) events.UsePasskey {
	s := k.long(events.NewSessionID(), "mem_a").Session
	return events.UsePasskey{Session: s, ID: []byte(id), Counter: counter, Challenge: k.now.Add(-time.Second)}
}

// later is long enough for another challenge.
func (k *keyring) later() { k.now = k.now.Add(2 * time.Second) }

func (k *keyring) member() team.Member {
	m, _ := k.team().Member("mem_a")
	return m
}

// A passkey is added by its member, recently signed in, within the bounds.
func TestAddPasskey(t *testing.T) {
	k := newKeyring(t)
	k.join("mem_b", events.RoleOwner)
	k.want(events.Accepted, k.long("ses_b", "mem_b"))
	other := k.invite("mem_c", events.RoleOwner)
	k.want(events.Accepted, other)
	for name, c := range map[string]struct {
		change func(*events.AddPasskey)
		code   events.ReplyCode
	}{
		"nobody":                  {func(b *events.AddPasskey) { b.Member = "mem_x" }, events.NoSuchMember},
		"not joined":              {func(b *events.AddPasskey) { b.Member = "mem_c" }, events.NoSuchMember},
		"no session":              {func(b *events.AddPasskey) { b.Session = "ses_x" }, events.SignInOld},
		"another's session":       {func(b *events.AddPasskey) { b.Session = "ses_b" }, events.SignInOld},
		"no handle":               {func(b *events.AddPasskey) { b.Handle = [32]byte{} }, events.OutOfRange},
		"no id":                   {func(b *events.AddPasskey) { b.Passkey.ID = nil }, events.OutOfRange},
		"a long id":               {func(b *events.AddPasskey) { b.Passkey.ID = make([]byte, maxPasskeyID+1) }, events.OutOfRange},
		"no key":                  {func(b *events.AddPasskey) { b.Passkey.PublicKey = nil }, events.OutOfRange},
		"a long key":              {func(b *events.AddPasskey) { b.Passkey.PublicKey = make([]byte, maxPublicKey+1) }, events.OutOfRange},
		"no name":                 {func(b *events.AddPasskey) { b.Passkey.Name = "" }, events.OutOfRange},
		"a long name":             {func(b *events.AddPasskey) { b.Passkey.Name = strings.Repeat("n", team.MaxPasskeyName+1) }, events.OutOfRange},
		"a name that is no text":  {func(b *events.AddPasskey) { b.Passkey.Name = "\xff" }, events.OutOfRange},
		"an old challenge":        {func(b *events.AddPasskey) { b.Challenge = k.now.Add(-challengeTime) }, events.Stale},
		"a challenge of tomorrow": {func(b *events.AddPasskey) { b.Challenge = k.now.Add(challengeTime) }, events.Stale},
	} {
		b := k.add("id")
		c.change(&b)
		if reply := k.do(b); reply.Code != c.code {
			t.Errorf("%s: %s, not %s", name, reply.Code, c.code)
		}
	}
	longest := k.add(strings.Repeat("i", maxPasskeyID))
	longest.Challenge = k.now.Add(-challengeTime) + 1
	longest.Passkey.PublicKey, longest.Passkey.Name = make([]byte, maxPublicKey), strings.Repeat("n", team.MaxPasskeyName)
	k.want(events.Accepted, longest)
	k.want(events.Stale, longest) // its challenge was already answered
	again := k.add(strings.Repeat("i", maxPasskeyID))
	k.want(events.AlreadyExists, again)
	otherHandle := k.add("id")
	otherHandle.Handle = [32]byte{8}
	k.want(events.Stale, otherHandle)
	if m := k.member(); len(m.Passkeys) != 1 || m.Handle != [32]byte{7} || m.Passkeys[0].Added != k.now || m.Passkeys[0].Used != 0 {
		t.Errorf("the member is %+v", m)
	}
}

// A member who signed in long ago cannot add one.
func TestAddPasskeyLate(t *testing.T) {
	k := newKeyring(t)
	began := k.now
	k.now = began.Add(team.ProofTime) - 1
	k.want(events.Accepted, k.add("1"))
	k.now = began.Add(team.ProofTime)
	k.want(events.SignInOld, k.add("2"))
}

func TestPasskeysAreBounded(t *testing.T) {
	k := newKeyring(t)
	for i := range team.MaxPasskeys {
		k.want(events.Accepted, k.add(fmt.Sprint(i)))
		k.later()
	}
	k.want(events.TooManyPasskeys, k.add("more"))
	k.want(events.NoSuchPasskey, events.RemovePasskey{Member: "mem_a", ID: []byte("more")})
	k.want(events.NoSuchPasskey, events.RemovePasskey{Member: "mem_a"})
	k.want(events.NoSuchMember, events.RemovePasskey{Member: "mem_b", ID: []byte("3")})
	k.want(events.Accepted, events.RemovePasskey{Member: "mem_a", ID: []byte("3")})
	k.want(events.Accepted, k.add("more"))
	if m := k.member(); len(m.Passkeys) != team.MaxPasskeys || string(m.Passkeys[3].ID) != "4" || string(m.Passkeys[9].ID) != "more" {
		t.Errorf("left %+v", m.Passkeys)
	}
}

// Each challenge works once, and the counter must increase, unless the authenticator does not count.
func TestUsePasskey(t *testing.T) {
	k := newKeyring(t)
	k.want(events.NoSuchPasskey, k.use("1", 6))
	k.want(events.Accepted, k.add("1"))
	k.want(events.Stale, k.use("1", 6)) // at the moment of the challenge by which it was added
	k.later()
	k.want(events.Stale, k.use("1", 4))
	k.want(events.Stale, k.use("1", 5))
	k.want(events.Stale, k.use("1", 0))
	first := k.use("1", 6)
	k.want(events.Accepted, first)
	used := k.now
	replayed := k.use("1", 7)
	replayed.Challenge = first.Challenge
	k.want(events.Stale, replayed)
	k.later()
	replayed.Challenge = first.Challenge - 1
	k.want(events.Stale, replayed)
	uncounted := k.add("2")
	uncounted.Passkey.Counter = 0
	k.want(events.Accepted, uncounted)
	for range 2 {
		k.later()
		k.want(events.Accepted, k.use("2", 0))
	}
	k.later()
	k.want(events.Accepted, k.use("2", 1)) // it has begun to count
	k.later()
	k.want(events.Stale, k.use("2", 0))
	m := k.member()
	if one, two := m.Passkeys[0], m.Passkeys[1]; one.Counter != 6 || one.Used != used || two.Counter != 1 || two.Used != k.now.Add(-2*time.Second) {
		t.Errorf("used %+v", m.Passkeys)
	}
	late := k.use("1", 9)
	late.Challenge = k.now.Add(-challengeTime)
	k.want(events.Stale, late)
	k.want(events.NoSuchMember, events.UsePasskey{Session: k.long("ses_x", "mem_x").Session, ID: []byte("1"), Counter: 9, Challenge: k.now})
	taken := k.use("1", 9)
	taken.Session.ID = "ses_a"
	k.want(events.AlreadyExists, taken)
	endless := k.use("1", 9)
	endless.Session.Until = k.now.Add(maxSession) + 1
	k.want(events.OutOfRange, endless)
}

// A passkey asks for no code, and does not make a used code valid again. Wrong passwords do not block it.
func TestPasskeyBesideOtherWays(t *testing.T) {
	k := newKeyring(t)
	k.want(events.Accepted, events.SetSecondFactor{Member: "mem_a", Secret: events.Sealed{1}, Step: 7})
	k.want(events.Accepted, k.add("1"))
	for k.do(events.BeginSignIn{Member: "mem_a"}).Code == events.Accepted {
	}
	k.later()
	k.want(events.Accepted, k.use("1", 6))
	if m := k.member(); m.Step != 7 || m.Attempts != 0 || len(k.team().Sessions) != 2 {
		t.Errorf("signed in as %+v", m)
	}
	code := k.long("ses_c", "mem_a")
	code.Step = 7
	k.want(events.Stale, code)
}

// A one-time link removes the passkeys, with the handle by which they know the member; a new password does not.
func TestPasskeysEnd(t *testing.T) {
	k := newKeyring(t)
	k.want(events.Accepted, k.add("1"))
	k.want(events.Accepted, events.SetPassword{Member: "mem_a", Password: "other", Keep: "ses_a"})
	if m := k.member(); len(m.Passkeys) != 1 {
		t.Errorf("another password leaves %+v", m.Passkeys)
	}
	k.later()
	use := k.use("1", 6)
	k.join("mem_a", events.RoleOwner)
	k.want(events.NoSuchPasskey, use)
	if m := k.member(); len(m.Passkeys) != 0 || m.Handle != [32]byte{} {
		t.Errorf("a link leaves %+v", m)
	}
	k.join("mem_b", events.RoleOwner)
	k.want(events.Accepted, events.RemoveMember{Member: "mem_a"})
	k.want(events.NoSuchMember, use)
}

// The trail records a passkey's name.
func TestPasskeysInTheTrail(t *testing.T) {
	for _, ev := range []events.Event{
		events.PasskeyAdded{Passkey: events.Passkey{Name: "Laptop"}}, events.PasskeyRemoved{Name: "Laptop"}, events.PasskeyUsed{Name: "Laptop"},
	} {
		if subject, recorded := events.Recorded(ev); subject != "Laptop" || !recorded {
			t.Errorf("%s is recorded as %q, %t", ev, subject, recorded)
		}
		if said := ev.String(); strings.Contains(said, "Laptop") || !strings.Contains(said, "Passkey") {
			t.Errorf("the log says %s", said)
		}
	}
}
