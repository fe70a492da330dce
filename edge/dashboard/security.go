package dashboard

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/passkey"
	"platen.dev/events"
	"platen.dev/events/team"
)

// securityPages are the pages on which members change how they sign in.
type securityPages struct {
	*site
	signIn signInPages
}

// security shows where the visitor is signed in.
func (d securityPages) security(ctx *fasthttp.RequestCtx, v visitor) {
	view := page.Security{Frame: d.frame(ctx, v)}
	t, err := d.cfg.Models.Team(v.Account)
	if err != nil {
		d.unavailable(ctx, "read members", err)
		return
	}
	v.member, _ = t.Member(v.member.ID) // frame may have waited for a change
	if d.cfg.SignIn != nil {
		view.Provider, view.Connected = d.cfg.SignIn.Name(), v.member.Identity != events.Identity{}
	}
	view.Factor, view.Passkeys, view.NoPasskey = len(v.member.Factor) > 0, passkeyRows(v.member), d.noPasskey(ctx, v)
	for _, s := range slices.Backward(t.Sessions) {
		if s.Member == v.member.ID && d.now() < s.Until {
			view.Sessions = append(view.Sessions, sessionRow(s, v))
		}
	}
	d.show(ctx, view)
}

func sessionRow(s team.Session, v visitor) page.Session {
	return page.Session{ID: s.ID, Opened: s.Opened.Time(), Until: s.Until.Time(), Address: s.Address, Agent: s.Agent, This: s.ID == v.Session}
}

// changePassword gives the visitor another password.
func (d securityPages) changePassword(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	err := d.cfg.Services.Sessions.SetPassword(v.principal(), v.member.Email, string(args.Peek("current")), string(args.Peek("password")), string(args.Peek("repeat")), v.Session)
	if d.did(ctx, err) {
		redirect(ctx, Path+"/security?done=password")
	}
}

// closeSession ends one of the visitor's sessions, or all.
func (d securityPages) closeSession(ctx *fasthttp.RequestCtx, v visitor) {
	id := events.SessionID(ctx.PostArgs().Peek("session"))
	if all := string(ctx.PostArgs().Peek("all")) == "yes"; all == (id != "") {
		redirect(ctx, Path+"/security?wrong=session")
		return
	}
	if d.did(ctx, d.cfg.Services.Sessions.Close(v.principal(), id)) {
		redirect(ctx, Path+"/security?done=closed")
	}
}

// signOut ends the visitor's session.
func (d securityPages) signOut(ctx *fasthttp.RequestCtx, v visitor) {
	if d.did(ctx, d.cfg.Services.Sessions.Close(v.principal(), v.Session)) {
		d.setCookie(ctx, "", 0)
		d.signIn.leadToSignIn(ctx, string(ctx.PostArgs().Peek("next")))
	}
}

// askForNewPasskey asks the visitor's browser to make a passkey.
func (d securityPages) askForNewPasskey(ctx *fasthttp.RequestCtx, v visitor) {
	p, _ := d.party(ctx)
	if why := d.noPasskey(ctx, v); why != "" {
		d.message(ctx, 403, "nopasskey")
		return
	}
	handle := v.member.Handle
	if handle == ([32]byte{}) {
		rand.Read(handle[:]) // never fails: crypto/rand aborts the process instead
	}
	owner := passkey.Owner{Handle: handle[:], Name: v.member.Email}
	for _, has := range v.member.Passkeys {
		owner.Has = append(owner.Has, has.ID)
	}
	asked, challenge, err := p.AskForNew(owner)
	if err != nil {
		d.unavailable(ctx, "ask for a new passkey", err)
		return
	}
	d.ask(ctx, v.Account, ticketNewPasskey, asked, question{Challenge: challenge, At: d.now(), Member: v.member.ID, Handle: handle[:]})
}

// noPasskey is why the visitor cannot add a passkey now; "" if it can.
func (d securityPages) noPasskey(ctx *fasthttp.RequestCtx, v visitor) page.NoPasskey {
	_, ok := d.party(ctx)
	switch {
	case !ok:
		return page.NoPasskeyHere
	case len(v.member.Passkeys) >= team.MaxPasskeys:
		return page.NoPasskeyMore
	case !v.session.Opened.Recent(team.ProofTime, d.now()):
		return page.NoPasskeyNow
	}
	return ""
}

// addPasskey takes the passkey that the visitor's browser has made.
func (d securityPages) addPasskey(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	name, err := service.PasskeyName(string(args.Peek("name")))
	if !d.did(ctx, err) { // before the answer is consumed
		return
	}
	p, ok := d.party(ctx)
	q, asked := d.asked(ctx, v.Account, ticketNewPasskey)
	if !ok || !asked || q.Member != v.member.ID || len(q.Handle) != len(v.member.Handle) {
		redirect(ctx, Path+"/security?wrong=stale")
		return
	}
	made, err := p.New(q.Challenge, q.Handle, args.Peek("answer"))
	if errors.Is(err, passkey.ErrRefused) {
		d.cfg.Logger.Warn("a new passkey was refused", "account", string(v.Account), "error", clip(err.Error()))
		redirect(ctx, Path+"/security?wrong=passkey")
		return
	}
	if err == nil {
		err = d.cfg.Services.Sessions.AddPasskey(v.principal(), service.NewPasskey{
			Session: v.Session, Handle: [32]byte(q.Handle), Challenge: q.At,
			Passkey: events.Passkey{ID: made.ID, PublicKey: made.Public, Name: name, Counter: made.Counter, Synced: made.Synced},
		})
	}
	if d.did(ctx, err) {
		redirect(ctx, Path+"/security?done=passkey-added")
	}
}

// removePasskey removes a passkey of the visitor.
func (d securityPages) removePasskey(ctx *fasthttp.RequestCtx, v visitor) {
	if !d.confirmed(ctx) {
		return
	}
	id, err := base64.RawURLEncoding.DecodeString(string(ctx.PostArgs().Peek("passkey")))
	if err != nil {
		id = nil
	}
	if d.did(ctx, d.cfg.Services.Sessions.RemovePasskey(v.principal(), id)) {
		redirect(ctx, Path+"/security?done=passkey-removed")
	}
}

// passkeyRows are a member's passkeys as a page shows them.
func passkeyRows(m team.Member) (rows []page.Passkey) {
	for _, p := range m.Passkeys {
		rows = append(rows, page.Passkey{ID: base64.RawURLEncoding.EncodeToString(p.ID), Name: p.Name, Added: p.Added.Time(), Used: timeOf(p.Used)})
	}
	return rows
}
