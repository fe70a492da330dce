package page

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
)

// A warning names the hidden pixels, unless a box only reserves them.
func TestWarnOfHidden(t *testing.T) {
	for pixels, want := range map[int]string{
		1: "The page scrolls in an inner box; 1 pixels of its content are not shown.", endless - 1: "The page scrolls in an inner box; 999999 pixels of its content are not shown.",
		endless: "The page scrolls in an inner box, which shows only a part of its content.",
	} {
		p := &page{}
		if p.warnOfHidden(pixels); len(p.found.warned) != 1 || p.found.warned[0].Detail != want {
			t.Errorf("%d: %v", pixels, p.found.warned)
		}
	}
	p := &page{}
	if p.warnOfHidden(0); p.found.warned != nil {
		t.Errorf("nothing is hidden: %v", p.found.warned)
	}
}

// A page whose script leaves it empty is warned of; one that shows anything is not.
func TestWarnOfBlank(t *testing.T) {
	t.Parallel()
	const fails = `<script>undefined.x</script>`
	slot := openSlot(t)
	for html, blank := range map[string]bool{
		`<div id="app"></div>` + fails: true,
		`<style>body { background: #eee } #app { min-height: 100vh; background: #fff }</style><div id="app">  </div>` + fails: true,
		`<style>*, ::before, ::after { border: 0 solid }</style><div id="app"></div>` + fails:                                 true, // as Tailwind does
		`<p hidden>TEXT</p>` + fails: true,
		`<p style="opacity: 0">TEXT</p><svg style="display: none"></svg>` + fails: true,
		`TEXT` + fails: false,
		`<svg width="9" height="9"><rect width="9" height="9"/></svg>` + fails:                                              false,
		`<div style="height: 9px; background: red"></div>` + fails:                                                          false,
		`<div style="height: 9px; border: 1px solid"></div>` + fails:                                                        false,
		`<style>div::before { content: "TEXT" }</style><div></div>` + fails:                                                 false,
		`<x-app></x-app><script>document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML = "TEXT"</script>`: false,
		`<body style="background: url(data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)">` + fails:                    false,
		`<div></div>`: false, // nothing has run
	} {
		isBlank := func(w Warning) bool { return w.Code == contract.PageBlank }
		if got := slices.ContainsFunc(mustPrint(t, slot, Print{HTML: html, Full: true}).Warnings, isBlank); got != blank {
			t.Errorf("%s: printed with a warning: %t", html, got)
		}
		_, image := mustCapture(t, slot, Capture{HTML: html, Full: true})
		if got := slices.ContainsFunc(image.Warnings, isBlank); got != blank {
			t.Errorf("%s: captured with a warning: %t", html, got)
		}
	}
}

// Warnings go where the file goes, which may be further than the credentials: a page may put these into the address of a part that is missing.
func TestWarningsAreCensored(t *testing.T) {
	t.Parallel()
	const secret = "secret-token-4711"
	web := pagetest.NewWeb(t, pagetest.Pages{"/": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<p>TEXT</p><img src="/of/` + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + `.png">`))
	})})
	slot := openSlot(t)
	_, image := mustCapture(t, slot, Capture{URL: web.URL, Auth: Auth{"bearer", secret}})
	for kind, warnings := range map[string][]Warning{"printed": mustPrint(t, slot, Print{URL: web.URL, Auth: Auth{"bearer", secret}}).Warnings, "captured": image.Warnings} {
		if len(warnings) != 1 || warnings[0].Code != contract.ResourceMissing || strings.Contains(warnings[0].Detail, secret) || !strings.Contains(warnings[0].Detail, "/of/….png") {
			t.Errorf("%s: warnings %v", kind, warnings)
		}
	}
}
