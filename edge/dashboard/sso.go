package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/sso"
	"platen.dev/events"
	"platen.dev/events/limit"
)

// SignIn signs people in somewhere else; it is implemented by sso.Provider.
type SignIn interface {
	// Name is the name by which members know the provider.
	Name() string
	// Begin begins an attempt: the browser goes to the address, and comes back to redirect with a state and a code.
	Begin(redirect string) (address string, a sso.Attempt, err error)
	// Finish returns who has signed in.
	Finish(ctx context.Context, redirect string, a sso.Attempt, brought sso.Answer) (sso.Person, error)
}

// ticketAway is the purpose of a ticket that its holder brings back from the provider.
const ticketAway = "away"

// away is the state that a browser keeps while its member signs in at the provider.
type away struct {
	sso.Attempt
	Next string
	// Choose is set if the member wants to see all accounts that are open to it.
	Choose bool `json:",omitempty"`
	// Account is the one whose invitation led there, "" for none.
	Account events.AccountID `json:",omitempty"`
	// Connect is the member who wants to sign in by the provider from now on, "" for a sign-in.
	Connect events.MemberID `json:",omitempty"`
}

const (
	awayPath = Path + "/sign-in/away"
	backPath = Path + "/sign-in/back"
	// finishTime is how long the provider may take to say who has signed in.
	finishTime = 15 * time.Second
)

// awayCookie is the name of the cookie that keeps an away.
func (d signInPages) awayCookie() string { return d.cookieName() + "-away" }

// goAway leads to the provider to sign in.
func (d signInPages) goAway(ctx *fasthttp.RequestCtx) {
	args := ctx.QueryArgs()
	d.leave(ctx, away{Next: nextPath(string(args.Peek("next"))), Choose: string(args.Peek("choose")) == "yes", Account: events.AccountID(clip(string(args.Peek("account"))))})
}

// leave redirects to the provider. What the answer must match is in a cookie that the browser can neither read nor forge.
func (d signInPages) leave(ctx *fasthttp.RequestCtx, a away) {
	if !d.mayTry(ctx) {
		return
	}
	address, attempt, err := d.cfg.SignIn.Begin(d.origin(ctx) + backPath)
	if err != nil {
		d.unavailable(ctx, "sign in at the provider", err)
		return
	}
	a.Attempt = attempt
	kept, err := json.Marshal(a)
	if err != nil {
		d.unavailable(ctx, "sign in at the provider", err)
		return
	}
	d.giveCookie(ctx, d.awayCookie(), d.ticket(nobody, ticketAway, string(kept)), ticketTime)
	redirect(ctx, address)
}

// comeBack handles the return from the provider.
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
	who, err := d.cfg.SignIn.Finish(within, d.origin(ctx)+backPath, kept.Attempt, sso.Answer{
		State: string(args.Peek("state")), Code: string(args.Peek("code")), Error: string(args.Peek("error")), Description: string(args.Peek("error_description")),
	})
	switch {
	case errors.Is(err, sso.ErrUnverified):
		d.message(ctx, 403, "unverified")
	case errors.Is(err, sso.ErrRefused):
		d.cfg.Logger.Warn("a sign-in at the provider was refused", "error", err)
		d.message(ctx, 403, "refused")
	case err != nil:
		d.unavailable(ctx, "sign in at the provider", err)
	case kept.Connect != "":
		d.askToConnect(ctx, kept.Connect, who)
	default:
		d.welcome(ctx, who, kept)
	}
}

func identityOf(who sso.Person) events.Identity { return events.NewIdentity(who.Issuer, who.Subject) }

// welcome signs in the person that the provider named, or offers a choice of accounts.
func (d signInPages) welcome(ctx *fasthttp.RequestCtx, who sso.Person, kept away) {
	all, err := d.cfg.Services.Sessions.Vouched(service.Vouched{Identity: identityOf(who), Email: who.Email, Account: kept.Account})
	switch {
	case service.CodeOf(err) == service.NoMatch:
		d.message(ctx, 403, "stranger")
	case err != nil:
		d.unavailable(ctx, "find member", err)
	case kept.Choose:
		d.offer(ctx, all, nextPath(kept.Next))
	default:
		d.choose(ctx, all, nextPath(kept.Next))
	}
}

// connect redirects the visitor to the provider, in order to sign in there from now on.
func (d securityPages) connect(ctx *fasthttp.RequestCtx, v visitor) {
	if d.cfg.SignIn == nil {
		d.message(ctx, 404, "nopage")
		return
	}
	d.signIn.leave(ctx, away{Next: Path, Connect: v.member.ID})
}

// ticketConnect is the purpose of a ticket with a member's identity at the provider.
const ticketConnect = "connect"

// askToConnect shows the member the provider's identity for confirmation: another site's page may have signed the browser in there as somebody else.
func (d signInPages) askToConnect(ctx *fasthttp.RequestCtx, member events.MemberID, who sso.Person) {
	v, ok, err := d.visitor(ctx)
	switch {
	case err != nil:
		d.unavailable(ctx, "find session", err)
		return
	case !ok || v.member.ID != member:
		d.message(ctx, 403, "refused")
		return
	}
	identity := identityOf(who)
	d.show(ctx, page.Connect{
		Frame: d.frame(ctx, v), Provider: d.cfg.SignIn.Name(), There: clip(who.Email),
		Ticket: d.ticket(v.Account, ticketConnect, string(member)+"\n"+string(identity[:])),
	})
}

// connected connects the visitor with who it is at the provider.
func (d securityPages) connected(ctx *fasthttp.RequestCtx, v visitor) {
	account, value, ok := d.readTicket(string(ctx.PostArgs().Peek("ticket")), ticketConnect)
	member, identity, _ := strings.Cut(value, "\n")
	if !ok || account != v.Account || events.MemberID(member) != v.member.ID || len(identity) != len(events.Identity{}) {
		redirect(ctx, Path+"/security?wrong=stale")
		return
	}
	if d.did(ctx, d.cfg.Services.Sessions.Connect(v.principal(), events.Identity([]byte(identity)))) {
		redirect(ctx, Path+"/security?done=connected")
	}
}

// disconnect stops the visitor's sign-in by the provider.
func (d securityPages) disconnect(ctx *fasthttp.RequestCtx, v visitor) {
	if d.confirmed(ctx) && d.did(ctx, d.cfg.Services.Sessions.Disconnect(v.principal())) {
		redirect(ctx, Path+"/security?done=disconnected")
	}
}

// mayTry reports whether a browser may try to sign in now. If not, the response says so.
func (d *site) mayTry(ctx *fasthttp.RequestCtx) bool {
	address, _ := d.cfg.Place.ClientOf(ctx)
	if ip, err := netip.ParseAddr(address); err == nil {
		address = limit.Client(ip).String()
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
	view := page.SignIn{Next: nextPath(next), Demo: d.demoPlans(ctx), Passkeys: offersPasskeys, Choose: string(ctx.QueryArgs().Peek("choose")) == "yes"}
	if d.cfg.SignIn != nil {
		view.Provider = d.cfg.SignIn.Name()
	}
	return view
}
