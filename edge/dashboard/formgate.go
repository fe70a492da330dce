package dashboard

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
)

// maxFields limits the fields of a form: the largest page has some two hundred. Each costs a hundred bytes once parsed, so they are counted before parsing.
const maxFields = 1000

// BadForm returns why a form cannot be taken, nil if it can: it has more fields than any page, or something in it is not text, which no
// browser sends and no command could carry.
func BadForm(ctx *fasthttp.RequestCtx) *FormFault {
	if bytes.Count(ctx.PostBody(), []byte("&")) >= maxFields {
		return &FormFault{413, "fields"}
	}
	for name, value := range ctx.PostArgs().All() {
		if !utf8.Valid(name) || !utf8.Valid(value) {
			return &FormFault{422, "notext"}
		}
	}
	return nil
}

// FormFault is why a form is refused. Name is the name of the response's text.
type FormFault struct {
	Status int
	Name   string
}

// Sizes of forms in bytes: of most pages, and of those that take documents. An e-invoice of 1 MiB fits, with every character escaped.
const (
	SmallForm = 16 << 10
	LargeForm = 4 << 20
)

// Form returns the account of a form's sender, as this node knows it, and the form's size limit in bytes. ok is false if nobody is signed
// in, if there is no such action, or if the member's role does not allow it. It does not need the body.
func (d *Dashboard) Form(h *fasthttp.RequestHeader, path string) (account events.AccountID, limit int, ok bool) {
	t, ok := parseCookie(string(h.Cookie(d.cookieName())))
	if !ok || !h.IsPost() {
		return "", 0, false
	}
	v, ok := d.signedIn(t)
	if !ok {
		return "", 0, false
	}
	r, _, known := d.find("POST ", strings.TrimPrefix(path, Path))
	if !known || !v.is(r.may) {
		return "", 0, false
	}
	if r.large {
		return v.Account, LargeForm, true
	}
	return v.Account, SmallForm, true
}
