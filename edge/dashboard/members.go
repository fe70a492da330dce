package dashboard

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// InvitationTime is how long a one-time link is good.
const InvitationTime = 7 * 24 * time.Hour

func (d *Dashboard) members(ctx *fasthttp.RequestCtx, v visitor) {
	d.showMembers(ctx, v, page.Members{})
}

// showMembers adds who may sign in to what a page shows this once.
func (d *Dashboard) showMembers(ctx *fasthttp.RequestCtx, v visitor, view page.Members) {
	view.Frame, view.May, view.Roles = d.frame(ctx, v), v.is(owners), events.Roles()
	t, err := d.cfg.Models.Team(v.account)
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
func (d *Dashboard) invite(ctx *fasthttp.RequestCtx, v visitor) {
	email := events.FoldEmail(string(ctx.PostArgs().Peek("email")))
	d.link(ctx, v, events.NewMemberID(), email, events.Role(ctx.PostArgs().Peek("role")))
}

// inviteAgain makes another link for a member: instead of one that was lost, or for a new password.
func (d *Dashboard) inviteAgain(ctx *fasthttp.RequestCtx, v visitor) {
	t, err := d.cfg.Models.Team(v.account)
	m, known := t.Member(memberIn(ctx))
	switch {
	case err != nil:
		d.unavailable(ctx, "read members", err)
	case !known:
		redirect(ctx, Path+"/members?wrong="+string(events.NoSuchMember))
	default:
		d.link(ctx, v, m.ID, m.Email, m.Role)
	}
}

func memberIn(ctx *fasthttp.RequestCtx) events.MemberID {
	return events.MemberID(ctx.PostArgs().Peek("member"))
}

// link makes a one-time link, sends it to its member, and shows it, this once.
func (d *Dashboard) link(ctx *fasthttp.RequestCtx, v visitor, id events.MemberID, email string, role events.Role) {
	t, err := d.cfg.Models.Team(v.account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	if have, known := t.ByEmail(email); known {
		id = have.ID
	}
	path, hash := NewInvitation(v.account, id)
	body := events.InviteMember{Member: id, Email: email, Role: role, Invitation: hash, Until: d.now().Add(InvitationTime)}
	if code, err := d.send(v, body); err != nil || code != events.Accepted {
		d.refuseLink(ctx, code, err)
		return
	}
	link := d.origin(ctx) + path
	sent := d.deliver(v, email, link, body.Until)
	d.catchUp(v.account)
	d.showMembers(ctx, v, page.Members{Link: link, Invited: email, Delivery: sent})
}

func (d *Dashboard) refuseLink(ctx *fasthttp.RequestCtx, code events.ReplyCode, err error) {
	switch {
	case err != nil:
		d.unavailable(ctx, "invite member", err)
	case code == events.OutOfRange:
		redirect(ctx, Path+"/members?wrong=email")
	default:
		redirect(ctx, Path+"/members?wrong="+string(code))
	}
}

// origin is where browsers reach the node.
func (d *Dashboard) origin(ctx *fasthttp.RequestCtx) string {
	return cmp.Or(d.cfg.URL, d.scheme()+string(ctx.Host()))
}

// scheme is what the node itself speaks.
func (d *Dashboard) scheme() string {
	if d.cfg.TLS {
		return "https://"
	}
	return "http://"
}

func (d *Dashboard) changeRole(ctx *fasthttp.RequestCtx, v visitor) {
	if d.do(ctx, v, events.ChangeMember{Member: memberIn(ctx), Role: events.Role(ctx.PostArgs().Peek("role"))}) {
		redirect(ctx, Path+"/members?done=role")
	}
}

func (d *Dashboard) removeMember(ctx *fasthttp.RequestCtx, v visitor) {
	if !confirmed(ctx) {
		redirect(ctx, Path+"/members?wrong=confirm")
		return
	}
	if d.do(ctx, v, events.RemoveMember{Member: memberIn(ctx)}) {
		redirect(ctx, Path+"/members?done=removed")
	}
}

// security shows where the visitor is signed in.
func (d *Dashboard) security(ctx *fasthttp.RequestCtx, v visitor) {
	view := page.Security{Frame: d.frame(ctx, v)}
	t, err := d.cfg.Models.Team(v.account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	v.member, _ = t.Member(v.member.ID) // the frame may have waited for what was done
	view.Factor, view.Passkeys, view.NoPasskey = len(v.member.Factor) > 0, passkeyRows(v.member), d.noPasskey(ctx, v)
	for _, s := range slices.Backward(t.Sessions) {
		if s.Member == v.member.ID && d.now() < s.Until {
			view.Sessions = append(view.Sessions, sessionRow(s, v))
		}
	}
	d.show(ctx, view)
}

func sessionRow(s team.Session, v visitor) page.Session {
	return page.Session{ID: s.ID, Opened: s.Opened.Time(), Until: s.Until.Time(), Address: s.Address, Agent: s.Agent, This: s.ID == v.session}
}

// changePassword gives the visitor another password. The present one has to be shown: an unlocked screen is not enough.
func (d *Dashboard) changePassword(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	password, wrong := newPassword(string(args.Peek("password")), string(args.Peek("repeat")), v.member.Email)
	if wrong != "" {
		redirect(ctx, Path+"/security?password="+wrong)
		return
	}
	hash, err := d.attempt(projections.Membership{Account: v.account, Member: v.member.ID})
	if err == nil {
		err = d.password.compare(hash, string(args.Peek("current")))
	}
	if errors.Is(err, errNoMatch) {
		redirect(ctx, Path+"/security?wrong=current")
		return
	}
	if err == nil {
		hash, err = d.password.hash(password)
	}
	if err != nil {
		d.unavailable(ctx, "change password", err)
		return
	}
	if d.do(ctx, v, events.SetPassword{Member: v.member.ID, Password: hash, Keep: v.session}) {
		redirect(ctx, Path+"/security?done=password")
	}
}

// closeSession ends one of the visitor's sessions, or all.
func (d *Dashboard) closeSession(ctx *fasthttp.RequestCtx, v visitor) {
	id := events.SessionID(ctx.PostArgs().Peek("session"))
	if all := string(ctx.PostArgs().Peek("all")) == "yes"; all == (id != "") {
		redirect(ctx, Path+"/security?wrong=session")
		return
	}
	if d.do(ctx, v, events.CloseSession{Member: v.member.ID, Session: id}) {
		redirect(ctx, Path+"/security?done=closed")
	}
}

// trailEntries is how many entries of the trail are shown.
const trailEntries = 200

func (d *Dashboard) trail(ctx *fasthttp.RequestCtx, v visitor) {
	d.catchUp(v.account)
	entries, err := d.cfg.Models.Trail(v.account, trailEntries)
	if err != nil {
		d.unavailable(ctx, "read trail", err)
		return
	}
	t, err := d.cfg.Models.Team(v.account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	view := page.Trail{Frame: d.frame(ctx, v)}
	for _, e := range entries {
		if m, is := t.Member(events.MemberID(e.Subject)); is {
			e.Subject = m.Email
		}
		view.Entries = append(view.Entries, page.Entry{At: e.At.Time(), By: authorName(e.By, e.Email), Address: e.By.Address, What: e.What, Subject: e.Subject})
	}
	d.show(ctx, view)
}

// authorName is how people call who did something: by its address at the time, if it was a member.
func authorName(by events.Author, email string) string {
	if by.Operator {
		return "operator"
	}
	return cmp.Or(email, string(by.Member))
}
