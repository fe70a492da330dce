package page_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events/testkit"
)

// These say what does not fit: by how much the page is wider than its window, what a table cuts off, whose last line is cut
// in half, which choices are wider than their control, and which short words of tables are broken in two. What members typed may break, but into no less than twelve characters.
const (
	tooWide = `() => { const most = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth); return most > innerWidth ? String(most - innerWidth) : ''; }`
	cut     = `() => [...document.querySelectorAll('.tablebox')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.scrollWidth - e.clientWidth + ' px of ' + e.innerText.split('\n')[0]).join(', ')`
	halved  = `() => [...document.querySelectorAll('.answer')].filter((e) => {
		const lines = e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight);
		return Math.abs(lines - Math.round(lines)) > 0.1;
	}).map((e) => e.innerText).join(', ')`
	short = `() => [...document.querySelectorAll('select')].filter((e) => e.checkVisibility()).filter((e) => {
		const whole = e.cloneNode(true);
		whole.style.cssText = 'position: absolute; width: max-content';
		e.after(whole);
		const cut = whole.offsetWidth > e.offsetWidth;
		whole.remove();
		return cut;
	}).map((e) => e.name).join(', ')`
	broken = `() => {
		const all = [], range = document.createRange();
		for (const table of document.querySelectorAll('table')) {
			const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
			while (texts.nextNode()) {
				const text = texts.currentNode, most = text.parentElement.closest('bdi') ? 12 : 20;
				if (!text.parentElement.checkVisibility()) continue;
				for (const word of text.data.matchAll(/[^\s-]+/g)) {
					range.setStart(text, word.index);
					range.setEnd(text, word.index + word[0].length);
					if (word[0].length <= most && new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) all.push(word[0]);
				}
			}
		}
		return all.join(', ');
	}`
)

// widths are those of telephones, of tablets, of small windows with and without the menu beside the page, and of screens.
var widths = []int{360, 600, 768, 960, 1024, 1200, 1536}

// Nothing is wider than its window or cut off, no short word of a table is broken, and nothing is logged to the console.
func TestLayout(t *testing.T) {
	testkit.Long(t)
	p := newSite(t, views()).open(t)
	for _, v := range views() {
		for _, width := range widths {
			p.show(v.name, width, "light")
			for problem, script := range map[string]string{"too wide, in px": tooWide, "cut off": cut, "cut in half": halved, "too short": short, "broken": broken} {
				if got := p.eval(script); got != "" {
					t.Errorf("%s at %d px: %s: %s", v.name, width, problem, got)
				}
			}
		}
	}
	p.quiet()
}

// No page is wider than its window, however long its texts are.
func TestLayoutOfLongTexts(t *testing.T) {
	testkit.Long(t)
	long := filled(strings.Repeat("M", 2000))
	p := newSite(t, long).open(t)
	for _, v := range long {
		for _, width := range []int{360, 1024} {
			p.show(v.name, width, "light")
			if got := p.eval(tooWide); got != "" {
				t.Errorf("%s is %s px too wide for %d px", v.name, got, width)
			}
		}
	}
	p.quiet()
}

// inOrder lists everything reachable with the Tab key; focused describes the focused element and its focus style. A
// group of radio buttons is one stop. The bars of a chart are left out: their links are in the table below, too.
const (
	inOrder = `() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
		.filter((e) => e.checkVisibility() && e.type !== 'hidden' && (e.type !== 'radio' || e.checked) && e.getAttribute('tabindex') !== '-1')
		.map((e, i) => { e.place = i; return i; }).join(' ')`
	focused = `() => {
		const e = document.activeElement, s = getComputedStyle(e);
		return e.place === undefined ? '' : s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 ? String(e.place) : 'invisible ' + e.outerHTML;
	}`
)

// Every control can be reached with the Tab key, in reading order, and shows the focus.
func TestKeyboard(t *testing.T) {
	testkit.Long(t)
	p := newSite(t, views()).open(t)
	for _, v := range views() {
		p.show(v.name, 1280, "dark")
		want := strings.Fields(p.eval(inOrder))
		var got []string
		for range 6 * len(want) { // a date has several stops
			must(t, p.Keyboard.Press(input.Tab))
			at := p.eval(focused)
			if at == "" && len(got) > 0 {
				break
			}
			got = append(got, at)
		}
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: Tab reaches %q, not %q", v.name, got, want)
		}
	}
	p.quiet()
}

func TestCopy(t *testing.T) {
	s := newSite(t, views())
	p := s.open(t)
	must(t, proto.BrowserGrantPermissions{Permissions: []proto.BrowserPermissionType{"clipboardReadWrite", "clipboardSanitizedWrite"}}.Call(s.browser))
	must(t, (proto.EmulationSetFocusEmulationEnabled{Enabled: true}).Call(p))
	p.show("keys", 1280, "light")
	p.click("[data-copy]")
	p.until(`() => document.querySelector('[data-copy]').textContent === 'Copied' && document.getElementById('news').textContent === 'Copied'`)
	if got := p.eval(`() => navigator.clipboard.readText()`); got != keyList().Secret {
		t.Errorf("the clipboard holds %q", got)
	}
	p.show("keys", 1280, "light")
	p.eval(`() => { Object.defineProperty(navigator, 'clipboard', {value: undefined}); return ''; }`)
	p.click("[data-copy]")
	p.until(`() => document.querySelector('[data-copy]').textContent === 'Press Ctrl+C'`)
	if got := p.eval(`() => getSelection().toString()`); got != keyList().Secret {
		t.Errorf("without a clipboard %q is selected", got)
	}
	p.quiet()
}

// Dangerous actions ask for confirmation, and Escape cancels.
func TestConfirmation(t *testing.T) {
	s := newSite(t, views())
	p := s.open(t)
	p.show("keys", 1280, "light")
	p.click("details.confirm summary")
	p.until(`() => document.querySelector('dialog[open]') !== null && document.activeElement.matches('dialog [data-close]')`)
	must(t, p.Keyboard.Press(input.Escape))
	p.until(`() => !document.querySelector('dialog') && document.activeElement.matches('.confirm > summary')`)
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("%q were sent", sent)
	}
	p.click("details.confirm summary")
	p.submit("dialog button.danger")
	revoked(t, s)
	p.quiet()
}

// Without scripts, the same form unfolds in place, and nothing that needs scripts is shown.
func TestWithoutScripts(t *testing.T) {
	s := newSite(t, views())
	p := s.open(t)
	must(t, (proto.EmulationSetScriptExecutionDisabled{Value: true}).Call(p))
	p.show("keys", 1280, "light")
	p.click("details.confirm summary")
	p.until(`() => document.querySelector('.ask').checkVisibility() && ![...document.querySelectorAll('.script')].some((e) => e.checkVisibility())`)
	p.submit(".ask button.danger")
	revoked(t, s)
	p.show("home", 360, "light")
	p.click(".menu summary")
	p.until(`() => document.querySelector('.menu nav a').checkVisibility() && !document.querySelector('.wide nav a').checkVisibility()`)
	p.quiet()
}

func revoked(t *testing.T, s *site) {
	t.Helper()
	if sent := s.sent(); !slices.Equal(sent, []string{"/dashboard/keys/revoke?confirm=yes&key=key_abcdefgh&token=0f1e2d3c4b5a"}) {
		t.Errorf("got %q", sent)
	}
}

// A live page shows changes, announces them once, and keeps the focus.
func TestFollows(t *testing.T) {
	s := newSite(t, views())
	p := s.open(t)
	must(t, (proto.EmulationSetFocusEmulationEnabled{Enabled: true}).Call(p))
	p.show("job-running", 1280, "light")
	s.send(t, runningJob())
	p.until(`() => document.querySelector('#live .confirm') !== null`)
	p.eval(`() => { document.querySelector('#live summary').focus(); return ''; }`)
	ended := runningJob()
	ended.Timeline = append(ended.Timeline, page.Step{Kind: page.StepWebhook, At: now})
	s.send(t, ended)
	p.until(`() => document.querySelectorAll('.timeline li').length === 5 && document.activeElement.matches('#live summary')`)
	if said := p.eval(`() => document.getElementById('news').textContent`); said != "" {
		t.Errorf("the status is the same, but the page says %q", said)
	}
	ended.Status, ended.Ended = "done", true
	s.send(t, ended)
	p.until(`() => document.getElementById('news').textContent === 'Status: Done'`)
	p.quiet()
}

// Unchanged parts are not replaced.
func TestFollowsOnlyChanges(t *testing.T) {
	s := newSite(t, views())
	p := s.open(t)
	p.show("job-running", 1280, "light")
	s.send(t, runningJob())
	p.until(`() => document.getElementById('live').innerHTML[0] !== '\n'`)
	p.eval(`() => { document.getElementById('live').firstElementChild.old = true; return ''; }`)
	s.send(t, runningJob())
	s.send(t, runningJob()) // the one before has been read
	if kept := p.eval(`() => String(document.getElementById('live').firstElementChild.old)`); kept != "true" {
		t.Error("the same was shown again")
	}
}

// send sends the live part of a page to its listeners.
func (s *site) send(t *testing.T, v any) {
	t.Helper()
	var part bytes.Buffer
	must(t, page.Fragment(&part, v))
	select {
	case s.events <- part.String():
	case <-time.After(time.Minute):
		t.Fatal("nobody listens")
	}
}

// click presses the Enter key on a control: rod's own click waits for scripts of the page.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.eval(`(selector) => { document.querySelector(selector).focus(); return ''; }`, selector)
	must(p.t, p.Keyboard.Press(input.Enter))
}

// submit clicks a button and waits for the response page.
func (p *tab) submit(selector string) {
	p.t.Helper()
	loaded := p.WaitEvent(&proto.PageLoadEventFired{})
	p.click(selector)
	loaded()
}

// until waits for a JavaScript function to return a truthy value.
func (p *tab) until(condition string) {
	p.t.Helper()
	must(p.t, p.Timeout(time.Minute).Wait(rod.Eval(condition)))
}
