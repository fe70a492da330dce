package convert

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

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
