package page

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// strict serves a page with a policy that allows only its own script.
func strict(page string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-x'; style-src 'nonce-x'")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}
}

// becomesReady is ready some time after it has loaded.
const becomesReady = `<p id="p">EARLY</p><script nonce="x">onload = () => setTimeout(() => { p.textContent = "LATE"; window.ready = 1 }, 300)</script>`

// A page is waited for until an expression is true, whatever its form.
func TestWaitForFunction(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": becomesReady, "/strict": strict(becomesReady),
		"/disguised": `<script>
			Promise = Object = Function = String = Boolean = Symbol = eval = undefined
			Array.prototype.slice = () => { throw 1 }
			Object.getPrototypeOf(async () => {}).constructor = null
			</script>` + becomesReady,
		"/replaced": `<script>onload = () => setTimeout(() => location = "/", 100)</script>`,
	})
	for _, path := range []string{"/", "/strict", "/disguised", "/replaced"} {
		for _, expression := range []string{
			"window.ready", " window.ready ; ", "document.querySelector('p').textContent == 'LATE' // a comment", "undefinedYet()", "() => window.ready",
			"async () => { await null; return window.ready }", "new class { then(f) { f(window.ready) } }", "await window.ready", "0, window.ready",
			"fetch('data:,') && 'x'.repeat(window.ready * 1e6)", "(() => { if (!window.ready) throw Error('not yet'); return document })()",
		} {
			if strings.HasPrefix(expression, "undefinedYet") {
				expression = "window.ready && 1 || undefinedYet()"
			}
			if strings.HasPrefix(expression, "fetch") && path == "/disguised" {
				continue
			}
			result := mustPrint(t, slot, Print{URL: web.URL + path, Load: contract.Load{WaitForFunction: expression}})
			if text := testkit.PDFText(t, result.PDF); !strings.Contains(text, "LATE") {
				t.Errorf("%s until %s: %q", path, expression, text)
			}
		}
	}
	if _, err := slot.Capture(t.Context(), Capture{URL: web.URL, Load: contract.Load{WaitForFunction: "ready"}}); err != nil {
		t.Error(err)
	}
}

// A condition that does not become true in time fails the job, and the error says why. Whatever the function does, it ends at the load timeout.
func TestWaitForFunctionFails(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // most of the time it waits
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT`})
	for expression, want := range map[string]string{
		"window.never":                                 `"window.never" was not true in time.`,
		"nothing.at.all":                               "it threw ReferenceError: nothing is not defined",
		"Promise.reject(new TypeError('no'))":          "it threw TypeError: no",
		"(() => { throw 'x'.repeat(1e8) })()":          "it threw xxx",
		"(() => { throw {toString() { throw 1 }} })()": "it threw something that is no text",
		"new Promise(() => {})":                        "was not true in time",
		"(() => { for (;;); })()":                      "was not true in time",
		"(async () => { await null; for (;;); })()":    "was not true in time",
		"(function f() { return f() })()":              "it threw RangeError",
	} {
		start := time.Now()
		_, err := slot.Print(t.Context(), Print{URL: web.URL, Load: contract.Load{WaitForFunction: expression, Timeout: 1500}})
		if !errors.Is(err, ErrFunction) || Retryable(err) || !strings.Contains(Reason(err), want) || len(Reason(err)) > contract.MaxDetail {
			t.Errorf("%s: %v because %.300q, want %q", expression, err, Reason(err), want)
		}
		if took := time.Since(start); took > unhurried {
			t.Errorf("%s: it took %v", expression, took)
		}
	}
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL}), "TEXT")
}

// Text that is not an expression fails at once: it cannot break out of the code around it, so no value of it passes.
func TestWaitForFunctionIsAnExpression(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT`})
	for _, expression := range []string{
		"", ";", "return true", "if (1) 2", "a b", "1)", "1)))(); (((() => 'x'.repeat(5e8)", "1)))(); 'x'.repeat(5e8); (async () => !!(await (1", "1); 'x'.repeat(5e8); (1",
		"'\n'", "/* ", "`",
	} {
		_, err := slot.Print(t.Context(), Print{URL: web.URL, Load: contract.Load{WaitForFunction: expression, Timeout: 3000}})
		if expression == "" && err != nil || expression != "" && !errors.Is(err, ErrFunction) {
			t.Errorf("%q: %v", expression, err)
		}
	}
	if got := len(web.Headers("/")); got > 2 {
		t.Errorf("the page was requested %d times, though what it is to be waited for is no expression", got)
	}
}
