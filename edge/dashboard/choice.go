package dashboard

import (
	"encoding/json"
	"slices"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/projections"
)

// One address may belong to members of several accounts, and any account can invite any address. So nobody is signed in to an account that
// they did not choose: if there are several, or only an invitation, a page asks.

// ticketChoice is the purpose of a ticket that has a choice.
const ticketChoice = "choice"

// choose takes the only choice, or asks which.
func (d signInPages) choose(ctx *fasthttp.RequestCtx, all []service.Choice, next string) {
	if joined := slices.DeleteFunc(slices.Clone(all), service.Choice.Invited); len(joined) == 1 {
		d.afterPassword(ctx, joined[0].Membership, next)
		return
	}
	d.offer(ctx, all, next)
}

// offer asks which account somebody signs in to.
func (d signInPages) offer(ctx *fasthttp.RequestCtx, all []service.Choice, next string) {
	view := page.Choice{Next: next}
	for _, c := range all {
		kept, err := json.Marshal(c)
		if err != nil {
			d.unavailable(ctx, "choose account", err)
			return
		}
		row := page.Choosable{Account: c.Account, Role: c.Role, Ticket: d.ticket(c.Account, ticketChoice, string(kept))}
		if c.Invited() {
			view.Invited = append(view.Invited, row)
		} else {
			view.Joined = append(view.Joined, row)
		}
	}
	d.show(ctx, view)
}

// takeChoice signs in to the account that was chosen.
func (d signInPages) takeChoice(ctx *fasthttp.RequestCtx) {
	args := ctx.PostArgs()
	account, value, ok := d.readTicket(string(args.Peek("ticket")), ticketChoice)
	var c service.Choice
	if !ok || json.Unmarshal([]byte(value), &c) != nil || c.Account != account {
		redirect(ctx, Path+"/sign-in")
		return
	}
	if !d.mayTry(ctx) {
		return
	}
	err := d.cfg.Services.Sessions.Enter(d.browser(ctx), c)
	switch {
	case service.CodeOf(err) == service.NoMatch:
		redirect(ctx, Path+"/sign-in")
	case err != nil:
		d.unavailable(ctx, "choose account", err)
	default:
		d.afterPassword(ctx, projections.Membership{Account: c.Account, Member: c.Member}, nextPath(string(args.Peek("next"))))
	}
}
