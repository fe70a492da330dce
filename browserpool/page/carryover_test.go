package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A page that is reused keeps nothing of its last job: the next document prints to the same bytes as on a new page.
func TestNothingCarriesOver(t *testing.T) {
	ctx := t.Context()
	p := openSlot(t).set.warm
	run := func(job Print) (Result, error) {
		d, params, _ := job.resolve()
		return press{p, job}.print(ctx, d, params)
	}
	next := Print{HTML: "<p>next</p>"}
	fresh, err := run(next)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.reset(ctx); err != nil {
		t.Fatal(err)
	}

	full := `<html lang="ar" dir="rtl"><head><title>secret</title><style>p{color:red;font-size:40px}</style></head>
		<body style="zoom: 2; background: blue"><p id="a" style="height: 5000px; width: 3000px">secret</p><input value="secret" autofocus></body></html>`
	if _, err := run(Print{HTML: full, Options: contract.Paper{Landscape: true}}); err != nil {
		t.Fatal(err)
	}
	evaluate(t, p, `window.scrollTo(0, 900); window.name = "secret"; window.kept = 1; history.replaceState({a: 1}, "", "#secret")`)
	if err := p.reset(ctx); err != nil {
		t.Fatal(err)
	}

	for expression, want := range map[string]string{
		`document.title`: "",
		`document.body ? document.body.innerHTML : ""`: "",
		`location.href`:                                  "about:blank",
		`String(scrollY) + scrollX`:                      "00",
		`typeof window.kept`:                             "undefined",
		`String(history.state)`:                          "null",
		`document.documentElement.lang + document.dir`:   "",
		`String(document.styleSheets.length)`:            "0",
		`(document.activeElement || {}).value || "none"`: "none",
	} {
		if got := evaluate(t, p, expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	history, err := proto.PageGetNavigationHistory{}.Call(p.session.With(ctx))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range history.Entries {
		if entry.URL != "about:blank" || strings.Contains(entry.Title, "secret") {
			t.Errorf("the history keeps %+v", entry)
		}
	}
	for _, call := range []proto.Request{&proto.PageSetDocumentContent{}, &proto.PagePrintToPDF{}} {
		if p.session.With(ctx).LoadState(call) {
			t.Errorf("rod keeps what was sent with %s", call.ProtoReq())
		}
	}
	cookies, err := proto.StorageGetCookies{BrowserContextID: p.contextID}.Call(p.browser.With(ctx))
	if err != nil || len(cookies.Cookies) != 0 {
		t.Errorf("cookies %v, %v", cookies, err)
	}
	again, err := run(next)
	if err != nil {
		t.Fatal(err)
	}
	if undated(again.PDF) != undated(fresh.PDF) {
		t.Error("the document prints differently on a used page")
	}
}

// The same holds for captures: a page that draws frames keeps its frame, its viewport and its background, and shows no trace of the last document.
func TestNothingCarriesOverToCaptures(t *testing.T) {
	slot := openSlot(t)
	picture := func(job Capture) []byte {
		image, err := slot.Capture(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		return image.Data
	}
	next := Capture{HTML: `<p style="text-align: right; height: 50vh">next</p><input value="x"><a href="#a">link</a>`}
	fresh, first := picture(next), slot.set.capture
	for what, html := range map[string]string{
		"a dark scheme":     `<html style="color-scheme: dark"><head><meta name="color-scheme" content="dark"><meta name="theme-color" content="#f00"></head><p>dark</p>`,
		"a coloured canvas": `<html style="background: #f00"><body style="background: #00f; height: 9000px">canvas</body>`,
		"another viewport":  `<meta name="viewport" content="width=300, initial-scale=3, user-scalable=no"><p style="zoom: 4">large</p>`,
		"a place scrolled to": `<div style="height: 5000px"></div><input autofocus value="focus"><div style="height: 5000px; scroll-snap-align: start">low</div>
			<style>html { scroll-snap-type: y mandatory; overflow: scroll; font-size: 40px; direction: rtl }</style>`,
		"fonts, layers and a fixed cover": `<style>@font-face { font-family: serif; src: local("DejaVu Sans") } * { font: 30px serif; cursor: wait }</style>
			<dialog open style="position: fixed; inset: 0">cover</dialog><p style="will-change: transform; animation: a 1s infinite">moves</p>`,
	} {
		for _, full := range []bool{false, true} {
			picture(Capture{HTML: html, Options: contract.Image{FullPage: full, Width: 500, Height: 1500}})
			if !bytes.Equal(picture(next), fresh) {
				t.Errorf("after %s, full page %v, the next image is different", what, full)
			}
		}
	}
	if slot.set.capture != first || first == nil {
		t.Error("the page was replaced, so this proves nothing")
	}
}

func evaluate(t *testing.T, p *page, expression string) string {
	t.Helper()
	answer, err := proto.RuntimeEvaluate{Expression: expression, ReturnByValue: true}.Call(p.session.With(t.Context()))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	if answer.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	return answer.Result.Value.Str()
}

// A page that used the network is not reused, so that no cookie of one job reaches another. Resources that a document
// embeds are fetched through the proxy.
func TestNetworkUse(t *testing.T) {
	slot := openSlot(t)
	pictures := pagetest.NewPictures(t)
	for range 3 {
		html := fmt.Sprintf(`<img src="%s/pixel" width="50" height="50">`, pictures.URL)
		if got := pixels(t, mustPrint(t, slot, Print{HTML: html}).PDF); got != 1 {
			t.Errorf("%d pictures on paper, want 1", got)
		}
	}
	for _, cookie := range pictures.Cookies() {
		if cookie != "" {
			t.Errorf("a request carries the cookie %q", cookie)
		}
	}
	if slot.replaced != 3 {
		t.Errorf("the pages were replaced %d times, want 3", slot.replaced)
	}
}

// Addresses that are not public are refused however they are written; the rest
// of the document is printed.
func TestPrivateAddressesAreRefused(t *testing.T) {
	slot := openSlotIn(t, sharedBrowser(t), newGate(egress.Policy{}))
	pictures := pagetest.NewPictures(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(pictures.URL, "http://"), ":")
	var html strings.Builder
	hosts := []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"}
	for _, host := range hosts {
		fmt.Fprintf(&html, `<img src="http://%s:%s/pixel"><img src="https://%s:%s/pixel">`, host, port, host, port)
	}
	html.WriteString("<p>text</p>")
	result := mustPrint(t, slot, Print{HTML: html.String()})
	if text := testkit.PDFText(t, result.PDF); !strings.Contains(text, "text") {
		t.Errorf("text %q", text)
	}
	if seen := pictures.Cookies(); len(seen) != 0 {
		t.Errorf("%d requests reached a loopback address", len(seen))
	}
	if blocked := slot.gate.Blocked(); blocked < int64(len(hosts)) {
		t.Errorf("%d requests blocked, want at least %d", blocked, len(hosts))
	}
}
