package dashboard

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// oneMember has an account with a member who has joined, and was invited again.
type oneMember struct {
	ReadModels
	team team.Team
}

func (m oneMember) Team(events.AccountID) (team.Team, error) { return m.team, nil }

func (oneMember) CatchUp(context.Context, int32) error { return nil }

func (oneMember) Memberships(email string, _ int) (all []projections.Membership, err error) {
	if email == "ada@example.com" {
		all = append(all, projections.Membership{Account: "acc_a", Member: "mem_a"})
	}
	return all, nil
}

// counted are commands that are counted, and never replied to.
type counted struct{ n int }

func (c *counted) DoBy(events.Author, events.AccountID, events.CommandBody) (events.Reply, error) {
	c.n++
	return events.Reply{Code: events.Internal}, nil
}

// atLevel is the dashboard of a node whose partitions have a level.
func atLevel(level events.Level, models ReadModels, now time.Time) (*Dashboard, *counted) {
	commands := &counted{}
	return New(Config{
		Commands: commands, Models: models, Partitions: 4, Level: func(int32) events.Level { return level },
		ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "127.0.0.1", true },
		Demo:     map[events.Plan]events.AccountID{events.PlanPro: "acc_a"},
		Logger:   slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	}), commands
}

// As long as a node may be up that does not know members, nobody can have a command about them written: it would end that node.
func TestNoCommandsBelowTheLevel(t *testing.T) {
	p := newPasswords()
	hash, err := p.hash("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	path, invitation := NewInvitation("acc_a", "mem_a")
	models := oneMember{team: team.Team{Members: []team.Member{{ID: "mem_a", Email: "ada@example.com", Role: events.RoleOwner, Password: hash, Joined: 1, Invitation: invitation, Until: events.At(now.Add(time.Hour))}}}}
	for level, sends := range map[events.Level]bool{events.LevelMembers - 1: false, events.LevelMembers: true} {
		for name, form := range map[string][2]string{
			"an unknown address": {Path + "/sign-in", "email=eve@example.com&password=x"},
			"a member":           {Path + "/sign-in", "email=ada@example.com&password=correct+horse+battery"},
			"a link":             {path, "password=correct+horse+battery&repeat=correct+horse+battery"},
			"a demo account":     {Path + "/sign-in/demo", "plan=pro"},
		} {
			d, commands := atLevel(level, models, now)
			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetMethod("POST")
			ctx.Request.SetRequestURI("http://localhost" + form[0])
			ctx.Request.Header.Set("Sec-Fetch-Site", "same-origin")
			ctx.Request.Header.SetContentType("application/x-www-form-urlencoded")
			ctx.Request.SetBodyString(form[1])
			d.Serve(&ctx)
			if (commands.n > 0) != sends || ctx.Response.StatusCode() == 303 {
				t.Errorf("%s at level %d: %d commands, status %d", name, level, commands.n, ctx.Response.StatusCode())
			}
		}
	}
}

// Account is not looked for.
func (oneMember) Account(events.AccountID) (projections.Account, bool, error) {
	return projections.Account{}, false, nil
}

// The same is true of passkeys, which came later: the pages say so, and offer none.
func TestNoPasskeysBelowTheLevel(t *testing.T) {
	now := time.Now()
	secret, hash := newSecret()
	session := team.Session{Session: events.Session{ID: "ses_a", Member: "mem_a", Hash: hash, Until: events.At(now.Add(time.Hour))}, Opened: events.At(now)}
	models := oneMember{team: team.Team{Members: []team.Member{{ID: "mem_a", Email: "ada@example.com", Role: events.RoleOwner, Joined: 1}}, Sessions: []team.Session{session}}}
	for level, may := range map[events.Level]bool{events.LevelAccess - 1: false, events.LevelAccess: true} {
		d, commands := atLevel(level, models, now)
		page := func(path string) string {
			var ctx fasthttp.RequestCtx
			ctx.Request.SetRequestURI("http://localhost" + Path + path)
			ctx.Request.Header.SetCookie("platen", cookieValue("acc_a", "ses_a", secret))
			d.Serve(&ctx)
			return string(ctx.Response.Body())
		}
		for path, has := range map[string]string{"/sign-in": `data-passkey="get"`, "/security": `data-passkey="create"`} {
			if got := page(path); strings.Contains(got, has) != may {
				t.Errorf("level %d: %s offers passkeys: %t\n%s", level, path, !may, got)
			}
		}
		if got := page("/security"); strings.Contains(got, "once the feature level") == may {
			t.Errorf("level %d: the page says\n%s", level, got)
		}
		for _, body := range []events.CommandBody{events.AddPasskey{}, events.RemovePasskey{}, events.UsePasskey{}} {
			commands.n = 0
			if _, err := d.command(events.Author{}, "acc_a", body); (commands.n > 0) != may || (err == nil) != may {
				t.Errorf("level %d: %s: %d commands, %v", level, body, commands.n, err)
			}
		}
	}
}
