package dashboard

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// show writes a page.
func (d *Dashboard) show(ctx *fasthttp.RequestCtx, view any) {
	var b bytes.Buffer
	if err := page.Write(&b, view); err != nil {
		d.cfg.Logger.Error("write page", "error", err)
		ctx.Error("Something went wrong inside.", 500)
		return
	}
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.SetBody(b.Bytes())
}

// message shows a page with nothing but one of the texts.
func (d *Dashboard) message(ctx *fasthttp.RequestCtx, status int, name string) {
	ctx.SetStatusCode(status)
	d.show(ctx, page.Message{Title: page.Text("answer." + name + "-title"), Text: page.Text("answer." + name + "-text"), SignIn: name == "signedout"})
}

// unavailable shows that something failed, which the operator reads in the log.
func (d *Dashboard) unavailable(ctx *fasthttp.RequestCtx, what string, err error) {
	d.cfg.Logger.Error("dashboard: "+what, "error", err)
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
	ctx.Response.Header.Set("Cache-Control", "public, max-age=31536000, immutable") // a change has another name
	ctx.SetBody(body)
}

// frame is what every page of a visitor has. A path that ends with ?done=NAME shows what the last action has done, and the
// read models have caught up with it; ?wrong=NAME and ?password=NAME show why it was refused.
func (d *Dashboard) frame(ctx *fasthttp.RequestCtx, v visitor) page.Frame {
	f := page.Frame{Account: v.account, Email: v.member.Email, Role: v.member.Role, Token: v.token(), Now: d.cfg.Now().UTC()}
	if done := string(ctx.QueryArgs().Peek("done")); done != "" {
		d.catchUp(v.account)
		if text, ok := page.LookUp("done." + done); ok {
			f.Notice = &page.Notice{Text: text}
		}
	}
	for _, section := range []string{"wrong", "password"} {
		if text, ok := page.LookUp(section + "." + string(ctx.QueryArgs().Peek(section))); ok {
			f.Notice = &page.Notice{Bad: true, Text: text}
		}
	}
	if a, _, err := d.cfg.Models.Account(v.account); err == nil {
		f.Plan, f.Suspended = a.Plan, a.SuspendedFor
	}
	return f
}

// command sends a command and returns the reply. All commands of this package are sent here.
func (d *Dashboard) command(by events.Author, account events.AccountID, body events.CommandBody) (events.Reply, error) {
	return d.cfg.Commands.DoBy(by, account, body)
}

// send sends a visitor's command, and returns the reply. An error means that there is none.
func (d *Dashboard) send(v visitor, body events.CommandBody) (events.ReplyCode, error) {
	reply, err := d.command(v.author(), v.account, body)
	return reply.Code, err
}

// do sends a visitor's command. If it is not accepted, the response says so, and do is false.
func (d *Dashboard) do(ctx *fasthttp.RequestCtx, v visitor, body events.CommandBody) bool {
	code, err := d.send(v, body)
	return d.accepted(ctx, code, err)
}

// accepted says whether a command was. If not, it writes the response.
func (d *Dashboard) accepted(ctx *fasthttp.RequestCtx, code events.ReplyCode, err error) bool {
	switch {
	case err != nil:
		d.unavailable(ctx, "command", err)
	case code != events.Accepted:
		redirect(ctx, back(ctx)+"?wrong="+string(code))
	default:
		return true
	}
	return false
}

// back is the page that the form of an action is on: a job's own, or that of the section.
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
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut]
}
