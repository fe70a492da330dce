package dashboard

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// show writes a page.
func (d *site) show(ctx *fasthttp.RequestCtx, view any) {
	var b bytes.Buffer
	if err := page.Write(&b, view); err != nil {
		d.cfg.Logger.Error("write page", "error", err)
		ctx.Error("Something went wrong inside.", 500)
		return
	}
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.Response.SetBodyRaw(b.Bytes()) // a page that shows a document again is large
}

// signInLinks are the answers that lead to the sign-in page.
var signInLinks = map[string]string{"signedout": Path + "/sign-in"}

// message shows a page with only a text.
func (d *site) message(ctx *fasthttp.RequestCtx, status int, name string) {
	ctx.SetStatusCode(status)
	d.show(ctx, page.Message{Title: page.Text("answer." + name + "-title"), Text: page.Text("answer." + name + "-text"), SignIn: signInLinks[name]})
}

// unavailable shows that something failed; the operator finds the reason in the log.
func (d *site) unavailable(ctx *fasthttp.RequestCtx, what string, err error) {
	if !errors.Is(err, service.ErrBehind) {
		d.cfg.Logger.Error("dashboard: "+what, "error", err)
	}
	d.message(ctx, 503, "unavailable")
}

func redirect(ctx *fasthttp.RequestCtx, target string) {
	ctx.SetStatusCode(fasthttp.StatusSeeOther)
	ctx.Response.Header.Set("Location", target) // relative: who terminates TLS knows the rest
}

// ServeAsset serves a static file of the pages by its name.
func ServeAsset(ctx *fasthttp.RequestCtx, name string) {
	body, contentType, ok := page.Asset(Path + "/assets/" + name)
	if !ok {
		ctx.Error("There is no such file.", 404)
		return
	}
	ctx.SetContentType(contentType)
	ctx.Response.Header.Set("Cache-Control", "public, max-age=31536000, immutable") // a changed file has another name
	ctx.SetBody(body)
}

// wrongText explains why an action was refused: by its service, or because of a missing field.
func wrongText(code string) (string, bool) {
	if text, ok := service.Text(service.Code(code)); ok {
		return text, true
	}
	return page.LookUp("wrong." + code)
}

// frame returns the common frame of a visitor's pages. A path that ends with ?done=NAME shows what the last action has done,
// and the read models have caught up with it; ?wrong=NAME shows why it was refused.
func (d *site) frame(ctx *fasthttp.RequestCtx, v visitor) page.Frame {
	f := page.Frame{Account: v.Account, Email: v.member.Email, Role: v.member.Role, Token: v.formToken(), Now: d.cfg.Now().UTC()}
	if done := string(ctx.QueryArgs().Peek("done")); done != "" {
		d.catchUp(v.Account)
		if text, ok := page.LookUp("done." + done); ok {
			f.Notice = &page.Notice{Text: text}
		}
	}
	if text, ok := wrongText(string(ctx.QueryArgs().Peek("wrong"))); ok {
		f.Notice = &page.Notice{Bad: true, Text: text}
	}
	if a, _, err := d.cfg.Models.Account(v.Account); err == nil {
		f.Plan, f.Suspended = a.Plan, a.SuspendedFor
	}
	return f
}

// did reports whether an action was done. If not, it writes the response.
func (d *site) did(ctx *fasthttp.RequestCtx, err error) bool {
	var r *service.Refusal
	switch {
	case err == nil:
		return true
	case errors.As(err, &r) && r.Code == service.RateLimited:
		ctx.Response.Header.Set("Retry-After", strconv.FormatInt(r.RetryAfter, 10))
		d.message(ctx, 429, "rate")
	case errors.As(err, &r) && r.Code == events.SignInOld:
		d.askAgain(ctx)
	case errors.As(err, &r):
		redirect(ctx, back(ctx)+"?wrong="+string(r.Code))
	default:
		d.unavailable(ctx, "action", err)
	}
	return false
}

// askAgain asks a member to sign in again, and then leads back to the form's page: the action needs a recent sign-in.
func (d *site) askAgain(ctx *fasthttp.RequestCtx) {
	ctx.SetStatusCode(403)
	d.show(ctx, page.Message{Title: page.Text("answer.again-title"), Text: page.Text("answer.again-text"), SignIn: Path + "/sign-in?next=" + back(ctx)})
}

// back returns the page that has the action's form: the page of a job, or that of the section.
func back(ctx *fasthttp.RequestCtx) string {
	parts := strings.Split(strings.TrimPrefix(string(ctx.URI().PathOriginal()), Path+"/"), "/")
	switch {
	case parts[0] == "sign-out":
		return Path
	case parts[0] == "jobs" && len(parts) > 1:
		return Path + "/jobs/" + parts[1]
	}
	return Path + "/" + parts[0]
}

// clip shortens what a browser sent, at the end of a character.
func clip(s string) string { return service.Clip(s, 200) }
