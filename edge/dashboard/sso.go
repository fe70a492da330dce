package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/sso"
	"platen.dev/events"
	"platen.dev/projections"
)

// SignIn signs people in somewhere else; it is implemented by sso.Provider.
type SignIn interface {
	// Begin begins an attempt: the browser goes to the address, and comes back to redirect with a state and a code.
	Begin(redirect string) (address string, a sso.Attempt, err error)
	// Finish returns the email address of who has signed in.
	Finish(ctx context.Context, redirect string, a sso.Attempt, state, code string) (email string, err error)
}

// ticketAway is the purpose of a ticket that its holder brings back from the provider.
const ticketAway = "away"

// away is what a browser keeps while its member signs in at the provider.
type away struct {
	sso.Attempt
	Next string
}

const (
	awayPath = Path + "/sign-in/away"
	backPath = Path + "/sign-in/back"
	// finishTime is how long the provider may take to say who has signed in.
	finishTime = 15 * time.Second
)

// awayCookie is the name of the cookie that keeps an away.
func (d *Dashboard) awayCookie() string { return d.cookieName() + "-away" }

// goAway leads to the provider. What the answer must fit is in a cookie that the browser cannot read or make up.
func (d *Dashboard) goAway(ctx *fasthttp.RequestCtx) {
	if !d.mayTry(ctx) {
		return
	}
	address, attempt, err := d.cfg.SignIn.Begin(d.origin(ctx) + backPath)
	if err != nil {
		d.unavailable(ctx, "sign in at the provider", err)
		return
	}
	kept, err := json.Marshal(away{attempt, nextPath(string(ctx.QueryArgs().Peek("next")))})
	if err != nil {
		d.unavailable(ctx, "sign in at the provider", err)
		return
	}
	d.giveCookie(ctx, d.awayCookie(), d.ticket(nobody, ticketAway, string(kept)), ticketTime)
	redirect(ctx, address)
}

// comeBack signs in whom the provider names.
func (d *Dashboard) comeBack(ctx *fasthttp.RequestCtx) {
	if !d.mayTry(ctx) {
		return
	}
	_, value, ok := d.readTicket(string(ctx.Request.Header.Cookie(d.awayCookie())), ticketAway)
	d.giveCookie(ctx, d.awayCookie(), "", 0)
	var kept away
	if !ok || json.Unmarshal([]byte(value), &kept) != nil {
		d.message(ctx, 403, "refused")
		return
	}
	within, cancel := context.WithTimeout(context.Background(), finishTime)
	defer cancel()
	args := ctx.QueryArgs()
	email, err := d.cfg.SignIn.Finish(within, d.origin(ctx)+backPath, kept.Attempt, string(args.Peek("state")), string(args.Peek("code")))
	switch {
	case errors.Is(err, sso.ErrUnverified):
		d.message(ctx, 403, "unverified")
	case errors.Is(err, sso.ErrRefused):
		d.cfg.Logger.Warn("a sign-in at the provider was refused", "error", err)
		d.message(ctx, 403, "refused")
	case err != nil:
		d.unavailable(ctx, "sign in at the provider", err)
	default:
		d.welcome(ctx, events.FoldEmail(email), nextPath(kept.Next))
	}
}

// welcome signs in the member with an email address that is the visitor's. Who was invited joins by it, without a password.
func (d *Dashboard) welcome(ctx *fasthttp.RequestCtx, email, next string) {
	found, err := d.memberOf(ctx, email)
	switch {
	case errors.Is(err, errNoMatch):
		d.message(ctx, 403, "stranger")
	case err != nil:
		d.unavailable(ctx, "find member", err)
	default:
		d.afterPassword(ctx, found, next)
	}
}

// memberOf finds the member with an email address: one who has joined, or else one with an invitation that is still good.
// The error is errNoMatch if there is none.
func (d *Dashboard) memberOf(ctx *fasthttp.RequestCtx, email string) (invited projections.Membership, err error) {
	all, err := d.cfg.Models.Memberships(email, maxMemberships)
	if err != nil {
		return invited, err
	}
	for _, m := range all {
		t, err := d.cfg.Models.Team(m.Account)
		if err != nil {
			return invited, err
		}
		member, known := t.Member(m.Member)
		switch {
		case known && member.Joined != 0:
			return m, nil
		case known && d.now() < member.Until && invited.Account == "":
			invited = m
		}
	}
	if invited.Account == "" {
		return invited, errNoMatch
	}
	return invited, d.joinBy(ctx, invited)
}

// joinBy has an invited member join whose email address the provider vouches for. It gets a password that nobody knows.
func (d *Dashboard) joinBy(ctx *fasthttp.RequestCtx, m projections.Membership) error {
	t, err := d.cfg.Models.Team(m.Account)
	if err != nil {
		return err
	}
	hash, err := UnknownPassword()
	if err != nil {
		return err
	}
	member, _ := t.Member(m.Member)
	address, _ := d.cfg.ClientOf(ctx)
	reply, err := d.command(events.Author{Member: m.Member, Address: address}, m.Account, events.AcceptInvitation{Member: m.Member, Invitation: member.Invitation, Password: hash})
	if err != nil {
		return err
	}
	if reply.Code != events.Accepted || !d.catchUp(m.Account) {
		return errNoMatch
	}
	return nil
}

// mayTry reports whether a browser may try to sign in now, or says that it may not.
func (d *Dashboard) mayTry(ctx *fasthttp.RequestCtx) bool {
	address, _ := d.cfg.ClientOf(ctx)
	if d.attempts.may(address, d.now()) {
		return true
	}
	d.message(ctx, 429, "attempts")
	return false
}

// signInPage is the page on which a member signs in.
func (d *Dashboard) signInPage(ctx *fasthttp.RequestCtx, next string) page.SignIn {
	view := page.SignIn{Next: nextPath(next), Demo: d.demoPlans(ctx), Passkeys: d.offersPasskeys(ctx)}
	if d.cfg.SignIn != nil {
		view.Provider = d.cfg.ProviderName
	}
	return view
}
