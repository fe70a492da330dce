package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/sso"
	"platen.dev/edge/transport"
)

// SignIn signs people in somewhere else; it is implemented by sso.Provider.
type SignIn interface {
	// Name is what members know the provider as.
	Name() string
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
func (d signInPages) awayCookie() string { return d.cookieName() + "-away" }

// goAway leads to the provider. What the answer must fit is in a cookie that the browser cannot read or make up.
func (d signInPages) goAway(ctx *fasthttp.RequestCtx) {
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
func (d signInPages) comeBack(ctx *fasthttp.RequestCtx) {
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
		d.welcome(ctx, email, nextPath(kept.Next))
	}
}

// welcome signs in the member with an email address that is the visitor's.
func (d signInPages) welcome(ctx *fasthttp.RequestCtx, email, next string) {
	found, err := d.cfg.Services.Sessions.Vouched(d.browser(ctx), email)
	switch {
	case service.CodeOf(err) == service.NoMatch:
		d.message(ctx, 403, "stranger")
	case err != nil:
		d.unavailable(ctx, "find member", err)
	default:
		d.afterPassword(ctx, found, next)
	}
}

// mayTry reports whether a browser may try to sign in now, or says that it may not.
func (d *site) mayTry(ctx *fasthttp.RequestCtx) bool {
	address, _ := d.cfg.Place.ClientOf(ctx)
	if ip, err := netip.ParseAddr(address); err == nil {
		address = transport.Client(ip).String()
	}
	if d.tries.Allow(address, d.cfg.Now()) {
		return true
	}
	d.message(ctx, 429, "attempts")
	return false
}

// signInPage is the page on which a member signs in.
func (d signInPages) signInPage(ctx *fasthttp.RequestCtx, next string) page.SignIn {
	_, offersPasskeys := d.party(ctx)
	view := page.SignIn{Next: nextPath(next), Demo: d.demoPlans(ctx), Passkeys: offersPasskeys}
	if d.cfg.SignIn != nil {
		view.Provider = d.cfg.SignIn.Name()
	}
	return view
}
