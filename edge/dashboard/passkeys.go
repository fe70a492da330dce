package dashboard

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/passkey"
	"platen.dev/events"
	"platen.dev/events/team"
)

// A passkey signs its member in without an address, a password or a code: it is something that the member has, and it asks for
// a finger, a face or a PIN.

// Purposes of tickets for what a browser is asked: an answer to one is none to the other.
const (
	ticketNewPasskey = "passkey-new"
	ticketPasskey    = "passkey"
)

// question is what a browser keeps while its authenticator answers. At is when it was asked. Of who is asked for a new passkey it
// has the member and its handle.
type question struct {
	Challenge string
	At        events.Instant
	Member    events.MemberID `json:",omitempty"`
	Handle    []byte          `json:",omitempty"`
}

// questionCookie is the name of the cookie that keeps a question.
func (d *Dashboard) questionCookie() string { return d.cookieName() + "-passkey" }

// party is whom passkeys of the page that a browser is on are for; false if there can be none.
func (d *Dashboard) party(ctx *fasthttp.RequestCtx) (passkey.Party, bool) {
	if d.local(ctx) {
		return passkey.PartyAt(d.scheme() + string(ctx.Host()))
	}
	return passkey.PartyAt(d.cfg.URL)
}

// ask sends what a browser is asked, and has it keep what the answer must fit.
func (d *Dashboard) ask(ctx *fasthttp.RequestCtx, account events.AccountID, purpose string, asked []byte, q question) {
	kept, err := json.Marshal(q)
	if err != nil {
		d.unavailable(ctx, "ask for a passkey", err)
		return
	}
	d.giveCookie(ctx, d.questionCookie(), d.ticket(account, purpose, string(kept)), ticketTime)
	ctx.SetContentType("application/json")
	ctx.SetBody(asked)
}

// asked returns what a browser was asked, and has it forget that: an answer is looked at once.
func (d *Dashboard) asked(ctx *fasthttp.RequestCtx, of events.AccountID, purpose string) (q question, ok bool) {
	account, value, ok := d.readTicket(string(ctx.Request.Header.Cookie(d.questionCookie())), purpose)
	d.giveCookie(ctx, d.questionCookie(), "", 0)
	return q, ok && account == of && json.Unmarshal([]byte(value), &q) == nil
}

// askForNewPasskey asks the visitor's browser to make a passkey.
func (d *Dashboard) askForNewPasskey(ctx *fasthttp.RequestCtx, v visitor) {
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
	d.ask(ctx, v.account, ticketNewPasskey, asked, question{Challenge: challenge, At: d.now(), Member: v.member.ID, Handle: handle[:]})
}

// noPasskey is why the visitor cannot add a passkey now; "" if it can.
func (d *Dashboard) noPasskey(ctx *fasthttp.RequestCtx, v visitor) page.NoPasskey {
	_, ok := d.party(ctx)
	switch {
	case !ok:
		return page.NoPasskeyHere
	case len(v.member.Passkeys) >= team.MaxPasskeys:
		return page.NoPasskeyMore
	case d.now() >= v.since.Add(team.ProofTime):
		return page.NoPasskeyNow
	}
	return ""
}

// addPasskey takes the passkey that the visitor's browser has made.
func (d *Dashboard) addPasskey(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	name := strings.TrimSpace(string(args.Peek("name")))
	if name == "" || len(name) > team.MaxPasskeyName || !utf8.ValidString(name) {
		redirect(ctx, Path+"/security?wrong=passkey-name")
		return
	}
	p, ok := d.party(ctx)
	q, asked := d.asked(ctx, v.account, ticketNewPasskey)
	if !ok || !asked || q.Member != v.member.ID || len(q.Handle) != len(v.member.Handle) {
		redirect(ctx, Path+"/security?wrong=stale")
		return
	}
	made, err := p.New(q.Challenge, q.Handle, args.Peek("answer"))
	if errors.Is(err, passkey.ErrRefused) {
		d.cfg.Logger.Warn("a new passkey was refused", "account", string(v.account), "error", clip(err.Error()))
		redirect(ctx, Path+"/security?wrong=passkey")
		return
	}
	if err != nil {
		d.unavailable(ctx, "make passkey", err)
		return
	}
	body := events.AddPasskey{
		Member: v.member.ID, Session: v.session, Handle: [32]byte(q.Handle), Challenge: q.At,
		Passkey: events.Passkey{ID: made.ID, PublicKey: made.Public, Name: name, Counter: made.Counter, Synced: made.Synced},
	}
	if d.do(ctx, v, body) {
		redirect(ctx, Path+"/security?done=passkey-added")
	}
}

// removePasskey takes a passkey away from the visitor.
func (d *Dashboard) removePasskey(ctx *fasthttp.RequestCtx, v visitor) {
	if !confirmed(ctx) {
		redirect(ctx, Path+"/security?wrong=confirm")
		return
	}
	id, err := base64.RawURLEncoding.DecodeString(string(ctx.PostArgs().Peek("passkey")))
	if err != nil {
		id = nil
	}
	if d.do(ctx, v, events.RemovePasskey{Member: v.member.ID, ID: id}) {
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

// offersPasskeys reports whether the sign-in page asks for one: whether there can be any.
func (d *Dashboard) offersPasskeys(ctx *fasthttp.RequestCtx) bool {
	_, ok := d.party(ctx)
	return ok
}

// askForPasskey asks a browser for a passkey of whoever is in front of it.
func (d *Dashboard) askForPasskey(ctx *fasthttp.RequestCtx) {
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

// takePasskey signs a member in by its passkey. What was wrong is not told. Its attempts are counted by the browser's address only:
// nobody guesses a key, and so those who try passwords cannot keep a member with a passkey away.
func (d *Dashboard) takePasskey(ctx *fasthttp.RequestCtx) {
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
		d.cfg.Logger.Warn("a passkey was refused", "error", clip(err.Error()))
		ctx.SetStatusCode(403)
		view := d.signInPage(ctx, string(args.Peek("next")))
		view.WrongPasskey = true
		d.show(ctx, view)
	case err != nil:
		d.unavailable(ctx, "sign in by passkey", err)
	}
}

// signInBy opens a session of the member whose passkey answers a question. The error is errNoMatch or passkey.ErrRefused if none does.
func (d *Dashboard) signInBy(ctx *fasthttp.RequestCtx, q question, text []byte, next string) error {
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
	return d.open(ctx, owner.Account, d.newSession(ctx, m.ID), next, func(s events.Session) events.CommandBody {
		return events.UsePasskey{Session: s, ID: key.ID, Counter: counter, Challenge: q.At}
	})
}
