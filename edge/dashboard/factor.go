package dashboard

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"image/png"

	"github.com/pquerna/otp/totp"
	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
)

// qrSize is the width of a QR code in pixels.
const qrSize = 220

// factor shows a new secret for the visitor's authenticator.
func (d securityPages) factor(ctx *fasthttp.RequestCtx, v visitor) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Platen", AccountName: v.member.Email})
	if err != nil {
		d.unavailable(ctx, "make secret", err)
		return
	}
	d.showFactor(ctx, v, d.frame(ctx, v), key.Secret())
}

// showFactor shows the secret of an authenticator as a picture and as text.
func (d securityPages) showFactor(ctx *fasthttp.RequestCtx, v visitor, f page.Frame, secret string) {
	picture, err := qrCode(v.member.Email, secret)
	if err != nil {
		d.unavailable(ctx, "draw secret", err)
		return
	}
	d.show(ctx, page.Factor{Frame: f, QR: picture, Secret: secret, Ticket: d.ticket(v.Account, ticketSecret, secret)})
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

// setFactor stores the secret once the visitor has entered a code of it from an authenticator.
func (d securityPages) setFactor(ctx *fasthttp.RequestCtx, v visitor) {
	account, secret, ok := d.readTicket(string(ctx.PostArgs().Peek("ticket")), ticketSecret)
	if !ok || account != v.Account {
		redirect(ctx, Path+"/security/factor?wrong=ticket")
		return
	}
	err := d.cfg.Services.Sessions.SetFactor(v.principal(), secret, string(ctx.PostArgs().Peek("code")))
	if service.CodeOf(err) == service.BadCode { // keep the picture, so that it need not be scanned again
		f := d.frame(ctx, v)
		f.Notice = &page.Notice{Bad: true, Text: err.Error()}
		ctx.SetStatusCode(422)
		d.showFactor(ctx, v, f, secret)
		return
	}
	if d.did(ctx, err) {
		redirect(ctx, Path+"/security?done=factor-set")
	}
}

func (d securityPages) removeFactor(ctx *fasthttp.RequestCtx, v visitor) {
	if d.did(ctx, d.cfg.Services.Sessions.RemoveFactor(v.principal(), string(ctx.PostArgs().Peek("code")))) {
		redirect(ctx, Path+"/security?done=factor-removed")
	}
}
