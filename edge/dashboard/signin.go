package dashboard

import (
	"errors"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// signInPages are the pages that need no sign-in.
type signInPages struct{ *site }

// public serves the pages that need no sign-in; false if the path is none of them.
func (d signInPages) public(ctx *fasthttp.RequestCtx, path string) bool {
	switch {
	case path == "/sign-in" && ctx.IsPost():
		d.signIn(ctx)
	case path == "/sign-in":
		d.show(ctx, d.signInPage(ctx, string(ctx.QueryArgs().Peek("next"))))
	case Path+path == awayPath && ctx.IsGet() && d.cfg.SignIn != nil:
		d.goAway(ctx)
	case Path+path == backPath && ctx.IsGet() && d.cfg.SignIn != nil:
		d.comeBack(ctx)
	case path == "/sign-in/account" && ctx.IsPost():
		d.takeChoice(ctx)
	case path == "/sign-in/code" && ctx.IsPost():
		d.takeCode(ctx)
	case path == "/sign-in/passkey/ask" && ctx.IsPost():
		d.askForPasskey(ctx)
	case path == "/sign-in/passkey" && ctx.IsPost():
		d.takePasskey(ctx)
	case path == "/sign-in/demo" && ctx.IsPost():
		d.signInDemo(ctx)
	case strings.HasPrefix(path, "/invitation/"):
		d.invitation(ctx, strings.TrimPrefix(path, "/invitation/"))
	default:
		return false
	}
	return true
}

// maxNext is the limit of an address to show after the sign-in, in bytes.
const maxNext = 1000

// nextPath returns the dashboard path to show after the sign-in, with its query; anything else in a link leads home.
func nextPath(next string) string {
	odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' } // always escaped in addresses of the dashboard
	path, _, _ := strings.Cut(next, "?")
	if len(next) > maxNext || !Serves(path) || strings.ContainsFunc(next, odd) || strings.Contains(path, "..") {
		return Path
	}
	return next
}

// toSignIn redirects to the sign-in page, and afterwards to the requested page.
func (d signInPages) toSignIn(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() {
		d.message(ctx, 403, "signedout")
		return
	}
	next := string(ctx.URI().PathOriginal())
	if query := ctx.URI().QueryString(); len(query) > 0 {
		next += "?" + string(query)
	}
	d.leadToSignIn(ctx, next)
}

// leadToSignIn leads to the sign-in page, and afterwards to a path of the dashboard.
func (d signInPages) leadToSignIn(ctx *fasthttp.RequestCtx, next string) {
	target := Path + "/sign-in"
	if next != Path && nextPath(next) == next {
		target += "?next=" + strings.ReplaceAll(url.QueryEscape(next), "%2F", "/")
	}
	redirect(ctx, target)
}

// errNoMatch means that the given credentials sign nobody in.
var errNoMatch = errors.New("no match")

// nobody is an account that does not exist.
const nobody events.AccountID = "acc_nobody"

// signIn signs a member in by its password.
func (d signInPages) signIn(ctx *fasthttp.RequestCtx) {
	args := ctx.PostArgs()
	email, password := events.FoldEmail(string(args.Peek("email"))), string(args.Peek("password"))
	if !d.mayTry(ctx) {
		return
	}
	account := events.AccountID(strings.TrimSpace(string(args.Peek("account"))))
	all, err := d.cfg.Services.Sessions.Match(account, email, password)
	switch {
	case service.CodeOf(err) == service.NoMatch:
		ctx.SetStatusCode(403)
		view := d.signInPage(ctx, string(args.Peek("next")))
		view.Email, view.Account, view.Wrong = clip(email), clip(string(account)), true
		d.show(ctx, view)
	case service.CodeOf(err) == service.SignInCrowd:
		ctx.Response.Header.Set("Retry-After", "2")
		d.message(ctx, 503, "crowd")
	case err != nil:
		d.unavailable(ctx, "sign in", err)
	default:
		d.choose(ctx, all, nextPath(string(args.Peek("next"))))
	}
}

// afterPassword signs in a member who has shown its password, or asks for the second factor.
func (d signInPages) afterPassword(ctx *fasthttp.RequestCtx, found projections.Membership, next string) {
	t, err := d.cfg.Models.Team(found.Account)
	m, _ := t.Member(found.Member)
	switch {
	case err != nil:
		d.unavailable(ctx, "read members", err)
	case len(m.Factor) > 0:
		d.askCode(ctx, found, next)
	default:
		d.openFor(ctx, found, next)
	}
}

// askCode asks a member whose password was correct for the authenticator's code.
func (d signInPages) askCode(ctx *fasthttp.RequestCtx, m projections.Membership, next string) {
	d.show(ctx, page.Code{Ticket: d.ticket(m.Account, ticketPassword, string(m.Member)), Next: next})
}

// takeCode signs in a member whose password was correct before.
func (d signInPages) takeCode(ctx *fasthttp.RequestCtx) {
	args := ctx.PostArgs()
	ticket, next := string(args.Peek("ticket")), nextPath(string(args.Peek("next")))
	account, member, ok := d.readTicket(ticket, ticketPassword)
	if !ok {
		redirect(ctx, Path+"/sign-in")
		return
	}
	if !d.mayTry(ctx) {
		return
	}
	m := projections.Membership{Account: account, Member: events.MemberID(member)}
	step, err := d.cfg.Services.Sessions.MatchCode(m, string(args.Peek("code")))
	if err == nil {
		var token service.Token
		token, err = d.cfg.Services.Sessions.Open(d.browser(ctx), m, step)
		err = d.enter(ctx, token, next, err)
	}
	switch {
	case errors.Is(err, errNoMatch), service.CodeOf(err) == service.BadCode:
		ctx.SetStatusCode(403)
		d.show(ctx, page.Code{Ticket: ticket, Next: next, Wrong: true})
	case err != nil:
		d.unavailable(ctx, "take code", err)
	}
}

// browser identifies where a request comes from.
func (d *site) browser(ctx *fasthttp.RequestCtx) service.Browser {
	address, _ := d.cfg.Place.ClientOf(ctx)
	return service.Browser{Address: address, Agent: string(ctx.UserAgent())}
}

// enter gives the browser the opened session, and redirects to a path. The error is errNoMatch if the credentials were refused.
func (d *site) enter(ctx *fasthttp.RequestCtx, t service.Token, next string, err error) error {
	if service.CodeOf(err) == service.NoMatch {
		return errNoMatch
	}
	if err != nil {
		return err
	}
	d.leaveFormer(ctx)
	d.setCookie(ctx, cookieValue(t), service.SessionTime)
	redirect(ctx, next)
	return nil
}

// leaveFormer ends the browser's previous session, which is unreachable once the browser has another.
func (d *site) leaveFormer(ctx *fasthttp.RequestCtx) {
	v, ok, _ := d.visitor(ctx) // if it is not known now, it ends by itself
	if !ok {
		return
	}
	if err := d.cfg.Services.Sessions.Close(v.principal(), v.Session); err != nil {
		d.cfg.Logger.Warn("cannot close the replaced session", "account", string(v.Account), "error", err)
	}
}

// openFor opens a session of a member who needs no code, or says that it cannot.
func (d signInPages) openFor(ctx *fasthttp.RequestCtx, m projections.Membership, next string) {
	token, err := d.cfg.Services.Sessions.Open(d.browser(ctx), m, 0)
	if err := d.enter(ctx, token, next, err); err != nil {
		d.unavailable(ctx, "open session", err)
	}
}

// demoPlans lists the plans of the accounts that one click signs in to on this machine.
func (d signInPages) demoPlans(ctx *fasthttp.RequestCtx) (all []events.Plan) {
	if len(d.cfg.Place.Demo) == 0 || !d.local(ctx) {
		return nil
	}
	for _, plan := range events.Plans() {
		if d.cfg.Place.Demo[plan] != "" {
			all = append(all, plan)
		}
	}
	return all
}

// signInDemo signs in to a demo account as its member.
func (d signInPages) signInDemo(ctx *fasthttp.RequestCtx) {
	account := d.cfg.Place.Demo[events.Plan(ctx.PostArgs().Peek("plan"))]
	if account == "" || !d.local(ctx) {
		d.message(ctx, 404, "nopage")
		return
	}
	t, err := d.cfg.Models.Team(account)
	if err != nil || len(t.Members) == 0 {
		d.unavailable(ctx, "demo account", err)
		return
	}
	d.afterPassword(ctx, projections.Membership{Account: account, Member: t.Members[0].ID}, Path)
}

// invitation shows the page on which an invited member chooses a password, and takes it.
func (d signInPages) invitation(ctx *fasthttp.RequestCtx, link string) {
	i, ok := service.ParseInvitation(link)
	var m team.Member
	var err error
	if ok {
		m, ok, err = d.cfg.Services.Members.Invitee(i)
	}
	switch {
	case err != nil:
		d.unavailable(ctx, "read invitation", err)
		return
	case !ok:
		d.message(ctx, 404, "invitation")
		return
	}
	shown := page.Invitation{Action: service.InvitationPath + link, Account: i.Account, Email: m.Email}
	if d.cfg.SignIn != nil && m.Joined == 0 {
		shown.Provider = d.cfg.SignIn.Name()
	}
	if !ctx.IsPost() {
		d.show(ctx, shown)
		return
	}
	args := ctx.PostArgs()
	err = d.cfg.Services.Sessions.Join(d.browser(ctx), i, m.Email, string(args.Peek("password")), string(args.Peek("repeat")))
	switch code := service.CodeOf(err); {
	case err == nil:
		d.openFor(ctx, projections.Membership{Account: i.Account, Member: i.Member}, Path)
	case code == events.InvitationGone:
		d.message(ctx, 404, "invitation")
	case code != "":
		ctx.SetStatusCode(422)
		shown.Wrong = err.Error()
		d.show(ctx, shown)
	default:
		d.unavailable(ctx, "accept invitation", err)
	}
}
