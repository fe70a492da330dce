package page

import (
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// What an animation brings about ends when script takes its cause away.
func TestRulesAfterAnimations(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/hint": `<style>p { opacity: 0 } .on p { animation: peek .6s forwards } @keyframes peek { 50% { opacity: 1 } 100% { opacity: .8 } }</style><div id="d"><p>HINT</p></div>END
			<script>d.classList.add("on"); setTimeout(() => d.classList.remove("on"), 500)</script>`,
		"/panels": `<style>div { max-height: 0; overflow: hidden; transition: max-height .4s } .open { max-height: 400px }</style><div id="a">FIRST</div><div id="b">END</div>
			<script>requestAnimationFrame(() => requestAnimationFrame(() => a.classList.add("open")))
			setTimeout(() => { a.classList.remove("open"); b.classList.add("open") }, 600)</script>`,
		"/stays": `<style>p { opacity: 0; animation: show .6s forwards } @keyframes show { to { opacity: 1 } }</style><p>END</p><script>setTimeout(() => {}, 500)</script>`,
	})
	for path, gone := range map[string]string{"/hint": "HINT", "/panels": "FIRST", "/stays": "NOTHING"} {
		text := testkit.PDFText(t, mustPrint(t, slot, Print{URL: web.URL + path}).PDF)
		if strings.Contains(text, gone) || !strings.Contains(text, "END") {
			t.Errorf("%s: %q", path, text)
		}
	}
}
