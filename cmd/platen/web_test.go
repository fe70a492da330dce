package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// web is a small site.
func web(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>The title</title><body style="background: #00ff00"><h1>From the web</h1><script>document.body.append("script ran")</script>`)
	})
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		if r.Header.Get("Authorization") != "Bearer t0ken" && (name != "ada" || password != "lovelace") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "let in with "+r.Header.Get("Cookie"))
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<p>x<img src="/gone"><script>undefinedFunction()</script>`)
	})
	mux.HandleFunc("/gone", http.NotFound)
	mux.HandleFunc("/leave", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// ended is the status of a job that has ended.
type ended struct {
	Status  events.Status    `json:"status"`
	Error   events.ErrorCode `json:"error_code"`
	Metrics struct {
		Load  int64 `json:"page_load_ms"`
		Total int64 `json:"total_duration_ms"`
	} `json:"metrics"`
	file []byte
}

// run submits a job, waits for its end and fetches its file.
func (c client) run(t *testing.T, address, operation string, body map[string]any) (e ended) {
	t.Helper()
	id, status, err := c.post(address+"/"+operation, body)
	if status != 202 {
		t.Fatalf("%s: %d %v", operation, status, err)
	}
	testkit.Eventually(t, "job "+id.String()+" ends", func() bool {
		_, answer, err := c.do("GET", address+"/jobs/"+id.String(), nil)
		return err == nil && json.Unmarshal(answer, &e) == nil && (e.Status == events.StatusDone || e.Status == events.StatusFailed)
	})
	if e.Status == events.StatusDone {
		_, e.file, err = c.do("GET", address+"/jobs/"+id.String()+"/download", nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// TestWebPages runs jobs of every kind that opens a page by its URL, and checks their files.
func TestWebPages(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	site := web(t)
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanPro)}

	printed := c.run(t, p.address, "url-to-pdf", map[string]any{
		"url": site.URL + "/page",
		"options": map[string]any{
			"display_header_footer": true, "footer_template": `<span class="title"></span>, <span class="pageNumber"></span> of <span class="totalPages"></span>`,
			"watermark": map[string]any{"text": "DRAFT", "rotation_degrees": 0}, "user_password": "geheim", "compression": map[string]any{"level": 9},
		},
	})
	text := testkit.Tool(t, printed.file, "pdftotext", "-upw", "geheim", "-", "-")
	for _, want := range []string{"From the web", "script ran", "The title, 1 of 1", "DRAFT"} {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF does not show %q:\n%s", want, text)
		}
	}

	captured := c.run(t, p.address, "url-to-image", map[string]any{
		"url": site.URL + "/page", "options": map[string]any{"format": "jpg", "quality": 90, "viewport": map[string]any{"width": 400, "height": 320}},
	})
	picture, format, err := image.Decode(bytes.NewReader(captured.file))
	if err != nil || format != "jpeg" || picture.Bounds().Dx() != 400 || picture.Bounds().Dy() != 320 {
		t.Fatalf("the image is %s of %v (%v)", format, picture.Bounds(), err)
	}
	if r, g, b, _ := picture.At(390, 310).RGBA(); r>>8 > 20 || g>>8 < 235 || b>>8 > 20 {
		t.Errorf("the background is %d %d %d, not green", r>>8, g>>8, b>>8)
	}

	for kind, value := range map[string]string{"basic": "ada:lovelace", "bearer": "t0ken"} {
		guarded := c.run(t, p.address, "url-to-pdf", map[string]any{"url": site.URL + "/guarded", "auth": map[string]any{"type": kind, "value": value}})
		if text := testkit.PDFText(t, guarded.file); !strings.Contains(text, "let in") {
			t.Errorf("%s: the PDF shows %q", kind, text)
		}
	}

	token := map[string]any{"headers": map[string]any{"Authorization": "Bearer t0ken"}, "cookies": []any{map[string]any{"name": "a", "value": "b"}}}
	guarded := c.run(t, p.address, "url-to-pdf", map[string]any{"url": site.URL + "/guarded", "render": token})
	if text := testkit.PDFText(t, guarded.file); !strings.Contains(text, "let in with a=b") {
		t.Errorf("with a header and a cookie the PDF shows %q", text)
	}

	const wait = 1_500
	waited := c.run(t, p.address, "url-to-pdf", map[string]any{"url": site.URL + "/page", "render": map[string]any{"wait_until": "networkidle", "wait_after_load_ms": wait}})
	if waited.Status != events.StatusDone || waited.Metrics.Total < wait || waited.Metrics.Load >= waited.Metrics.Total-wait+1 {
		t.Errorf("a job that waited %d ms says that it loaded for %d ms of %d", wait, waited.Metrics.Load, waited.Metrics.Total)
	}
}

// TestWebFaults checks the error codes of jobs whose page cannot be loaded.
func TestWebFaults(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	site := web(t)
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanPro)}
	nobody := "http://" + testkit.FreePorts(t, 1)[0] + "/"
	for name, tc := range map[string]struct {
		body map[string]any
		want events.ErrorCode
	}{
		"status 404":             {map[string]any{"url": site.URL + "/gone"}, events.NavigationFailed},
		"status 401":             {map[string]any{"url": site.URL + "/guarded"}, events.NavigationFailed},
		"nobody listens":         {map[string]any{"url": nobody}, events.NavigationFailed},
		"redirect to refused":    {map[string]any{"url": site.URL + "/leave"}, events.SSRFBlocked},
		"selector never matches": {map[string]any{"url": site.URL + "/page", "render": map[string]any{"wait_for_selector": "#never", "page_load_timeout_ms": 3000}}, events.SelectorTimeout},
		"function never true":    {map[string]any{"url": site.URL + "/page", "render": map[string]any{"wait_for_function": "window.never", "page_load_timeout_ms": 3000}}, events.FunctionTimeout},
		"part missing":           {map[string]any{"url": site.URL + "/broken", "render": map[string]any{"fail_on_resource_error": true}}, events.ResourceFailed},
		"script fails":           {map[string]any{"url": site.URL + "/broken", "render": map[string]any{"fail_on_script_error": true}}, events.ScriptFailed},
	} {
		if e := c.run(t, p.address, "url-to-pdf", tc.body); e.Status != events.StatusFailed || e.Error != tc.want {
			t.Errorf("%s: got %s %s, want %s", name, e.Status, e.Error, tc.want)
		}
	}
}
