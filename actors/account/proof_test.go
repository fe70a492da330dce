package account

import (
	"reflect"
	"slices"
	"testing"

	"platen.dev/events"
	"platen.dev/events/team"
)

// A command that changes how somebody signs in, or grants access, needs a session of the asking member that began in the last minutes; others do not.
func TestProof(t *testing.T) {
	o := newOffice(t)
	o.join("mem_a", events.RoleOwner)
	o.join("mem_b", events.RoleOwner)
	began := o.now
	o.want(events.Accepted, events.OpenSession{Session: o.session("ses_a", "mem_a").Session})
	o.want(events.Accepted, events.OpenSession{Session: o.session("ses_b", "mem_b").Session})
	issue := func() events.CommandBody { return events.IssueKey{Key: events.Key{ID: events.NewKeyID()}} }
	for name, tc := range map[string]struct {
		by   events.Author
		at   events.Instant
		want events.ReplyCode
	}{
		"at once":              {events.Author{Member: "mem_a", Session: "ses_a"}, began, events.Accepted},
		"in time":              {events.Author{Member: "mem_a", Session: "ses_a"}, began.Add(team.ProofTime) - 1, events.Accepted},
		"too late":             {events.Author{Member: "mem_a", Session: "ses_a"}, began.Add(team.ProofTime), events.SignInOld},
		"another's session":    {events.Author{Member: "mem_a", Session: "ses_b"}, began, events.SignInOld},
		"no session":           {events.Author{Member: "mem_a"}, began, events.SignInOld},
		"one that is not":      {events.Author{Member: "mem_a", Session: "ses_x"}, began, events.SignInOld},
		"an operator":          {events.Author{Operator: true}, began.Add(team.ProofTime), events.Accepted},
		"Platen, or a program": {events.Author{}, began.Add(team.ProofTime), events.Accepted},
	} {
		o.by, o.now = tc.by, tc.at
		if got := o.do(issue()); got.Code != tc.want {
			t.Errorf("%s: %s, want %s", name, got.Code, tc.want)
		}
	}
	o.by, o.now = events.Author{Member: "mem_a", Session: "ses_a"}, began.Add(team.ProofTime)
	o.want(events.Accepted, events.SetDefaultTemplate{})
	o.want(events.SignInOld, events.RemoveMember{Member: "mem_b"})
}

// The commands that take a proof. A new one that grants access belongs here.
func TestWhatTakesAProof(t *testing.T) {
	var taking []string
	for _, of := range events.CommandTypes() {
		if body, ok := reflect.Zero(of).Interface().(events.CommandBody); ok && TakesProof(body) {
			taking = append(taking, of.Name())
		}
	}
	slices.Sort(taking)
	want := []string{"AddPasskey", "ChangeMember", "ConnectMember", "InviteMember", "IssueKey", "RemoveMember", "RemovePasskey", "RevokeKey", "RotateWebhookSecret", "SetPassword", "SetSecondFactor"}
	if !slices.Equal(taking, want) {
		t.Errorf("%v take a proof, want %v", taking, want)
	}
}
