package dashboard

import (
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/passkey"
)

// errCopied means that a passkey has signed with a counter that does not advance. Its signature is good, so somebody may have a copy.
var errCopied = fmt.Errorf("%w: the counter has not advanced", errNoMatch)

// askForPasskey asks a browser for a passkey of whoever is in front of it.
func (d signInPages) askForPasskey(ctx *fasthttp.RequestCtx) {
	p, ok := d.party(ctx)
	if !ok {
		d.message(ctx, 403, "nopasskey")
		return
	}
	asked, challenge, err := p.Ask()
	if err != nil {
		d.unavailable(ctx, "ask for a passkey", err)
		return
	}
	d.ask(ctx, nobody, ticketPasskey, asked, question{Challenge: challenge, At: d.now()})
}

// takePasskey signs a member in by a passkey. It does not tell what was wrong. Attempts are counted only by the browser's address:
// keys cannot be guessed, and so somebody who tries passwords cannot lock out a member with a passkey.
func (d signInPages) takePasskey(ctx *fasthttp.RequestCtx) {
	if !d.mayTry(ctx) {
		return
	}
	args := ctx.PostArgs()
	q, asked := d.asked(ctx, nobody, ticketPasskey)
	err := errNoMatch
	if asked {
		err = d.signInBy(ctx, q, args.Peek("answer"), nextPath(string(args.Peek("next"))))
	}
	switch {
	case errors.Is(err, errNoMatch), errors.Is(err, passkey.ErrRefused):
		if !errors.Is(err, errCopied) { // which has been logged, with the member
			d.cfg.Logger.Warn("a passkey was refused", "error", clip(err.Error()))
		}
		ctx.SetStatusCode(403)
		view := d.signInPage(ctx, string(args.Peek("next")))
		view.WrongPasskey = true
		d.show(ctx, view)
	case err != nil:
		d.unavailable(ctx, "sign in by passkey", err)
	}
}

// signInBy opens a session of the member whose passkey answers a question. The error is errNoMatch or passkey.ErrRefused if none does.
func (d signInPages) signInBy(ctx *fasthttp.RequestCtx, q question, text []byte, next string) error {
	answer, err := passkey.Read(text)
	if err != nil {
		return err
	}
	p, ok := d.party(ctx)
	if !ok || len(answer.Handle) != len([32]byte{}) {
		return errNoMatch
	}
	owner, found, err := d.cfg.Models.HandleOwner([32]byte(answer.Handle))
	if err != nil {
		return err
	}
	if !found {
		return errNoMatch
	}
	t, err := d.cfg.Models.Team(owner.Account)
	if err != nil {
		return err
	}
	m, _ := t.Member(owner.Member)
	key, has := m.Passkey(answer.ID)
	if !has {
		return errNoMatch
	}
	counter, err := p.Check(q.Challenge, answer, passkey.Key{ID: key.ID, Public: key.PublicKey, Counter: key.Counter, Synced: key.Synced})
	if err != nil {
		return err
	}
	token, err := d.cfg.Services.Sessions.OpenByPasskey(d.browser(ctx), owner, key.ID, counter, q.At)
	if service.CodeOf(err) == service.NoMatch && q.At > m.Challenge && !key.Advances(counter) {
		d.cfg.Logger.Warn("a passkey was refused because its counter has gone back: somebody may have a copy of it",
			"account", string(owner.Account), "member", string(owner.Member), "passkey", clip(key.Name), "counter", counter, "last", key.Counter)
		return errCopied
	}
	return d.enter(ctx, token, next, err)
}
