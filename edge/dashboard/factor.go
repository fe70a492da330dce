package dashboard

import (
	"bytes"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// A second factor is a code of an authenticator (TOTP, RFC 6238): six digits, another every 30 seconds.

// Sealer encrypts secrets of an account.
type Sealer interface {
	SealFor(account events.AccountID, plain string) events.Sealed
	OpenFor(account events.AccountID, sealed events.Sealed) (string, error)
}

const (
	codePeriod = 30 // seconds
	// codeSlack is how many time steps the clock of an authenticator may be off.
	codeSlack = 1
	// ticketTime is how long somebody may take to type a code.
	ticketTime = 10 * time.Minute
	// qrSize is the width of a QR code in pixels.
	qrSize = 220
)

// codeStep returns the time step that a code belongs to; false if it is none of now.
func codeStep(secret, code string, now time.Time) (step int64, ok bool) {
	code = strings.ReplaceAll(code, " ", "")
	present := now.Unix() / codePeriod
	for at := present - codeSlack; at <= present+codeSlack; at++ {
		want, err := hotp.GenerateCode(secret, uint64(at))
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok
}

// Purposes of tickets.
const (
	ticketPassword = "password" // its holder has shown the password of the member that it names
	ticketSecret   = "secret"   // it has the secret of an authenticator that is being set up
)

// ticket is a text that only this cluster can have written, for a form that comes back soon.
func (d *Dashboard) ticket(account events.AccountID, purpose, value string) string {
	plain := strings.Join([]string{purpose, strconv.FormatInt(int64(d.now().Add(ticketTime)), 10), value}, "\n")
	return string(account) + "." + base64.RawURLEncoding.EncodeToString(d.cfg.Seal.SealFor(account, plain))
}

// readTicket returns what a ticket has; false if it was not written for the purpose, or not lately.
func (d *Dashboard) readTicket(ticket, purpose string) (account events.AccountID, value string, ok bool) {
	name, encoded, _ := strings.Cut(ticket, ".")
	sealed, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(ticket) > maxTicket || len(sealed) == 0 {
		return "", "", false
	}
	plain, err := d.cfg.Seal.OpenFor(events.AccountID(name), sealed)
	parts := strings.SplitN(plain, "\n", 3)
	if err != nil || len(parts) != 3 || parts[0] != purpose {
		return "", "", false
	}
	until, err := strconv.ParseInt(parts[1], 10, 64)
	return events.AccountID(name), parts[2], err == nil && d.now() < events.Instant(until)
}

// maxTicket is longer than any ticket.
const maxTicket = 1024

// askCode asks a member who has shown its password for the code of its authenticator.
func (d *Dashboard) askCode(ctx *fasthttp.RequestCtx, m projections.Membership, next string) {
	d.show(ctx, page.Code{Ticket: d.ticket(m.Account, ticketPassword, string(m.Member)), Next: next})
}

// takeCode signs in a member who has shown its password before.
func (d *Dashboard) takeCode(ctx *fasthttp.RequestCtx) {
	args := ctx.PostArgs()
	ticket, next := string(args.Peek("ticket")), nextPath(string(args.Peek("next")))
	account, value, ok := d.readTicket(ticket, ticketPassword)
	if !ok {
		redirect(ctx, Path+"/sign-in")
		return
	}
	if !d.mayTry(ctx) {
		return
	}
	member := events.MemberID(value)
	step, err := d.matchCode(projections.Membership{Account: account, Member: member}, string(args.Peek("code")))
	if err == nil {
		err = d.open(ctx, account, d.newSession(ctx, member), next, func(s events.Session) events.CommandBody {
			return events.OpenSession{Session: s, Step: step}
		})
	}
	switch {
	case errors.Is(err, errNoMatch):
		ctx.SetStatusCode(403)
		d.show(ctx, page.Code{Ticket: ticket, Next: next, Wrong: true})
	case err != nil:
		d.unavailable(ctx, "take code", err)
	}
}

// matchCode counts an attempt of a member, and returns the time step of a code. The error is errNoMatch if it is not one of now,
// or the member has to wait.
func (d *Dashboard) matchCode(m projections.Membership, code string) (step int64, err error) {
	t, err := d.cfg.Models.Team(m.Account)
	if err != nil {
		return 0, err
	}
	member, _ := t.Member(m.Member)
	secret, err := d.cfg.Seal.OpenFor(m.Account, member.Factor)
	if err != nil {
		return 0, err
	}
	reply, err := d.command(events.Author{}, m.Account, events.BeginSignIn{Member: m.Member})
	if err != nil {
		return 0, err
	}
	step, ok := codeStep(secret, code, d.cfg.Now())
	if !ok || secret == "" || reply.Code != events.Accepted {
		return 0, errNoMatch
	}
	return step, nil
}

// factor shows a new secret for the visitor's authenticator.
func (d *Dashboard) factor(ctx *fasthttp.RequestCtx, v visitor) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Platen", AccountName: v.member.Email})
	if err != nil {
		d.unavailable(ctx, "make secret", err)
		return
	}
	d.showFactor(ctx, v, d.frame(ctx, v), key.Secret())
}

// showFactor shows the secret of an authenticator as a picture and as text.
func (d *Dashboard) showFactor(ctx *fasthttp.RequestCtx, v visitor, f page.Frame, secret string) {
	picture, err := qrCode(v.member.Email, secret)
	if err != nil {
		d.unavailable(ctx, "draw secret", err)
		return
	}
	d.show(ctx, page.Factor{Frame: f, QR: picture, Secret: secret, Ticket: d.ticket(v.account, ticketSecret, secret)})
}

func qrCode(email, secret string) ([]byte, error) {
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return nil, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Platen", AccountName: email, Secret: raw})
	if err != nil {
		return nil, err
	}
	picture, err := key.Image(qrSize, qrSize)
	if err != nil {
		return nil, fmt.Errorf("qr code: %w", err)
	}
	var b bytes.Buffer
	err = png.Encode(&b, picture)
	return b.Bytes(), err
}

// setFactor takes the secret once the visitor's authenticator has shown a code of it.
func (d *Dashboard) setFactor(ctx *fasthttp.RequestCtx, v visitor) {
	account, secret, ok := d.readTicket(string(ctx.PostArgs().Peek("ticket")), ticketSecret)
	if !ok || account != v.account {
		redirect(ctx, Path+"/security/factor?wrong=ticket")
		return
	}
	step, ok := codeStep(secret, string(ctx.PostArgs().Peek("code")), d.cfg.Now())
	if !ok {
		f := d.frame(ctx, v)
		f.Notice = &page.Notice{Bad: true, Text: page.Text("wrong.code")}
		ctx.SetStatusCode(422)
		d.showFactor(ctx, v, f, secret)
		return
	}
	if d.do(ctx, v, events.SetSecondFactor{Member: v.member.ID, Secret: d.cfg.Seal.SealFor(v.account, secret), Step: step}) {
		redirect(ctx, Path+"/security?done=factor-set")
	}
}

// removeFactor takes the second factor away, for a code: an unlocked screen is not enough.
func (d *Dashboard) removeFactor(ctx *fasthttp.RequestCtx, v visitor) {
	_, err := d.matchCode(projections.Membership{Account: v.account, Member: v.member.ID}, string(ctx.PostArgs().Peek("code")))
	switch {
	case errors.Is(err, errNoMatch):
		redirect(ctx, Path+"/security?wrong=code")
	case err != nil:
		d.unavailable(ctx, "take code", err)
	case d.do(ctx, v, events.SetSecondFactor{Member: v.member.ID}):
		redirect(ctx, Path+"/security?done=factor-removed")
	}
}
