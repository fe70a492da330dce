package dashboard

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/projections"
)

// An accepted form is text with a bounded number of fields, and every form of the playground turns it into JSON.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{"", "a=b&c=d", "body.html=%3Cp%3E&do=run", "body.options.margin.top=1&mode=live", "a=%ff", strings.Repeat("a&", 1001), "%=&&=%zz", "body.tags=%7B%22a%22%3A1%7D"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod("POST")
		ctx.Request.Header.SetContentType("application/x-www-form-urlencoded")
		ctx.Request.SetBody(body)
		if BadForm(&ctx) != nil {
			return
		}
		fields := 0
		for name, value := range ctx.PostArgs().All() {
			if fields++; !utf8.Valid(name) || !utf8.Valid(value) {
				t.Errorf("%q = %q is not text", name, value)
			}
		}
		if fields > maxFields {
			t.Errorf("%d fields", fields)
		}
		for _, op := range request.Operations() {
			a := newAttempt(op, func(path string) string { return string(ctx.PostArgs().Peek(path)) })
			if !json.Valid(a.body) {
				t.Errorf("%s: %q makes %q", op.Name, body, a.body)
			}
		}
	})
}

// The link to the next page keeps the query; the page shown after signing in is always one of the dashboard.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"", "status=done&from=2026-01-31", "tag_name=a&tag_value=%ff", "after=x", "next=/dashboard/../x", "next=//evil.example", "next=/dashboard/%0d%0aX:y", "next=/dashboard/%00", "from=" + strings.Repeat("0", 199) + "+0", "by=key&month=2026-01"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var args, again fasthttp.Args
		args.Parse(text)
		filter := typedFilter(&args)
		readFilter(filter)
		askedUsage(&args)
		place, ok := parsePlace(string(args.Peek(afterParam)))
		if ok && place != nil && place.Text() != string(args.Peek(afterParam)) {
			t.Errorf("place %q is read as %q", args.Peek(afterParam), place.Text())
		}
		next, err := url.Parse(nextPage(filter, projections.Place{}))
		if err != nil {
			t.Fatal(err)
		}
		if again.Parse(next.RawQuery); typedFilter(&again) != filter {
			t.Errorf("%+v is %+v on the next page", filter, typedFilter(&again))
		}
		path := nextPath(string(args.Peek("next")))
		if to, err := url.Parse(path); err == nil && (to.Host != "" || to.Scheme != "" || !Serves(to.Path)) || strings.ContainsFunc(path, unicode.IsControl) {
			t.Errorf("%q is shown after signing in", path)
		}
	})
}

// A cookie that is accepted is the same as the one set for its session.
func FuzzCookies(f *testing.F) {
	for _, seed := range []string{
		"", "acc_a.ses_b.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "..", "a.b.c.d", "acc_a.ses_b.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
		"acc_a.ses_b.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if token, ok := parseCookie(value); ok && cookieValue(token) != value {
			t.Errorf("%q is read as %q", value, cookieValue(token))
		}
	})
}
