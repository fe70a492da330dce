package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/testkit"
)

// screen is a browser that reaches only this machine.
type screen struct {
	browser *rod.Browser
	address string // of a node
}

// newScreen starts a browser for the node at an address.
func newScreen(t *testing.T, address string) *screen {
	t.Helper()
	process, err := chromium.Launch(chromium.Options{Proxy: "http://" + thisMachine(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close(context.Background()) })
	s := &screen{browser: rod.New().Client(cdp.New().Start(process.Pipe)).NoDefaultDevice(), address: address}
	if err := s.browser.Connect(); err != nil {
		t.Fatal(err)
	}
	return s
}

// thisMachine is a proxy to the servers of this machine, which leaves no trace in requests.
func thisMachine(t *testing.T) (address string) {
	t.Helper()
	forward := &httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), // it names requests that a page gave up
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := r.URL.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() {
			http.Error(w, "there is no network but this machine", http.StatusForbidden)
			return
		}
		// The server closes a body when the answer comes, and the transport then gives the answer up if it still waits for the body's end.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.Listener.Addr().String()
}

// window is a page of somebody with cookies of its own, and what its console says.
type window struct {
	*rod.Page
	t       *testing.T
	address string

	mu      sync.Mutex
	said    []string // errors and warnings
	visited []string // paths whose pages were loaded
	ended   bool
}

// watching has every page tell the console where it is, what it is called and how many main headings it has, and what
// its policy forbids.
const watching = `addEventListener('DOMContentLoaded', () => console.debug('visited', location.pathname, document.title !== '', document.querySelectorAll('h1').length));
addEventListener('securitypolicyviolation', (e) => console.error('forbidden', e.violatedDirective, e.blockedURI));`

// open opens a window without cookies. When the test ends its console must contain only expected lines.
func (s *screen) open(t *testing.T) *window {
	t.Helper()
	alone, err := s.browser.Incognito()
	if err != nil {
		t.Fatal(err)
	}
	p, err := alone.Page(proto.TargetCreateTarget{})
	if err != nil {
		t.Fatal(err)
	}
	w := &window{Page: p.Timeout(2 * testkit.Patience), t: t, address: s.address}
	go w.EachEvent(
		w.console,
		func(e *proto.RuntimeExceptionThrown) { w.note("exception " + e.ExceptionDetails.Text) },
		func(e *proto.LogEntryAdded) {
			w.note(fmt.Sprintf("%s %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		},
	)()
	_, err = proto.PageAddScriptToEvaluateOnNewDocument{Source: watching}.Call(w)
	w.must(err)
	w.must(proto.LogEnable{}.Call(w))
	w.must(proto.EmulationSetFocusEmulationEnabled{Enabled: true}.Call(w))
	w.must(w.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: 1280, Height: 800, DeviceScaleFactor: 1}))
	return w
}

// console separates what the watching script logs from what pages log.
func (w *window) console(e *proto.RuntimeConsoleAPICalled) {
	var words []string
	for _, arg := range e.Args {
		words = append(words, arg.Value.String())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch line := strings.Join(words, " "); {
	case line == "the end":
		w.ended = true
	case len(words) == 4 && words[0] == "visited":
		if w.visited = append(w.visited, words[1]); words[2] != "true" || words[3] != "1" {
			w.said = append(w.said, fmt.Sprintf("%s has a title: %s, main headings: %s", words[1], words[2], words[3]))
		}
	default:
		w.said = append(w.said, string(e.Type)+" "+line)
	}
}

func (w *window) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, line)
}

// quiet fails the test if the console has said anything but lines with the expected words, or if the paths were not visited.
func (w *window) quiet(paths []string, expected ...string) {
	w.t.Helper()
	w.eval(`() => { console.debug('the end'); return ''; }`)
	testkit.Eventually(w.t, "the console's last words", func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.ended })
	for _, line := range w.said {
		if !slices.ContainsFunc(expected, func(words string) bool { return strings.Contains(line, words) }) {
			w.t.Errorf("the console says %q", line)
		}
	}
	for _, path := range paths {
		if !slices.Contains(w.visited, path) {
			w.t.Errorf("%s was not looked at, but %q", path, w.visited)
		}
	}
}

func (w *window) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// visit goes to a path as if typed.
func (w *window) visit(path string) {
	w.t.Helper()
	w.leave(func() { w.must(w.Navigate(w.address + path)) })
}

// leave waits for the page that do leads to.
func (w *window) leave(do func()) {
	w.t.Helper()
	loaded := w.WaitEvent(&proto.PageLoadEventFired{})
	do()
	loaded()
	if w.GetContext().Err() != nil {
		w.t.Fatal("no page came")
	}
}

// eval returns what a function of JavaScript returns, as text.
func (w *window) eval(function string, args ...any) string {
	w.t.Helper()
	answer, err := w.Evaluate(rod.Eval(function, args...).ByPromise())
	w.must(err)
	return answer.Value.Str()
}

// until waits for a function of JavaScript to return something true.
func (w *window) until(condition string, args ...any) {
	w.t.Helper()
	// A page that is being left does not answer.
	is := func() bool {
		answer, err := w.Evaluate(rod.Eval(condition, args...))
		return err == nil && answer.Value.Bool()
	}
	if !testkit.Becomes(is) {
		w.t.Fatalf("not on %s: %s %v; it shows:\n%s", w.path(), condition, args, w.text())
	}
}

// shows waits until an element that matches has a text.
func (w *window) shows(selector, text string) {
	w.t.Helper()
	w.until(`(selector, text) => [...document.querySelectorAll(selector)].some((e) => e.checkVisibility() && e.textContent.includes(text))`, selector, text)
}

func (w *window) path() string { w.t.Helper(); return w.eval(`() => location.pathname`) }
func (w *window) text() string { w.t.Helper(); return w.eval(`() => document.body.innerText`) }

// value is the text of the only element that matches.
func (w *window) value(selector string) string {
	w.t.Helper()
	return w.eval(`(selector) => { const all = document.querySelectorAll(selector); return all.length === 1 ? all[0].textContent : all.length + ' elements match'; }`, selector)
}

// has reports whether anything visible matches.
func (w *window) has(selector string) bool {
	w.t.Helper()
	return w.eval(`(selector) => String([...document.querySelectorAll(selector)].some((e) => e.checkVisibility()))`, selector) == "true"
}

// aim finds what somebody sees who looks for a control with a text, and says where its middle is; nothing must cover it.
const aim = `(selector, text) => {
	const all = [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility() && e.textContent.includes(text));
	if (all.length !== 1) throw new Error(all.length + ' controls are ' + selector + ' ' + text);
	all[0].scrollIntoView({block: 'center', behavior: 'instant'});
	const box = all[0].getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
	if (!all[0].contains(document.elementFromPoint(x, y))) throw new Error('something covers ' + selector + ' ' + text);
	return x + ' ' + y;
}`

// click clicks the only control that matches and has a text.
func (w *window) click(selector, text string) {
	w.t.Helper()
	var at proto.Point
	_, err := fmt.Sscan(w.eval(aim, selector, text), &at.X, &at.Y)
	w.must(err)
	w.must(w.Mouse.MoveTo(at))
	w.must(w.Mouse.Click(proto.InputMouseButtonLeft, 1))
}

// follow clicks a link to another page.
func (w *window) follow(selector, text string) {
	w.t.Helper()
	w.leave(func() { w.click(selector, text) })
}

// fill types a text into an empty field.
func (w *window) fill(selector, text string) {
	w.t.Helper()
	w.click(selector, "")
	w.must(w.InsertText(text))
}

// signInDemo signs in to the business account with one click.
func (w *window) signInDemo() {
	w.t.Helper()
	w.visit("/dashboard/sign-in")
	w.follow(".demo button", "Business")
	w.shows("h1", "Overview")
}

// press presses keys one after another.
func (w *window) press(keys ...input.Key) {
	w.t.Helper()
	w.must(w.Keyboard.Type(keys...))
}

// focused describes the element with the focus.
const focused = `() => {
	const e = document.activeElement;
	return [e.localName, e.id && '#' + e.id, e.name && '[' + e.name + '=' + e.value + ']', e.textContent.trim().replace(/\s+/g, ' ').slice(0, 60)].filter(Boolean).join(' ');
}`

// maxStops is more than the stops of any page of the tests.
const maxStops = 80

// tabTo presses a key, such as Tab, until the description of the focused element has all the words.
func (w *window) tabTo(key func(), words ...string) {
	w.t.Helper()
	var met []string
	for range maxStops {
		key()
		at := w.eval(focused)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(at, word) }) {
			return
		}
		met = append(met, at)
	}
	w.t.Fatalf("%s: the keyboard does not reach %q, but\n%s", w.path(), words, strings.Join(met, "\n"))
}

// forwards and backwards are where the Tab key leads.
func (w *window) forwards() { w.press(input.Tab) }

func (w *window) backwards() {
	w.must(w.KeyActions().Press(input.ShiftLeft).Type(input.Tab).Do())
}

// write types a text key by key.
func (w *window) write(text string) {
	w.t.Helper()
	for _, r := range text {
		w.press(input.Key(r))
	}
}
