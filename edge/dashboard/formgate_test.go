package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"platen.dev/events/testkit"
)

func formOf(body string) *fasthttp.RequestCtx {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod("POST")
	ctx.Request.Header.SetContentType("application/x-www-form-urlencoded")
	ctx.Request.SetBodyString(body)
	return &ctx
}

// Forms with too many fields, or with fields that are not text, are refused before anything else.
func TestBadForms(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want string
	}{
		"nothing":             {"", "<nil>"},
		"as many as may be":   {strings.Repeat("a=1&", maxFields-1) + "a=1", "<nil>"},
		"one more":            {strings.Repeat("a=1&", maxFields) + "a=1", "&{413 fields}"},
		"a long one":          {"a=" + strings.Repeat("%26", 1<<20), "<nil>"},
		"umlauts":             {"name=%C3%BC", "<nil>"},
		"no text":             {"name=%FF", "&{422 notext}"},
		"no text in its name": {"%FF=1", "&{422 notext}"},
		"half a character":    {"name=%C3", "&{422 notext}"},
	} {
		if got := fmt.Sprint(BadForm(formOf(tc.body))); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// Two million fields cost no memory: they are not parsed.
func TestManyFieldsCostNothing(t *testing.T) {
	ctx := formOf(strings.Repeat("a&", LargeForm/2))
	before := testkit.Allocated()
	if BadForm(ctx) == nil {
		t.Error("they are taken")
	}
	if n := testkit.Allocated() - before; n > 1<<20 {
		t.Errorf("they cost %d bytes", n)
	}
}
