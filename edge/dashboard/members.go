package dashboard

import (
	"cmp"
	"strconv"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// memberPages are the pages about who may sign in, and who changed what.
type memberPages struct{ *site }

func (d memberPages) members(ctx *fasthttp.RequestCtx, v visitor) {
	d.showMembers(ctx, v, page.Members{})
}

// showMembers shows who may sign in, beside what a page shows only once.
func (d memberPages) showMembers(ctx *fasthttp.RequestCtx, v visitor, view page.Members) {
	view.Frame, view.May, view.Roles = d.frame(ctx, v), v.is(owners), events.Roles()
	t, err := d.cfg.Models.Team(v.Account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	for _, m := range t.Members {
		view.Members = append(view.Members, page.Member{
			ID: m.ID, Email: m.Email, Role: m.Role, Joined: timeOf(m.Joined), Until: timeOf(m.Until), Myself: m.ID == v.member.ID, LastOne: t.LastOwner(m.ID),
		})
	}
	d.show(ctx, view)
}

// invite makes a member and its one-time link.
func (d memberPages) invite(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	made, err := d.cfg.Services.Members.Invite(v.principal(), string(args.Peek("email")), events.Role(args.Peek("role")), d.origin(ctx))
	d.showLink(ctx, v, made, err)
}

// inviteAgain makes another link for a member, to replace a lost one or to set a new password.
func (d memberPages) inviteAgain(ctx *fasthttp.RequestCtx, v visitor) {
	made, err := d.cfg.Services.Members.InviteAgain(v.principal(), memberIn(ctx), d.origin(ctx))
	d.showLink(ctx, v, made, err)
}

// showLink shows a one-time link, this once.
func (d memberPages) showLink(ctx *fasthttp.RequestCtx, v visitor, made service.Invited, err error) {
	if d.did(ctx, err) {
		d.showMembers(ctx, v, page.Members{Link: made.Link, Invited: made.Email, Delivery: deliveries[made.Delivery]})
	}
}

var deliveries = map[service.Delivery]page.Delivery{service.ByHand: page.ByHand, service.Sent: page.Sent, service.Unsent: page.Unsent}

func memberIn(ctx *fasthttp.RequestCtx) events.MemberID {
	return events.MemberID(ctx.PostArgs().Peek("member"))
}

func (d memberPages) changeRole(ctx *fasthttp.RequestCtx, v visitor) {
	role := events.Role(ctx.PostArgs().Peek("role"))
	if d.did(ctx, d.cfg.Services.Members.ChangeRole(v.principal(), memberIn(ctx), role)) {
		redirect(ctx, Path+"/members?done=role")
	}
}

func (d memberPages) removeMember(ctx *fasthttp.RequestCtx, v visitor) {
	if d.confirmed(ctx) && d.did(ctx, d.cfg.Services.Members.Remove(v.principal(), memberIn(ctx))) {
		redirect(ctx, Path+"/members?done=removed")
	}
}

// trailEntries is how many entries of the trail are shown.
const trailEntries = 200

func (d memberPages) trail(ctx *fasthttp.RequestCtx, v visitor) {
	d.catchUp(v.Account)
	before, err := strconv.ParseInt(string(ctx.QueryArgs().Peek("before")), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	entries, older, err := d.cfg.Models.Trail(v.Account, before, trailEntries)
	if err != nil {
		d.unavailable(ctx, "read trail", err)
		return
	}
	t, err := d.cfg.Models.Team(v.Account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	view := page.Trail{Frame: d.frame(ctx, v), Older: older}
	for _, e := range entries {
		if m, is := t.Member(events.MemberID(e.Subject)); is {
			e.Subject = m.Email
		}
		view.Entries = append(view.Entries, page.Entry{
			At: e.At.Time(), By: authorName(e.By, e.Email), Address: e.By.Address, What: e.What, Subject: e.Subject, More: e.More, Last: timeOf(e.Last),
		})
	}
	d.show(ctx, view)
}

// authorName returns the display name of an author: the email address at the time, for a member.
func authorName(by events.Author, email string) string {
	if by.Operator {
		return "operator"
	}
	return cmp.Or(email, string(by.Member))
}
