package dashboard

import (
	"encoding/json"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/passkey"
	"platen.dev/events"
)

// A passkey replaces the address, the password and the code: the member possesses it, and it asks for a finger, a face or a PIN.

// Purposes of tickets for WebAuthn challenges: an answer for one purpose is not accepted for the other.
const (
	ticketNewPasskey = "passkey-new"
	ticketPasskey    = "passkey"
)

// question is the state that a browser keeps while its authenticator answers. At is when it was asked. Member and Handle identify
// the member who is asked for a new passkey.
type question struct {
	Challenge string
	At        events.Instant
	Member    events.MemberID `json:",omitempty"`
	Handle    []byte          `json:",omitempty"`
}

// questionCookie is the name of the cookie that keeps a question.
func (d *site) questionCookie() string { return d.cookieName() + "-passkey" }

// party returns the party of passkeys for the page that a browser is on; false if there can be none.
func (d *site) party(ctx *fasthttp.RequestCtx) (passkey.Party, bool) {
	if d.local(ctx) {
		return passkey.PartyAt(d.scheme() + string(ctx.Host()))
	}
	return passkey.PartyAt(d.cfg.Place.URL)
}

// ask sends a question to a browser, and stores in a cookie what the answer must match.
func (d *site) ask(ctx *fasthttp.RequestCtx, account events.AccountID, purpose string, asked []byte, q question) {
	kept, err := json.Marshal(q)
	if err != nil {
		d.unavailable(ctx, "ask for a passkey", err)
		return
	}
	d.giveCookie(ctx, d.questionCookie(), d.ticket(account, purpose, string(kept)), ticketTime)
	ctx.SetContentType("application/json")
	ctx.SetBody(asked)
}

// asked returns the question that a browser was asked, and deletes it: an answer is accepted only once.
func (d *site) asked(ctx *fasthttp.RequestCtx, of events.AccountID, purpose string) (q question, ok bool) {
	account, value, ok := d.readTicket(string(ctx.Request.Header.Cookie(d.questionCookie())), purpose)
	d.giveCookie(ctx, d.questionCookie(), "", 0)
	return q, ok && account == of && json.Unmarshal([]byte(value), &q) == nil
}
