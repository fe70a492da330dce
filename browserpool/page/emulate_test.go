package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// observed is the view of the browser that a script has.
type observed struct{ UA, Languages, Locale, Zone, Hour, Number, Dark string }

// observer is a server whose pages, frames and workers report what they see of the browser.
type observer struct {
	*pagetest.Web

	mu   sync.Mutex // guards what follows
	seen map[string]observed
}

// reporting is the common part of every kind of script.
const reporting = `const report = who => fetch("/report?" + who, {method: "POST", body: JSON.stringify({
	UA: navigator.userAgent, Languages: "" + navigator.languages, Locale: Intl.DateTimeFormat().resolvedOptions().locale,
	Zone: Intl.DateTimeFormat().resolvedOptions().timeZone, Hour: "" + new Date(Date.UTC(2026, 0, 1, 12)).getHours(), Number: (1234.5).toLocaleString(),
	Dark: typeof matchMedia == "function" ? "" + matchMedia("(prefers-color-scheme: dark)").matches : ""
})});`

// allReported is true once all scripts of the observer have reported.
const allReported = `fetch("/reported").then(r => r.text()).then(n => n == "7")`

func (o *observer) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.seen)
}

// reported responds with the number of scripts in everyScript that have reported.
func (o *observer) reported(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, who := range everyScript {
		if _, seen := o.seen[who]; seen {
			n++
		}
	}
	fmt.Fprint(w, n)
}

func newObserver(t *testing.T) *observer {
	t.Helper()
	o := &observer{seen: map[string]observed{}}
	script := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, reporting+text)
		}
	}
	page := func(name, more string) string {
		return `<p>TEXT</p><script>` + reporting + `report("` + name + `")</script>` + more
	}
	o.Web = pagetest.NewWeb(t, pagetest.Pages{
		"/": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page("page", `<iframe src="/frame"></iframe><iframe src="`+o.LocalhostURL()+`/other"></iframe><script>
				new Worker("/worker.js"); try { new SharedWorker("/shared.js") } catch {}; navigator.serviceWorker?.register("/service.js")</script>`))
		}),
		"/frame":     page("frame", ""),
		"/other":     page("other", `<iframe src="/inner"></iframe><script>new Worker("/otherworker.js")</script>`),
		"/inner":     page("inner", ""),
		"/worker.js": script(`report("worker"); new Worker("/nested.js")`), "/nested.js": script(`report("nested")`),
		"/otherworker.js": script(`report("otherworker")`), "/shared.js": script(`report("shared")`), "/service.js": script(`report("service")`),
		"/reported": http.HandlerFunc(o.reported),
		"/report": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var seen observed
			if err := json.NewDecoder(r.Body).Decode(&seen); err != nil {
				t.Error(err)
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.seen[r.URL.RawQuery] = seen
		}),
	})
	return o
}

// sawAll returns the reports, which must include all of these.
func (o *observer) sawAll(t *testing.T, who ...string) map[string]observed {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range who {
		if _, seen := o.seen[one]; !seen {
			t.Errorf("%s has not reported", one)
		}
	}
	return maps.Clone(o.seen)
}

// everyScript lists the scripts: of a page, of its frames from its own and another site, and of the workers of both.
var everyScript = []string{"page", "frame", "other", "inner", "worker", "nested", "otherworker"}

// A page, its frames and its workers see the browser that the job asks for, and so do servers.
func TestEmulation(t *testing.T) {
	slot := openSlot(t)
	o := newObserver(t)
	load := contract.Load{WaitForFunction: allReported, UserAgent: "Own/1.0", Locale: "de-AT", TimeZone: "Asia/Tokyo", ColorScheme: "dark"}
	testkit.Contains(t, printed(t, slot, Print{URL: o.URL, Load: load}), "TEXT")
	for who, seen := range o.sawAll(t, everyScript...) {
		want := observed{UA: "Own/1.0", Languages: "de-AT,de", Locale: "de-AT", Zone: "Asia/Tokyo", Hour: "21", Number: "1\u00a0234,5", Dark: seen.Dark}
		switch who {
		case "shared", "service": // they keep the browser's user agent, and shared workers its language
			want.UA, want.Languages = seen.UA, seen.Languages
		}
		if seen != want || seen.Dark == "false" {
			t.Errorf("%s saw %+v", who, seen)
		}
	}
	for _, path := range []string{"/", "/frame", "/other", "/inner", "/worker.js", "/otherworker.js"} { // the browser requests the script of a nested worker before that worker exists
		for _, h := range o.Headers(path) {
			if h.Get("User-Agent") != "Own/1.0" || h.Get("Accept-Language") != "de-AT,de;q=0.9" || h.Get("Sec-Ch-Ua") != "" {
				t.Errorf("%s was asked for with %v", path, h)
			}
		}
	}

	o.forget()
	testkit.Contains(t, printed(t, slot, Print{URL: o.URL, Load: contract.Load{WaitForFunction: allReported}}), "TEXT")
	for who, seen := range o.sawAll(t, everyScript...) {
		if !strings.HasPrefix(seen.Languages, "en-US") || seen.Locale != "en-US" || !strings.HasPrefix(seen.UA, "Mozilla/5.0 (X11; Linux x86_64)") || seen.Dark == "true" {
			t.Errorf("the next job's %s saw %+v", who, seen)
		}
	}
}

// A single setting leaves the others unchanged.
func TestEmulationOfOne(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<script>document.write(navigator.userAgent, " ", navigator.languages, " ", matchMedia("(prefers-color-scheme: dark)").matches)</script>`})
	for want, load := range map[string]contract.Load{
		"Own en-US,en false":   {UserAgent: "Own"},
		"36 fr false":          {Locale: "fr"},
		"36 zh-Hant-TW,zh fal": {Locale: "zh-Hant-TW"},
		"36 en-US,en true":     {ColorScheme: "dark"},
		"36 en-US,en false":    {ColorScheme: "light", TimeZone: "Europe/Paris"},
	} {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL, Load: load}), want)
	}
	if got := web.Headers("/")[0].Get("Accept-Language"); got == "" {
		t.Error("a request names no language")
	}
	for _, load := range []contract.Load{{TimeZone: "Europe/Nowhere"}, {Locale: "not a locale"}} {
		if _, err := slot.Print(t.Context(), Print{URL: web.URL, Load: load}); !errors.Is(err, ErrOptions) || Reason(err) == "" {
			t.Errorf("%+v: %v", load, err)
		}
	}
}

// A dark page is dark in an image, and on paper.
func TestDark(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<style>body { background: green } @media (prefers-color-scheme: dark) { body { background: #00f } }</style><p>x`})
	for scheme, want := range map[string]color.RGBA{"": green, "light": green, "dark": blue} {
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL, Load: contract.Load{ColorScheme: scheme}})
		shows(t, picture, 500, 500, want)
		pdf := mustPrint(t, slot, Print{URL: web.URL, Load: contract.Load{ColorScheme: scheme}}).PDF
		shows(t, paper(t, pdf, 1), 300, 300, want)
	}
}

// Without script, no script of a page runs, whatever starts it and wherever it comes from; waits still work.
func TestNoScript(t *testing.T) {
	slot := openSlot(t)
	o := newObserver(t)
	load := contract.Load{NoScript: true, WaitFor: "iframe", WaitForFunction: "document.querySelectorAll('iframe').length == 2 && new Promise(done => done(true))", WaitUntil: contract.UntilLoad}
	testkit.Contains(t, printed(t, slot, Print{URL: o.URL, Load: load}), "TEXT")
	for who := range o.sawAll(t) {
		t.Errorf("script of the %s ran", who)
	}
	if len(o.Headers("/inner")) == 0 || len(o.Headers("/frame")) == 0 {
		t.Error("the frames were not loaded, so this proves nothing")
	}
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<noscript>WITHOUT</noscript><script>document.write("WITH")</script><img src="data:," onerror="document.body.append('HANDLER')"><iframe srcdoc="<script>parent.document.body.append('FRAME')</script>"></iframe>`})
	text := printed(t, slot, Print{URL: web.URL, Load: contract.Load{NoScript: true, Scroll: true, Style: "p { color: red }", Hide: []string{"i"}}})
	if strings.TrimSpace(text) != "WITHOUT" {
		t.Errorf("without script it shows %q", text)
	}
}

// A full document is emulated like a page by URL.
func TestFullDocumentIsEmulated(t *testing.T) {
	slot := openSlot(t)
	html := becomesReady + `<p id="q">HIDDEN</p><script>document.write("IN " + navigator.language + " AT " + new Date(0).getHours())</script>`
	load := contract.Load{WaitForFunction: "window.ready", Locale: "de-AT", TimeZone: "Asia/Tokyo", Hide: []string{"#q"}, Scroll: true, FailOnScriptError: true, FailOnResourceError: true}
	text := printed(t, slot, Print{HTML: html, Full: true, Load: load})
	testkit.Contains(t, text, "LATE", "IN de-AT AT 9")
	if strings.Contains(text, "HIDDEN") {
		t.Errorf("it shows %q", text)
	}
	if _, err := slot.Print(t.Context(), Print{HTML: "<script>undefinedFunction()</script>", Full: true, Load: contract.Load{FailOnScriptError: true}}); !errors.Is(err, ErrScript) {
		t.Errorf("a script that fails: %v", err)
	}
}
