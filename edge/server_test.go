package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"), // fasthttp's clock, one per process
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

func TestAcceptedJob(t *testing.T) {
	d := newFixture(t)
	a := d.do("POST", "/html-to-pdf", `{"html":"<h1>Hi</h1>","options":{"format":"letter","landscape":true,"margin":{"top":"1in","left":null},"print_background":false,"scale":1.5,
		"header_template":"h","footer_template":"f","user_password":"p"}}`)
	var created struct {
		JobID  string `json:"job_id"`
		Status string `json:"status"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal([]byte(a.body), &created); err != nil || a.StatusCode != 202 || created.Status != "queued" || created.Detail != "Job queued" {
		t.Fatalf("%d %s (%v)", a.StatusCode, a.body, err)
	}
	submit := d.commands[0].(events.Submission)
	want := events.PrintOptions{
		Paper:    contract.Paper{Format: "Letter", Landscape: true, SizeGiven: true, MarginTop: "1in", OmitBackground: true, Scale: 1.5, Header: "safe h", Footer: "safe f"},
		Password: events.Sealed("sealed p"),
	}
	if submit.Job.String() != created.JobID || submit.Key != "key" || submit.Content.HTML != "<h1>Hi</h1>" || !reflect.DeepEqual(submit.Content.Print, want) {
		t.Errorf("command is %+v", submit)
	}
	if a := d.do("POST", "/markdown-to-pdf", `{"markdown":"hello","options":null}`); a.StatusCode != 202 {
		t.Errorf("markdown: %d %s", a.StatusCode, a.body)
	}
	if got := d.commands[1].(events.Submission); got.Content.HTML != "<p>hello" || got.Content.Print.Format != "A4" || got.Operation != events.MarkdownToPDF {
		t.Errorf("command is %+v", got)
	}
}

// Every invalid input gets its status, and none reaches a shard.
func TestBadInput(t *testing.T) {
	d := newFixture(t)
	fits, tooLong := strings.Repeat("x", contract.MaxContent), strings.Repeat("x", contract.MaxContent+1)
	for _, tc := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		contains                 string
	}{
		{"no key", "POST", "/html-to-pdf", `{"html":"x"}`, []string{"X-API-Key", ""}, 401, "X-API-Key"},
		{"unknown key", "POST", "/html-to-pdf", `{"html":"x"}`, []string{"X-API-Key", "sk_live_000000000000000000000000000000000"}, 401, "INVALID_API_KEY"},
		{"key before body", "POST", "/html-to-pdf", `{`, []string{"X-API-Key", "x"}, 401, "INVALID_API_KEY"},
		{"no key for status", "GET", "/jobs/" + events.NewJobID().String(), "", []string{"X-API-Key", ""}, 401, "INVALID_API_KEY"},
		{"no body", "POST", "/html-to-pdf", ``, nil, 422, "Field required"},
		{"broken JSON", "POST", "/html-to-pdf", `{"html":`, nil, 422, "json_invalid"},
		{"two values", "POST", "/html-to-pdf", `{"html":"x"} {}`, nil, 422, "json_invalid"},
		{"not an object", "POST", "/html-to-pdf", `["x"]`, nil, 422, "model_attributes_type"},
		{"compressed", "POST", "/html-to-pdf", "\x1f\x8b\x08", []string{"Content-Encoding", "gzip"}, 415, `Content-Encoding \"gzip\"`},
		{"compressed twice", "POST", "/markdown-to-pdf", `{"markdown":"x"}`, []string{"Content-Encoding", "identity, x-<" + strings.Repeat("x", 5_000)}, 415, "UNSUPPORTED_CONTENT_ENCODING"},
		{"compressed, key first", "POST", "/html-to-pdf", "x", []string{"Content-Encoding", "br", "X-API-Key", "x"}, 401, "INVALID_API_KEY"},
		{"compressed, large", "POST", "/html-to-pdf", strings.Repeat(" ", 1<<20), []string{"Content-Encoding", "br"}, 415, `Content-Encoding \"br\"`},
		{"compressed, too large", "POST", "/html-to-pdf", strings.Repeat(" ", contract.MaxBody+1), []string{"Content-Encoding", "br"}, 415, `Content-Encoding \"br\"`},
		{"a form", "POST", "/html-to-pdf", "html=x", []string{"Content-Type", "application/x-www-form-urlencoded"}, 422, "JSON decode error: the body is a form (application/x-www-form-urlencoded)"},
		{"parts", "POST", "/html-to-pdf", "--x\r\n\r\n--x--", []string{"Content-Type", "multipart/form-data; boundary=x"}, 422, "JSON decode error: the body is a form (multipart/form-data)"},
		{"UTF-16", "POST", "/html-to-pdf", "\xff\xfe{\x00", nil, 422, "JSON decode error: the body is UTF-16"},
		{"Latin-1", "POST", "/html-to-pdf", "{\"html\":\"\xe9\"}", []string{"Content-Type", "application/json; charset=iso-8859-1"}, 422, "its Content-Type says iso-8859-1"},
		{"missing field", "POST", "/html-to-pdf", `{}`, nil, 422, `"loc":["body","html"],"msg":"Field required","type":"missing"`},
		{"null for required", "POST", "/html-to-pdf", `{"html":null}`, nil, 422, "string_type"},
		{"unknown field", "POST", "/markdown-to-pdf", `{"markdown":"x","css":"y"}`, nil, 422, `["body","css"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"`},
		{"format", "POST", "/html-to-pdf", `{"html":"x","options":{"format":"B5"}}`, nil, 422, "Input should be 'A4', 'A3', 'Letter', 'Legal', 'Tabloid', 'A0', 'A1', 'A2', 'A5', 'A6' or 'Ledger'"},
		{"scale below", "POST", "/html-to-pdf", `{"html":"x","options":{"scale":0.49}}`, nil, 422, "greater than or equal to 0.5"},
		{"scale above", "POST", "/html-to-pdf", `{"html":"x","options":{"scale":2.01}}`, nil, 422, "less than or equal to 2"},
		{"margin unit", "POST", "/html-to-pdf", `{"html":"x","options":{"margin":{"top":"1em"}}}`, nil, 422, "Value error, margin"},
		{"empty HTML", "POST", "/html-to-pdf", `{"html":""}`, nil, 400, "empty-html"},
		{"empty once sanitised", "POST", "/html-to-pdf", `{"html":"<script>"}`, nil, 400, "empty-html"},
		{"bad markdown", "POST", "/markdown-to-pdf", `{"markdown":"bad"}`, nil, 422, "too deep"},
		{"markdown too long", "POST", "/markdown-to-pdf", `{"markdown":"` + strings.Repeat("é", contract.MaxMarkdown+1) + `"}`, nil, 422, "at most 100000 characters"},
		{"content too long", "POST", "/html-to-pdf", `{"html":"` + tooLong + `"}`, nil, 413, "payload-too-large-for-queue"},
		{"body too long", "POST", "/html-to-pdf", strings.Repeat(" ", contract.MaxBody+1), nil, 413, "8 MiB"},
		{"body too long without key", "POST", "/html-to-pdf", strings.Repeat(" ", contract.MaxBody+1), []string{"X-API-Key", "x"}, 401, "INVALID_API_KEY"},
		{"unknown job", "GET", "/jobs/" + events.NewJobID().String(), "", nil, 404, "job-not-found"},
		{"malformed job", "GET", "/jobs/42", "", nil, 404, "job-not-found"},
		{"unknown file", "GET", "/jobs/" + events.NewJobID().String() + "/download", "", nil, 404, "job-not-found"},
		{"unknown path", "GET", "/nope", "", nil, 404, "NOT_FOUND"},
		{"deeper path", "GET", "/jobs/a/b/download", "", nil, 404, "NOT_FOUND"},
		{"wrong method", "GET", "/html-to-pdf", "", nil, 405, "METHOD_NOT_ALLOWED"},
	} {
		a := d.do(tc.method, tc.path, tc.body, tc.headers...)
		if a.StatusCode != tc.status || !strings.Contains(a.body, tc.contains) {
			t.Errorf("%s: got %d %.300s, want %d with %q", tc.name, a.StatusCode, a.body, tc.status, tc.contains)
		}
		if a.StatusCode != 422 || !strings.Contains(a.body, `"detail":[`) {
			a.problemOf(t)
		}
	}
	if len(d.commands) != 0 {
		t.Errorf("bad input made %d commands", len(d.commands))
	}
	if a := d.do("POST", "/html-to-pdf", `{"html":"`+fits+`"}`); a.StatusCode != 202 {
		t.Errorf("content at the limit: %d", a.StatusCode)
	}
	if a := d.do("POST", "/markdown-to-pdf", `{"markdown":"`+strings.Repeat("é", contract.MaxMarkdown)+`"}`); a.StatusCode != 202 {
		t.Errorf("markdown at the limit: %d", a.StatusCode)
	}
	padded := `{"html":"x"}`
	if a := d.do("POST", "/html-to-pdf", padded+strings.Repeat(" ", contract.MaxBody-len(padded))); a.StatusCode != 202 {
		t.Errorf("body at the limit: %d %s", a.StatusCode, a.body)
	}
}

// All violations are reported at once.
func TestAllViolationsAtOnce(t *testing.T) {
	d := newFixture(t)
	a := d.do("POST", "/html-to-pdf", `{"html":1,"x":1,"options":{"format":1,"landscape":"yes","scale":"1","margin":3}}`)
	var body struct {
		Detail []struct {
			Loc  []any
			Type string
		}
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || len(body.Detail) != 6 {
		t.Fatalf("%d violations (%v): %s", len(body.Detail), err, a.body)
	}
}

func TestRefusals(t *testing.T) {
	d := newFixture(t)
	for _, tc := range []struct {
		reply  events.Reply
		err    error
		status int
		code   string
		after  string
	}{
		{events.Reply{Code: events.ConcurrencyLimit, RetryAfter: 5}, nil, 429, "CONCURRENCY_LIMIT_EXCEEDED", "5"},
		{events.Reply{Code: events.QuotaExceeded}, nil, 402, "QUOTA_EXCEEDED", ""},
		{events.Reply{Code: events.Suspended}, nil, 403, "ACCOUNT_SUSPENDED", ""},
		{events.Reply{Code: events.QuotaBytesExceeded, RetryAfter: 77}, nil, 429, "QUOTA_BYTES_EXCEEDED", "77"},
		{events.Reply{Code: events.NoSuchKey}, nil, 401, "INVALID_API_KEY", ""},
		{events.Reply{Code: events.Internal}, nil, 500, "INTERNAL_ERROR", ""},
		{events.Reply{}, errors.New("no owner"), 503, "UNAVAILABLE", "2"},
		{events.Reply{}, fmt.Errorf("x: %w", eventlog.ErrTooLarge), 413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", ""},
	} {
		d.reply, d.err = tc.reply, tc.err
		a := d.do("POST", "/html-to-pdf", `{"html":"x"}`)
		p := a.problemOf(t)
		if a.StatusCode != tc.status || p.Error != tc.code || a.Header.Get("Retry-After") != tc.after || strings.Contains(a.body, "no owner") {
			t.Errorf("%+v %v: got %d %s, Retry-After %q", tc.reply, tc.err, a.StatusCode, a.body, a.Header.Get("Retry-After"))
		}
	}
}

func TestStatus(t *testing.T) {
	d := newFixture(t)
	queued, done := events.NewJobID(), events.NewJobID()
	d.fresh[queued] = projections.Job{Account: "acc", Status: events.StatusQueued, Created: 1_700_000_000_123}
	d.jobs[done] = projections.Job{
		Account: "acc", Status: events.StatusDone, Created: 1_700_000_000_000, Finished: 1_700_000_001_000, Expires: 1_700_086_401_000,
		File: events.File{Name: "f", Size: 1536, Pages: 2}, Metrics: events.Metrics{PageLoad: 3, Processing: 4, Total: 9},
	}
	for id, want := range map[events.JobID]string{
		queued: `{"status":"queued","created_at":"2023-11-14T22:13:20.123Z","finished_at":null,"expires_at":null,"test":false,"pages_count":null,"error_code":null,"error_detail":null,"warnings":[],"metrics":null}`,
		done: `{"status":"done","created_at":"2023-11-14T22:13:20.000Z","finished_at":"2023-11-14T22:13:21.000Z","expires_at":"2023-11-15T22:13:21.000Z","test":false,"pages_count":2,"error_code":null,` +
			`"error_detail":null,"warnings":[],"metrics":{"file_size_bytes":1536,"file_size_human":"1.5 KB","page_load_ms":3,"processing_ms":4,"total_duration_ms":9,"page_count":2}}`,
	} {
		a := d.do("GET", "/jobs/"+id.String(), "")
		if a.StatusCode != 200 || a.body != want || !json.Valid([]byte(a.body)) {
			t.Errorf("got %d %s\nwant %s", a.StatusCode, a.body, want)
		}
	}
	d.caught = context.DeadlineExceeded
	if a := d.do("GET", "/jobs/"+events.NewJobID().String(), ""); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("a replica that lags: %d %s", a.StatusCode, a.body)
	}
}

func TestDownload(t *testing.T) {
	d := newFixture(t)
	in := func(j projections.Job) string {
		id := events.NewJobID()
		j.Account = "acc"
		d.jobs[id] = j
		return "/jobs/" + id.String() + "/download"
	}
	later, before := events.At(time.Now().Add(time.Hour)), events.At(time.Now().Add(-time.Second))
	done := in(projections.Job{Status: events.StatusDone, Expires: later, File: events.File{Name: "f.pdf", Size: 16}})
	a := d.do("GET", done, "")
	if a.StatusCode != 200 || a.body != "content of f.pdf" || a.Header.Get("Content-Type") != "application/pdf" ||
		a.Header.Get("Accept-Ranges") != "none" || a.ContentLength != 16 || !strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename="`) {
		t.Errorf("got %d %q %v", a.StatusCode, a.body, a.Header)
	}
	for path, want := range map[string]int{
		in(projections.Job{Status: events.StatusQueued}):                                                    404,
		in(projections.Job{Status: events.StatusFailed}):                                                    404,
		in(projections.Job{Status: events.StatusDone, Expires: before, File: events.File{Name: "missing"}}): 410,
		in(projections.Job{Status: events.StatusDone, Expires: later, Gone: true}):                          410,
		in(projections.Job{Status: events.StatusDone, Expires: later, File: events.File{Name: "missing"}}):  500,
	} {
		if a := d.do("GET", path, ""); a.StatusCode != want {
			t.Errorf("got %d %s, want %d", a.StatusCode, a.body, want)
		} else {
			a.problemOf(t)
		}
	}
	// Whether a file has expired is decided by the account, but for HEAD.
	expired := in(projections.Job{Status: events.StatusDone, Expires: before, File: events.File{Name: "f.pdf", Size: 16}})
	if a := d.do("HEAD", expired, ""); a.StatusCode != 410 {
		t.Errorf("HEAD of an expired file: %d", a.StatusCode)
	}
	if a := d.do("GET", expired, ""); a.StatusCode != 200 {
		t.Errorf("GET of a file that the account grants: %d", a.StatusCode)
	}
}

func TestOperations(t *testing.T) {
	d := newFixture(t)
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n", "/metrics": "metrics"} {
		if a := d.do("GET", path, "", "X-API-Key", ""); a.StatusCode != 200 || a.body != want {
			t.Errorf("%s: %d %q", path, a.StatusCode, a.body)
		}
	}
	d.ready = errors.New("replica: behind")
	if a := d.do("GET", "/readyz", ""); a.StatusCode != 503 || !strings.Contains(a.body, "behind") {
		t.Errorf("not ready: %d %q", a.StatusCode, a.body)
	}
}

// A well-formed request id is kept, any other is replaced.
func TestRequestID(t *testing.T) {
	d := newFixture(t)
	if a := d.do("GET", "/nope", "", "X-Request-Id", "trace-1.2:3"); a.Header.Get("X-Request-Id") != "trace-1.2:3" {
		t.Errorf("got %q", a.Header.Get("X-Request-Id"))
	}
	for _, bad := range []string{"a b", `"`, strings.Repeat("x", 129)} {
		if a := d.do("GET", "/nope", "", "X-Request-Id", bad); a.Header.Get("X-Request-Id") == bad || len(a.Header.Get("X-Request-Id")) != 36 {
			t.Errorf("%q became %q", bad, a.Header.Get("X-Request-Id"))
		}
	}
}

// Malformed HTTP gets a response that says so, and the connection is closed.
func TestMalformedHTTP(t *testing.T) {
	d := newFixture(t)
	for raw, want := range map[string]string{
		"NONSENSE\r\n\r\n": "HTTP/1.1 400",
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 20<<10) + "\r\n\r\n": "HTTP/1.1 431",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(raw)); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(conn)
		if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("read: %v", err)
		}
		if !bytes.HasPrefix(b, []byte(want)) {
			t.Errorf("%.20q: got %.200q, want %s", raw, b, want)
		}
		_ = conn.Close()
	}
}

// A job that would be refused is not sent to its account, unless the refusal vanishes when the
// read models catch up.
func TestForeseenRefusals(t *testing.T) {
	limit := events.Reply{Code: events.QuotaExceeded}
	for name, tc := range map[string]struct {
		foresee []events.Reply
		caught  error
		room    error
		status  int
		sent    int
	}{
		"refused":                         {[]events.Reply{limit, limit}, nil, nil, 402, 0},
		"refused by what was old":         {[]events.Reply{limit}, nil, nil, 202, 1},
		"the read models do not catch up": {[]events.Reply{limit, limit}, errors.New("late"), nil, 202, 1},
		"no room":                         {nil, nil, errors.New("disk full"), 503, 0},
	} {
		d := newFixture(t)
		d.foresee, d.caught, d.room = tc.foresee, tc.caught, tc.room
		a := d.do("POST", "/html-to-pdf", `{"html":"<p>x</p>"}`)
		if a.StatusCode != tc.status || len(d.commands) != tc.sent {
			t.Errorf("%s: %d with %d commands sent, want %d with %d", name, a.StatusCode, len(d.commands), tc.status, tc.sent)
		}
		if tc.status == 503 && (a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "short of storage")) {
			t.Errorf("%s: %v %s", name, a.Header, a.body)
		}
	}
}

// A node that cannot read its rows or files answers 503: another node may be able to, or this one later.
func TestUnreadable(t *testing.T) {
	d, broken := newFixture(t), errors.New("replica store: no space left on device")
	id := events.NewJobID()
	d.jobs[id] = projections.Job{Status: events.StatusDone, Webhook: true, Expires: events.At(time.Now().Add(time.Hour)), File: events.File{Name: "broken"}}
	path := "/jobs/" + id.String()
	for what, tc := range map[string]struct {
		path  string
		fails *error
	}{
		"job": {path, &d.unread}, "download": {path + "/download", &d.unread}, "key": {path, &d.noCaller}, "attempts": {path + "/webhooks", &d.noAttempts}, "list": {"/jobs", &d.err},
		"file": {path: path + "/download", fails: new(error)},
	} {
		*tc.fails = broken
		if a := d.do("GET", tc.path, ""); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || strings.Contains(a.body, "space") || !strings.Contains(a.body, "could not be read") {
			t.Errorf("%s: %d %s", what, a.StatusCode, a.body)
		}
		*tc.fails = nil
	}
}

// While the read models cannot catch up, for whatever reason, a miss proves nothing: 503, not 404, 401 or 500.
func TestBehind(t *testing.T) {
	d := newFixture(t)
	d.caught = errors.New("the log cannot be asked")
	if a := d.do("GET", "/jobs/"+events.NewJobID().String(), ""); a.StatusCode != 503 {
		t.Errorf("an unknown job: %d %s", a.StatusCode, a.body)
	}
	d.hash = [32]byte{}
	if a := d.do("GET", "/jobs/"+events.NewJobID().String(), ""); a.StatusCode != 503 {
		t.Errorf("an unknown key: %d %s", a.StatusCode, a.body)
	}
}
