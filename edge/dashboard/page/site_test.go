package page_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/edge/dashboard/page"
)

// policy is what the dashboard's handlers send with every page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// site shows the pages of the tests at /NAME in a browser of its own.
type site struct {
	server  *httptest.Server
	browser *rod.Browser
	// events are sent to the page that listens at a live address.
	events chan string
	mu     sync.Mutex
	forms  []string // what was posted
}

// newSite serves views. Its server is the browser's proxy, so that there is no other network.
func newSite(t *testing.T, views []view) *site {
	t.Helper()
	s := &site{events: make(chan string)}
	s.server = httptest.NewServer(s.handler(t, views))
	process, err := chromium.Launch(chromium.Options{Proxy: "http://" + s.server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	s.browser = rod.New().Client(cdp.New().Start(process.Pipe)).NoDefaultDevice()
	t.Cleanup(func() {
		process.Close(context.Background())
		s.server.CloseClientConnections()
		s.server.Close()
	})
	must(t, s.browser.Connect())
	return s
}

func (s *site) handler(t *testing.T, views []view) http.Handler {
	bodies := map[string][]byte{}
	for _, v := range views {
		bodies["/"+v.name] = written(t, v.v)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			s.posted(r)
		}
		if strings.HasSuffix(r.URL.Path, "/live") || strings.HasSuffix(r.URL.Path, "/result") {
			s.stream(w, r)
			return
		}
		if body, kind, ok := page.Asset(r.URL.Path); ok {
			w.Header().Set("Content-Type", kind)
			w.Write(body)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "image/png")
			w.Write(qrCode())
			return
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(bodies[r.URL.Path])
	})
}

func (s *site) posted(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		return
	}
	s.forms = append(s.forms, r.URL.Path+"?"+r.PostForm.Encode())
}

func (s *site) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.forms...)
}

func (s *site) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case html := <-s.events:
			fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(html, "\n", "\ndata: "))
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// tab is an open page, with the messages of its console.
type tab struct {
	*rod.Page
	t    *testing.T
	site *site
	mu   sync.Mutex
	said []string
}

// open opens a tab without animations.
func (s *site) open(t *testing.T) *tab {
	t.Helper()
	p, err := s.browser.Page(proto.TargetCreateTarget{})
	must(t, err)
	opened := &tab{Page: p.Timeout(10 * time.Minute), t: t, site: s}
	go opened.EachEvent(
		func(e *proto.RuntimeConsoleAPICalled) { opened.note(fmt.Sprint(e.Type, " ", e.Args)) },
		func(e *proto.RuntimeExceptionThrown) { opened.note(e.ExceptionDetails.Text) },
		func(e *proto.LogEntryAdded) { opened.note(e.Entry.Text) },
	)()
	must(t, proto.LogEnable{}.Call(p))
	return opened
}

// show opens a page in a window of the given width, in one of the two themes.
func (p *tab) show(name string, width int, theme string) {
	p.t.Helper()
	must(p.t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 800, DeviceScaleFactor: 1}))
	must(p.t, proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}.Call(p))
	loaded := p.WaitEvent(&proto.PageLoadEventFired{})
	must(p.t, p.Navigate(p.site.server.URL+"/"+name))
	loaded()
}

func (p *tab) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, line)
}

// quiet fails the test if the console has messages, such as about violations of the policy.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.t.Errorf("the console says %q", p.said)
	}
}

// eval returns the result of a JavaScript function, as text.
func (p *tab) eval(function string, args ...any) string {
	p.t.Helper()
	answer, err := p.Evaluate(rod.Eval(function, args...).ByPromise())
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.Value.Str()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func written(t *testing.T, v any) []byte {
	t.Helper()
	var body bytes.Buffer
	must(t, page.Write(&body, v))
	return body.Bytes()
}
