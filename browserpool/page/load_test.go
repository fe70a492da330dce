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

// loadsInSteps is a page whose picture delays its load event, and whose script sends a
// request after it.
const loadsInSteps = `<!doctype html><p id="p">EARLY</p><script>
	addEventListener("load", () => fetch("/late").then(() => p.textContent = "IDLE"))
</script><img src="/picture">`

// after serves a picture after a delay.
func after(delay time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(delay):
			_, _ = w.Write(pagetest.Pixel)
		case <-r.Context().Done():
		}
	}
}

// unhurried is much longer than any of these pages needs, and much shorter than the timeouts.
const unhurried = 10 * time.Second

func TestWaitUntil(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // most of the time it waits
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": loadsInSteps, "/picture": after(300 * time.Millisecond), "/late": after(200 * time.Millisecond),
		"/endless": `<p>TEXT<img src="/stuck">`, "/stuck": pagetest.NoAnswer,
		"/beacon":  `<p>TEXT<script>onload = () => { const i = new Image(9, 9); i.src = "/stuck"; document.body.append(i) }</script>`,
		"/polling": `<p>TEXT<script>setInterval(() => fetch("/x"), 100)</script>`,
		"/hangs":   `<p>TEXT<script>onload = () => setTimeout(() => { const x = new XMLHttpRequest(); x.open("GET", "/stuck", false); x.send() }, 2000)</script>`,
	})
	t.Run("each moment in its order", func(t *testing.T) {
		for until, least := range map[string]time.Duration{contract.UntilLoad: 300 * time.Millisecond, "": 300 * time.Millisecond, contract.UntilIdle: time.Second} {
			result := mustPrint(t, slot, Print{URL: web.URL, Load: contract.Load{WaitUntil: until}})
			if result.Load < least || result.Load > unhurried {
				t.Errorf("%q: loading took %v, want %v or little more", until, result.Load, least)
			}
			if until == contract.UntilIdle {
				testkit.Contains(t, testkit.PDFText(t, result.PDF), "IDLE")
			}
		}
	})
	t.Run("no longer than necessary", func(t *testing.T) {
		for until, path := range map[string]string{contract.UntilCommit: "/endless", contract.UntilDOM: "/endless", contract.UntilLoad: "/polling"} {
			_, result := mustCapture(t, slot, Capture{URL: web.URL + path, Load: contract.Load{WaitUntil: until}})
			if result.Load > unhurried {
				t.Errorf("%q: loading took %v", until, result.Load)
			}
		}
	})
	t.Run("the timeout", func(t *testing.T) {
		brief := 400 * time.Millisecond
		for _, until := range []string{contract.UntilLoad, ""} {
			_, err := slot.Print(t.Context(), Print{URL: web.URL + "/endless", Load: contract.Load{Timeout: brief.Milliseconds(), WaitUntil: until}})
			if !errors.Is(err, ErrTimeout) {
				t.Errorf("%q: got %v, want ErrTimeout", until, err)
			}
		}
		for _, until := range []string{contract.UntilCommit, contract.UntilDOM, contract.UntilLoad, contract.UntilIdle} {
			_, err := slot.Print(t.Context(), Print{URL: web.URL + "/stuck", Load: contract.Load{Timeout: brief.Milliseconds(), WaitUntil: until}})
			if !errors.Is(err, ErrTimeout) {
				t.Errorf("no answer, %q: got %v, want ErrTimeout", until, err)
			}
		}
	})
	t.Run("a page that waits without end after its load", func(t *testing.T) {
		_, err := slot.Print(t.Context(), Print{URL: web.URL + "/hangs", Load: contract.Load{WaitAfter: 3000}})
		if !errors.Is(err, ErrTimeout) || !strings.Contains(Reason(err), "did not answer") {
			t.Errorf("got %v because %q, want ErrTimeout", err, Reason(err))
		}
	})
	t.Run("what is never idle is printed as it is", func(t *testing.T) {
		limit := 900 * time.Millisecond
		for _, path := range []string{"/endless", "/polling"} {
			result := mustPrint(t, slot, Print{URL: web.URL + path, Load: contract.Load{Timeout: limit.Milliseconds(), WaitUntil: contract.UntilIdle}})
			testkit.Contains(t, testkit.PDFText(t, result.PDF), "TEXT")
			if result.Load < limit || result.Load > unhurried {
				t.Errorf("%s: loading took %v, want %v or little more", path, result.Load, limit)
			}
		}
	})
	t.Run("a picture that never arrives does not delay a loaded page", func(t *testing.T) {
		for until, path := range map[string]string{contract.UntilLoad: "/beacon", contract.UntilDOM: "/endless"} {
			result := mustPrint(t, slot, Print{URL: web.URL + path, Load: contract.Load{Timeout: time.Second.Milliseconds(), WaitUntil: until}})
			testkit.Contains(t, testkit.PDFText(t, result.PDF), "TEXT")
			if took := result.Load + result.Print; took > unhurried {
				t.Errorf("%q: it took %v", until, took)
			}
		}
	})
	t.Run("sanitised documents", func(t *testing.T) {
		for _, until := range []string{contract.UntilCommit, contract.UntilDOM, contract.UntilLoad, contract.UntilIdle} {
			testkit.Contains(t, printed(t, slot, Print{HTML: "<p>HTML", Load: contract.Load{WaitUntil: until}}), "HTML")
		}
	})
}

func TestWaitSelector(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // most of the time it waits
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": `<p id="p">EARLY<script>
			document.querySelector = () => { throw 1 }
			setTimeout(() => p.innerHTML = "<b class='it&#39;s'>LATE</b>", 300)</script>`,
		"/replaced": `<script>onload = () => setTimeout(() => location = "/", 100)</script>`,
		"/still":    `<p>STILL`,
	})
	late := contract.Load{WaitFor: `p > b[class="it's"]`}
	for _, path := range []string{"/", "/replaced"} {
		result := mustPrint(t, slot, Print{URL: web.URL + path, Load: late})
		testkit.Contains(t, testkit.PDFText(t, result.PDF), "LATE")
		if result.Load < 300*time.Millisecond {
			t.Errorf("loading took %v, which leaves out the wait for the selector", result.Load)
		}
	}
	if _, err := slot.Capture(t.Context(), Capture{URL: web.URL, Load: late}); err != nil {
		t.Error(err)
	}
	limit := 1500 * time.Millisecond
	for _, selector := range []string{".never", "p:has(i)"} {
		start := time.Now()
		_, err := slot.Print(t.Context(), Print{URL: web.URL, Load: contract.Load{WaitFor: selector, Timeout: limit.Milliseconds()}})
		if took := time.Since(start); !errors.Is(err, ErrSelector) || took < limit || took > unhurried {
			t.Errorf("%s: got %v after %v, want ErrSelector at the load timeout", selector, err, took)
		}
	}
	for _, selector := range []string{"p[", "", "1", `");alert(1)//`, "p::-x-none(", "😀["} {
		for _, job := range []Print{{URL: web.URL}, {HTML: "<p>x"}} {
			job.Load.WaitFor = selector
			start := time.Now()
			_, err := slot.Print(t.Context(), job)
			if selector == "" && err != nil || selector != "" && !errors.Is(err, ErrSelector) || time.Since(start) > unhurried {
				t.Errorf("%q: got %v after %v", selector, err, time.Since(start))
			}
		}
	}
	html := `<p id="x">TEXT</p>`
	testkit.Contains(t, printed(t, slot, Print{HTML: html, Load: contract.Load{WaitFor: "#x"}}), "TEXT")
	start := time.Now()
	if _, err := slot.Print(t.Context(), Print{HTML: html, Load: contract.Load{WaitFor: "#y"}}); !errors.Is(err, ErrSelector) || time.Since(start) > unhurried {
		t.Errorf("got %v after %v, want ErrSelector at once", err, time.Since(start))
	}
	// A page that does not become idle in time is still searched once.
	busy := contract.Load{WaitUntil: contract.UntilIdle, WaitFor: "p", Timeout: (idleFor - 50*time.Millisecond).Milliseconds()}
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/still", Load: busy}), "STILL")
}

func TestWaitAfter(t *testing.T) {
	t.Parallel() // most of the time it waits
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p id="p">EARLY<script>onload = () => setTimeout(() => p.textContent = "LATE", 500)</script>`})
	start := time.Now()
	result := mustPrint(t, slot, Print{URL: web.URL, Load: contract.Load{WaitAfter: time.Second.Milliseconds(), Timeout: (900 * time.Millisecond).Milliseconds()}})
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "LATE")
	if took := time.Since(start); took < time.Second || result.Load+result.Print > took-time.Second {
		t.Errorf("load %v and print %v of %v include the pause", result.Load, result.Print, took)
	}
	_, err := slot.Capture(t.Context(), Capture{URL: web.URL, CaptureTimeout: time.Second, Load: contract.Load{WaitAfter: (5 * time.Second).Milliseconds()}})
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("a pause beyond the capture's budget: got %v, want ErrTimeout", err)
	}
}

func TestLoadRefused(t *testing.T) {
	for _, load := range []contract.Load{
		{Timeout: -1},
		{Timeout: 120_001},
		{WaitAfter: -1},
		{WaitAfter: 10_001},
		{WaitUntil: "networkidle2"},
	} {
		for _, job := range []Capture{{HTML: "x", Load: load}, {URL: "http://x/", Load: load}} {
			if _, err := job.resolve(); !errors.Is(err, ErrOptions) {
				t.Errorf("%+v: got %v, want ErrOptions", load, err)
			}
		}
	}
	for _, job := range []Capture{
		{URL: "http://x/", HTML: "x"},
		{URL: "http://x/", Auth: Auth{Type: "digest", Value: "a:b"}},
		{URL: "http://x/", Auth: Auth{Type: "basic", Value: "ab"}},
		{URL: "http://x/", Auth: Auth{Type: "bearer", Value: "a\r\nb"}},
		{URL: "http://x/", Auth: Auth{Type: "bearer"}},
	} {
		if _, err := job.resolve(); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: got %v, want ErrOptions", job, err)
		}
	}
	fine := Capture{URL: "https://x/", Load: contract.Load{Timeout: (120 * time.Second).Milliseconds(), WaitAfter: (10 * time.Second).Milliseconds(), WaitUntil: contract.UntilIdle}, Auth: Auth{"basic", "a:b:c"}}
	if _, err := fine.resolve(); err != nil {
		t.Error(fmt.Errorf("refused: %w", err))
	}
}

// heavy takes seconds to lay out and print.
var heavy = strings.Repeat("<p>"+strings.Repeat("word ", 50)+"</p>", 40_000)

// A document whose parsing alone exceeds the load budget is refused.
func TestLoadBudget(t *testing.T) {
	slot := openSlot(t)
	if _, err := slot.Print(t.Context(), Print{HTML: heavy, Load: contract.Load{Timeout: (5 * time.Millisecond).Milliseconds()}}); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v, want ErrTimeout", err)
	}
	mustPrint(t, slot, Print{HTML: "next"})
}

// At the end of the load budget the document is printed without what has not arrived.
func TestSlowPictureIsLeftOut(t *testing.T) {
	slot := openSlot(t)
	pictures := pagetest.NewPictures(t)
	html := pictures.Document("text") + `<img src="` + pictures.URL + `/pixel" width="50" height="50">`
	result := mustPrint(t, slot, Print{HTML: html, Load: contract.Load{Timeout: (300 * time.Millisecond).Milliseconds()}})
	if text := testkit.PDFText(t, result.PDF); !strings.Contains(text, "text") {
		t.Errorf("text %q", text)
	}
	if got := pixels(t, result.PDF); got != 1 {
		t.Errorf("%d pictures on paper, want the one that arrived", got)
	}
	if result.Load < 300*time.Millisecond || result.Load+result.Print > 2*time.Second {
		t.Errorf("loading took %v, printing %v", result.Load, result.Print)
	}
}
