package dashboard

import (
	"context"
	"log/slog"
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
			commands := &counted{}
			d := New(Config{
				Commands: commands, Models: models, Partitions: 4, Level: func(int32) events.Level { return level },
				ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "127.0.0.1", true },
				Demo:     map[events.Plan]events.AccountID{events.PlanPro: "acc_a"},
				Logger:   slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
			})
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
