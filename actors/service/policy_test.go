package service

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/team"
)

// internal are the commands that only Platen itself sends, besides the reports of effects.
var internal = []string{"EndDownload", "LoseRender", "NoteKeyUse", "RenewDownload", "WakeJob"}

// Every command has a row that says who may have it sent, or is Platen's own.
func TestEveryCommandHasAPolicy(t *testing.T) {
	decided := slices.Clone(internal)
	for command := range policies {
		decided = append(decided, command.Name())
	}
	var all []string
	for _, command := range events.CommandTypes() {
		all = append(all, command.Name())
		if body, ok := reflect.Zero(command).Interface().(events.CommandBody); ok && job.Reports(body) {
			decided = append(decided, command.Name())
		}
	}
	slices.Sort(decided)
	slices.Sort(all)
	if !slices.Equal(decided, all) {
		t.Errorf("policies and internal commands are\n%v, the commands\n%v", decided, all)
	}
}

// Each kind of principal may send its commands, and no others.
func TestWhoMay(t *testing.T) {
	member := func(r events.Role) Principal {
		return Member("acc", team.Member{ID: "mem", Role: r}, session("ses_a"), "192.0.2.1")
	}
	principals := map[string]Principal{
		"operator": Operator("acc"), "program": Program("acc"), "owner": member(events.RoleOwner), "developer": member(events.RoleDeveloper),
		"billing": member(events.RoleBilling), "stranger": visitor("acc", "mem", "192.0.2.1"), "nobody": {Account: "acc"}, "an unknown role": member("admin"),
	}
	for name, tc := range map[string]struct {
		body events.CommandBody
		may  []string
	}{
		"open an account":    {events.CreateAccount{}, []string{"operator"}},
		"correct usage":      {events.AdjustUsage{}, []string{"operator"}},
		"make a key":         {events.IssueKey{}, []string{"developer", "operator", "owner"}},
		"save a template":    {events.PutTemplate{}, []string{"developer", "operator", "owner"}},
		"rotate a secret":    {events.RotateWebhookSecret{}, []string{"developer", "operator", "owner"}},
		"invite":             {events.InviteMember{}, []string{"operator", "owner"}},
		"change a role":      {events.ChangeMember{}, []string{"operator", "owner"}},
		"change a password":  {events.SetPassword{}, []string{"billing", "developer", "owner"}},
		"close a session":    {events.CloseSession{}, []string{"billing", "developer", "operator", "owner"}},
		"open a session":     {events.OpenSession{}, []string{"stranger"}},
		"submit a job":       {events.Submission{}, []string{"developer", "owner", "program"}},
		"submit its head":    {events.SubmitJob{}, []string{"developer", "owner", "program"}},
		"send a webhook":     {events.RedeliverWebhook{}, []string{"developer", "operator", "owner", "program"}},
		"say a job is ready": {events.FinishRender{}, nil},
		"drop a command":     {events.DropSetAside{}, []string{"operator"}},
	} {
		var may []string
		for _, who := range slices.Sorted(maps.Keys(principals)) {
			if principals[who].may(tc.body) {
				may = append(may, who)
			}
		}
		if !slices.Equal(may, tc.may) {
			t.Errorf("%s: %v may, want %v", name, may, tc.may)
		}
	}
}

// Every code has words for members, and none of them names a command of operators.
func TestWords(t *testing.T) {
	for code, w := range refusals {
		if w.member == "" || strings.Contains(w.member, "platen admin") || strings.Contains(w.member, "ACCOUNT") {
			t.Errorf("%s: members read %q", code, w.member)
		}
		if got := (&Refusal{Code: code}).Advice("acc_x"); got == "" || strings.Contains(got, "ACCOUNT") {
			t.Errorf("%s: operators read %q", code, got)
		}
	}
	cause := errors.New("the template lacks a version")
	for name, tc := range map[string]struct{ got, want string }{
		"a cause is for operators": {(&Refusal{Code: BadTemplate, Cause: cause}).Advice("acc_x"), cause.Error()},
		"and not for members":      {(&Refusal{Code: BadTemplate, Cause: cause}).Error(), "The template isn’t valid."},
		"unless there are no others": {
			(&Refusal{Code: NotDrained, Cause: cause}).Error(), cause.Error(),
		},
		"an unknown code": {(&Refusal{Code: "of-another-version"}).Error(), "That’s refused: of-another-version."},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
}

// The texts that people type are one line of visible characters, of a length.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"Shop": "Shop", "  Shop ": "Shop", "12345678": "12345678", "ééée": "ééée",
		"123456789": "", "ééééé": "", "": "", "   ": "", "a\nb": "", "a\x00": "", "a\x7f": "", "\xff": "", "a\u0085b": "", "a\x1b": "", "a\u202e": "", "\u2066a": "", "a\u2029b": "", "\u200fa": "\u200fa",
	} {
		got, ok := line(text, 8)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}
