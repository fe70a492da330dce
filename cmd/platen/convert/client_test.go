package convert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events/testkit"
)

// server answers submits in turn, and has one job that is done at its second look.
type server struct {
	mu      sync.Mutex
	submits []int // the statuses of the next answers
	keys    []string
	looks   int
	job     string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Header.Get("X-API-Key") != "sk":
		w.WriteHeader(401)
		fmt.Fprint(w, `{"title":"Unauthorized","detail":"The key is unknown."}`)
	case r.Method == "POST":
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		status := s.submits[0]
		s.submits = s.submits[1:]
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
		fmt.Fprint(w, map[int]string{202: `{"job_id":"j"}`, 503: `{"title":"Busy"}`, 422: `{"title":"Invalid","detail":[{"loc":["body","options","margin","top"],"msg":"no length"}]}`}[status])
	case strings.HasSuffix(r.URL.Path, "/download"):
		fmt.Fprint(w, "%PDF")
	default:
		if s.looks++; s.looks < 2 {
			fmt.Fprint(w, `{"status":"queued"}`)
			return
		}
		fmt.Fprint(w, s.job)
	}
}

// A submit that a server refuses for now is sent again under its key; what it refuses for good, and a job that fails, say why.
func TestClient(t *testing.T) {
	for name, tc := range map[string]struct {
		submits []int
		job     string
		key     string
		want    string // the file, or a part of the error
		sent    int
	}{
		"at once":     {[]int{202}, `{"status":"done","pages_count":3}`, "sk", "%PDF", 1},
		"busy first":  {[]int{503, 202}, `{"status":"done"}`, "sk", "%PDF", 2},
		"refused":     {[]int{422}, "", "sk", "--margin-top: no length", 1},
		"failed":      {[]int{202}, `{"status":"failed","error_code":"PAGE_TIMEOUT","error_detail":"It took too long."}`, "sk", "PAGE_TIMEOUT: It took too long.", 1},
		"a wrong key": {nil, "", "other", "Unauthorized: The key is unknown.", 0},
	} {
		s := &server{submits: tc.submits, job: tc.job}
		h := httptest.NewServer(s)
		file, _, err := newClient(h.URL+"/", tc.key).convert(testkit.Context(t), "/html-to-pdf", []byte("{}"))
		h.Close()
		if err == nil && string(file) != tc.want || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %q, %v", name, file, err)
		}
		if len(s.keys) != tc.sent || tc.sent == 2 && s.keys[0] != s.keys[1] {
			t.Errorf("%s: submitted with the keys %q", name, s.keys)
		}
	}
}

// Whoever waits long for a server is told what for, once for each state of the job.
func TestProgress(t *testing.T) {
	states := []string{"queued", "queued", "rendering", "rendering", "done"}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST":
			fmt.Fprint(w, `{"job_id":"job-1"}`)
		case strings.HasSuffix(r.URL.Path, "/download"):
			fmt.Fprint(w, "%PDF")
		default:
			fmt.Fprintf(w, `{"status":%q}`, states[0])
			states = states[1:]
		}
	}))
	defer h.Close()
	var said []string
	c := newClient(h.URL, "sk")
	c.say, c.quiet = func(text string) { said = append(said, text) }, 0
	if _, _, err := c.convert(testkit.Context(t), "/html-to-pdf", nil); err != nil || !slices.Equal(said, []string{"job job-1: queued", "job job-1: rendering"}) {
		t.Errorf("%v, told %q", err, said)
	}
}

// A refusal that names a long wait is returned at once. Others are worth some more attempts, also without a wait, as those of proxies are.
func TestLongRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		status   int
		after    string
		requests int
	}{
		"a month's quota": {429, "2592000", 1}, "a rate": {429, "0", 5}, "a proxy's limit": {429, "", 5}, "a long outage": {503, "7200", 1}, "an outage": {503, "", 5},
		"until a date": {429, "Fri, 31 Dec 9999 23:59:59 GMT", 1}, "until a date that is past": {429, "Thu, 01 Jan 1970 00:00:00 GMT", 5},
	} {
		requests := 0
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			if tc.after != "" {
				w.Header().Set("Retry-After", tc.after)
			}
			w.WriteHeader(tc.status)
			fmt.Fprint(w, `{"title":"Refused","detail":"why"}`)
		}))
		c := newClient(h.URL, "sk")
		c.pause = 0
		_, _, err := c.convert(testkit.Context(t), "/html-to-pdf", nil)
		h.Close()
		if err == nil || !strings.HasPrefix(err.Error(), "Refused: why") || requests != tc.requests {
			t.Errorf("%s: %v after %d requests, want %d", name, err, requests, tc.requests)
		}
	}
}

// The key is sent to no other server, wherever this one redirects.
func TestRedirects(t *testing.T) {
	var keys []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { keys = append(keys, r.Header.Get("X-API-Key")) }))
	defer other.Close()
	requests := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer h.Close()
	_, _, err := newClient(h.URL, "sk").convert(testkit.Context(t), "/html-to-pdf", []byte("{}"))
	if err == nil || !strings.Contains(err.Error(), "the server redirects to "+other.URL+": ") || len(keys) > 0 || requests != 1 {
		t.Errorf("%v after %d requests; the keys %q were sent elsewhere", err, requests, keys)
	}
	at := func(address string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for to, follows := range map[string]bool{
		"http://a.example/v1": true, "https://a.example/": true, "https://a.example:8443/": true, "http://a.example:8080/": false, "https://b.example/": false, "https://a.example.org/": false,
	} {
		if err := stay(at(to), []*http.Request{at("http://a.example/")}); (err == nil) != follows {
			t.Errorf("http://a.example/ redirects to %s: %v", to, err)
		}
	}
	if err := stay(at("http://a.example/"), []*http.Request{at("https://a.example/")}); err == nil {
		t.Error("a redirect leaves https")
	}
}

// slow is a file that comes in pieces, with pauses between them.
type slow struct {
	pieces int
	pause  time.Duration
}

func (s *slow) Read(b []byte) (int, error) {
	if s.pieces--; s.pieces < 0 {
		return 0, io.EOF
	}
	time.Sleep(s.pause) // in a bubble of synctest
	return copy(b, "x"), nil
}

func (*slow) Close() error { return nil }

// transport answers every request with a body.
type transport func(*http.Request) io.ReadCloser

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: f(r), Request: r}, nil
}

// A file may take long to come, but not without any progress.
func TestSlowFiles(t *testing.T) {
	for pause, want := range map[time.Duration]string{time.Minute: "xxxxxxxxxx", 3 * time.Minute: "the server does not answer for 2m0s"} {
		synctest.Test(t, func(t *testing.T) {
			c := newClient("http://a.example", "sk")
			c.http.Transport = transport(func(r *http.Request) io.ReadCloser { return cut{&slow{10, pause}, r.Context()} })
			got, err := c.once(t.Context(), "GET", "/file", nil, "")
			if err == nil && string(got) != want || err != nil && !strings.HasSuffix(err.Error(), want) {
				t.Errorf("with pauses of %s: %q, %v", pause, got, err)
			}
		})
	}
}

// cut is a body that ends with a request's context, as those of connections do.
type cut struct {
	io.ReadCloser
	ctx context.Context
}

func (c cut) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	return n, cmp.Or(c.ctx.Err(), err)
}

// A node in this process that cannot render is not waited for.
func TestOwnServer(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			fmt.Fprint(w, `{"job_id":"j"}`)
			return
		}
		fmt.Fprint(w, `{"status":"queued"}`)
	}))
	defer h.Close()
	full, fine := errors.New("the disk is full"), func() error { return nil }
	for want, o := range map[string]*own{
		"nothing can be converted: the disk is full": {full: func() error { return full }, stuck: fine},
		"nothing can be rendered: the disk is full":  {full: fine, stuck: func() error { return full }},
	} {
		c := newClient(h.URL, "sk")
		c.own = o
		if _, _, err := c.convert(testkit.Context(t), "/html-to-pdf", nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A server that cannot be reached is tried some times, and then named.
func TestUnreachable(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	c := newClient(h.URL, "sk")
	c.pause = 0
	if _, _, err := c.convert(testkit.Context(t), "/html-to-pdf", nil); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(h.URL, "http://")) {
		t.Errorf("%v", err)
	}
}

// A violation is named by the flag that has the value, and by its place in there.
func TestViolationText(t *testing.T) {
	for loc, want := range map[string]string{
		`["body","options","margin","top"]`:     "--margin-top: bad",
		`["body","template","blocks",0,"type"]`: "--template: blocks.0.type: bad",
		`["body","render","cookies",1,"value"]`: "--cookies: 1.value: bad",
		`["body","einvoice","rule_sets",0]`:     "--einvoice-rule-sets: 0: bad",
		`["body","something","else"]`:           "something.else: bad",
		`["body","something"]`:                  "bad",
	} {
		var v any
		if err := json.Unmarshal([]byte(`{"loc":`+loc+`,"msg":"bad"}`), &v); err != nil {
			t.Fatal(err)
		}
		if got := violationText(v); got != want {
			t.Errorf("%s: %q, want %q", loc, got, want)
		}
	}
}
