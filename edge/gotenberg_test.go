package edge

import (
	"bytes"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"

	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// serveGotenberg serves the Gotenberg routes of a fixture, and returns their base URL.
func (d *fixture) serveGotenberg(t *testing.T) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = d.server.ServeGotenberg(l) }() // until the fixture shuts the server down
	return "http://" + l.Addr().String()
}

// gotenbergForm posts a form; a name with a dot is a file.
func gotenbergForm(t *testing.T, to string, fields, headers map[string]string) (*http.Response, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if !strings.Contains(name, ".") {
			_ = w.WriteField(name, value)
			continue
		}
		part, _ := w.CreateFormFile("files", name)
		_, _ = part.Write([]byte(value))
	}
	_ = w.Close() // to a buffer: none of this can fail
	req, err := http.NewRequest("POST", to, &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// endsJobs makes every job end at once.
func (d *fixture) endsJobs() {
	d.on = func(body events.CommandBody) *events.Reply {
		if s, is := body.(events.Submission); is {
			d.jobs[s.Job] = projections.Job{Account: "acc", Operation: s.Operation, Status: events.StatusDone, File: events.File{Name: "f.pdf", Size: int64(len("content of f.pdf"))}}
		}
		return nil
	}
}

// A Gotenberg client gets its file, with the requested name and trace, whichever way it sends its key.
func TestGotenberg(t *testing.T) {
	d := newFixture(t)
	d.endsJobs()
	at := d.serveGotenberg(t) + "/forms/chromium/convert/html"
	large := strings.Repeat("x", smallBody+1)
	for name, headers := range map[string]map[string]string{
		"header": {"X-API-Key": d.secret},
		"basic":  {"Authorization": "Basic " + basic("anyone", d.secret)},
		"bearer": {"Authorization": "Bearer " + d.secret},
	} {
		headers["Gotenberg-Trace"], headers["Gotenberg-Output-Filename"] = "trace-1", "../report é"
		for _, html := range []string{"<p>x", large} {
			d.commands = nil
			answer, body := gotenbergForm(t, at, map[string]string{"index.html": html, "a.css": "p{}"}, headers)
			if answer.StatusCode != 200 || body != "content of f.pdf" || answer.Header.Get("Gotenberg-Trace") != "trace-1" ||
				answer.Header.Get("Content-Disposition") != "attachment; filename*=utf-8''report%20%C3%A9.pdf" {
				t.Fatalf("%s: %d %q %.300s", name, answer.StatusCode, answer.Header, body)
			}
			if c := d.commands[0].(events.Submission).Content; c.HTML != html || !c.Full || len(c.Assets) != 1 {
				t.Errorf("%s: submitted %.100q", name, c.HTML)
			}
		}
	}
	if d.server.BodyBytes() != 0 {
		t.Errorf("%d bytes are still reserved", d.server.BodyBytes())
	}
}

func basic(user, password string) string {
	req := &http.Request{Header: http.Header{}}
	req.SetBasicAuth(user, password)
	return strings.TrimPrefix(req.Header.Get("Authorization"), "Basic ")
}

// Errors are plain texts, with the statuses that Gotenberg clients know.
func TestGotenbergErrors(t *testing.T) {
	d := newFixture(t)
	d.endsJobs()
	base := d.serveGotenberg(t)
	key := map[string]string{"X-API-Key": d.secret}
	failed := func(with events.ErrorCode) func() {
		return func() {
			d.on = func(body events.CommandBody) *events.Reply {
				if s, is := body.(events.Submission); is {
					d.jobs[s.Job] = projections.Job{Account: "acc", Status: events.StatusFailed, Error: with}
				}
				return nil
			}
		}
	}
	for name, tc := range map[string]struct {
		path    string
		fields  map[string]string
		headers map[string]string
		before  func()
		status  int
		text    string
	}{
		"no key":            {"/forms/chromium/convert/html", map[string]string{"index.html": "x"}, nil, nil, 401, "Invalid or missing API key: "},
		"no key, large":     {"/forms/chromium/convert/html", map[string]string{"index.html": strings.Repeat("x", smallBody)}, nil, nil, 401, "Invalid or missing API key: "},
		"no key, no form":   {"/forms/chromium/convert/html", nil, nil, nil, 401, "Invalid or missing API key: "},
		"too large, waits":  {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "a.bin": strings.Repeat("x", contract.MaxBody)}, map[string]string{"X-API-Key": d.secret, "Expect": "100-continue"}, nil, 413, "Payload too large: "},
		"no key, waits":     {"/forms/chromium/convert/html", map[string]string{"index.html": strings.Repeat("x", smallBody)}, map[string]string{"Expect": "100-continue"}, nil, 401, "Invalid or missing API key: "},
		"a wrong field":     {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "scale": "big"}, key, nil, 400, "scale must be a number"},
		"a bound of ours":   {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "scale": "3"}, key, nil, 400, "scale: "},
		"another name":      {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "marginTop": "-1"}, key, nil, 400, "marginTop: "},
		"another route":     {"/forms/libreoffice/convert", map[string]string{"a.docx": "x"}, key, nil, 404, `POST "/forms/libreoffice/convert" is not supported here`},
		"a webhook":         {"/forms/chromium/convert/html", map[string]string{"index.html": "x"}, map[string]string{"X-API-Key": d.secret, "Gotenberg-Webhook-Url": "http://x"}, nil, 400, "Gotenberg-Webhook-Url is not supported here"},
		"files too large":   {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "a.bin": strings.Repeat("x", contract.MaxBody*3/4)}, key, nil, 400, "the files are too large"},
		"a form too large":  {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "a.bin": strings.Repeat("x", contract.MaxBody)}, key, nil, 413, "Payload too large: "},
		"a job that failed": {"/forms/chromium/convert/html", map[string]string{"index.html": "x"}, key, failed(events.NavigationFailed), 409, "Job failed: NAVIGATION_FAILED: "},
		"no such pages":     {"/forms/chromium/convert/html", map[string]string{"index.html": "x", "nativePageRanges": "9"}, key, failed(events.PageRangeEmpty), 400, "Job failed: PAGE_RANGE_EMPTY: "},
		"no room":           {"/forms/chromium/convert/html", map[string]string{"index.html": "x"}, key, func() { d.reply = events.Reply{Code: events.ConcurrencyLimit, RetryAfter: 5} }, 429, "Too many concurrent jobs: "},
	} {
		d.endsJobs()
		d.reply = events.Reply{Code: events.Accepted}
		if tc.before != nil {
			tc.before()
		}
		answer, body := gotenbergForm(t, base+tc.path, tc.fields, tc.headers)
		if answer.StatusCode != tc.status || !strings.HasPrefix(body, tc.text) || answer.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %s %.300q, want %d %q", name, answer.StatusCode, answer.Header.Get("Content-Type"), body, tc.status, tc.text)
		}
		if answer.Header.Get("Gotenberg-Trace") == "" || strings.HasPrefix(answer.Header.Get("WWW-Authenticate"), `Basic realm="Platen"`) != (tc.status == 401) {
			t.Errorf("%s: %q", name, answer.Header)
		}
	}
	for path, want := range map[string]string{"/health": `"status":"up"`, "/version": "Gotenberg"} {
		answer, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != 200 || !strings.Contains(string(body), want) || answer.Header.Get("Gotenberg-Trace") == "" {
			t.Errorf("%s: %d %s %q", path, answer.StatusCode, body, answer.Header)
		}
	}
}

// A request is counted once, whether its form is right or not, and beyond the rate its form is not read.
func TestGotenbergRate(t *testing.T) {
	d := newFixture(t)
	d.endsJobs()
	counted := 0
	d.server.cfg.Rate = func(events.AccountID, events.Plan) events.Rate { counted++; return d.rate }
	at := d.serveGotenberg(t) + "/forms/chromium/convert/html"
	post := func(fields map[string]string, status int) {
		t.Helper()
		before := counted
		if answer, body := gotenbergForm(t, at, fields, map[string]string{"X-API-Key": d.secret}); answer.StatusCode != status || counted != before+1 {
			t.Errorf("%d %s, counted %d times", answer.StatusCode, body, counted-before)
		}
	}
	post(map[string]string{"index.html": "x"}, 200)
	post(map[string]string{"index.html": strings.Repeat("x", smallBody)}, 200)
	post(nil, 400)
	d.rate.Allowed = false
	post(nil, 429)
}

// A request without a key uses the configured one. The API's own listener has neither that key nor these routes.
func TestGotenbergKey(t *testing.T) {
	d := newFixture(t)
	d.endsJobs()
	d.server.cfg.GotenbergKey = d.secret
	base := d.serveGotenberg(t)
	fields := map[string]string{"url": "https://example.com/"}
	if answer, body := gotenbergForm(t, base+"/forms/chromium/screenshot/url", fields, nil); answer.StatusCode != 200 {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	if answer, body := gotenbergForm(t, base+"/forms/chromium/screenshot/url", fields, map[string]string{"Authorization": "Bearer sk_live_wrong"}); answer.StatusCode != 401 {
		t.Errorf("with a wrong key: %d %s", answer.StatusCode, body)
	}
	if answer, body := gotenbergForm(t, d.url+"/forms/chromium/screenshot/url", fields, nil); answer.StatusCode != 404 {
		t.Errorf("at the API: %d %s", answer.StatusCode, body)
	}
}

// A small form that includes a file of Markdown many times takes a turn of its account, and memory like any large body.
func TestGotenbergFormsGrow(t *testing.T) {
	d := newFixture(t)
	d.endsJobs()
	var held int
	var reserved int64
	d.server.cfg.Documents.Fragment = func(source string, _ int) (string, error) {
		held, _ = d.server.submissions.turns.Held()
		return source, nil
	}
	d.server.cfg.Foresee = func(events.AccountID, events.SubmitJob) (events.Reply, bool) {
		reserved = d.server.BodyBytes()
		return events.Reply{}, false
	}
	files := map[string]string{"index.html": strings.Repeat(`{{toHTML "a.md"}}`, 480), "a.md": strings.Repeat("x", 7_000)}
	at, key := d.serveGotenberg(t)+"/forms/chromium/convert/markdown", map[string]string{"X-API-Key": d.secret}
	if answer, body := gotenbergForm(t, at, files, key); answer.StatusCode != 200 || held != 1 || reserved < 480*7_000 {
		t.Errorf("%d %.200s: %d turns were held, %d bytes were reserved", answer.StatusCode, body, held, reserved)
	}
	share, err := d.server.bodies.Take("acc", transport.MaxAccountBodies)
	if err != nil {
		t.Fatal(err)
	}
	if answer, body := gotenbergForm(t, at, files, key); answer.StatusCode != 429 {
		t.Errorf("%d %.200s without memory for the account", answer.StatusCode, body)
	}
	if answer, body := gotenbergForm(t, at, map[string]string{"index.html": "small"}, key); answer.StatusCode != 200 {
		t.Errorf("%d %.200s: a small form needs none", answer.StatusCode, body)
	}
	share.Release()
	if answer, body := gotenbergForm(t, at, map[string]string{"index.html": `{{toHTML "b.md"}}`}, key); answer.StatusCode != 400 || answer.Header.Get("X-RateLimit-Limit") == "0" {
		t.Errorf("%d %v %.200s", answer.StatusCode, answer.Header, body)
	}
	if n := d.server.BodyBytes(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// A fault of the translation is a 500, as any other.
func TestGotenbergPanics(t *testing.T) {
	d := newFixture(t)
	d.server.cfg.Documents.Fragment = func(string, int) (string, error) { panic("a fault of the converter") }
	answer, body := gotenbergForm(t, d.serveGotenberg(t)+"/forms/chromium/convert/markdown",
		map[string]string{"index.html": `{{toHTML "a.md"}}`, "a.md": "x"}, map[string]string{"X-API-Key": d.secret})
	if answer.StatusCode != 500 || strings.Contains(body, "converter") || answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d %v %s", answer.StatusCode, answer.Header, body)
	}
}
