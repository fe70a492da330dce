package conformance

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/edge/openapi/openapitest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
)

// The form of errors, headers that all responses have, and the API description.

var errorRows = []row{
	{"error/request-id", "Errors", "a sane X-Request-Id is kept, another is replaced by a UUID", proveRequestID},
	{"error/header-names", "Limits", "headers are spelled as the contract writes them", proveHeaderNames},
	{"error/every-status", "Limits", "rate headers are on every response, Retry-After on 429 and 503 only", proveEveryStatus},
	{"error/internal", "Errors", "500 tells nothing of the inside", proveInternal},
	{"error/protocol", "Errors", "what is no HTTP request, or has huge headers, is answered with problems too", proveProtocol},
	{"secret/sealed", "Jobs", "credentials are sealed before they enter the log", proveSealed},
	{"secret/no-log-line", "Jobs", "credentials appear in no log line", proveNoLogLine},
	{"error/bare-endpoints", everyEndpoint, "health, readiness, metrics and description need no key", proveBareEndpoints},
}

func proveRequestID(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	uuid := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	for _, id := range []string{"a", "req-1.2:3_4", strings.Repeat("x", 128)} {
		a := c.get("/jobs/42", "X-Request-Id", id)
		a.problem(404, "JOB_NOT_FOUND", "job-not-found: ")
		if got := a.Header.Get("X-Request-Id"); got != id {
			t.Errorf("%q became %q", id, got)
		}
	}
	for _, id := range []string{"", "a b", "a/b", "é", strings.Repeat("x", 129), `<script>`} {
		if got := c.get("/jobs/42", "X-Request-Id", id).Header.Get("X-Request-Id"); !uuid.MatchString(got) {
			t.Errorf("%q became %q, which is not a UUID", id, got)
		}
	}
	if first, second := c.get("/jobs/42"), c.get("/jobs/42"); first.Header.Get("X-Request-Id") == second.Header.Get("X-Request-Id") {
		t.Error("two requests have one id")
	}
}

// Go's client normalises header names, hence a raw connection.
func proveHeaderNames(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, key := range []string{c.secret, "none"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /jobs/42 HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nConnection: close\r\n\r\n", key)
		text, err := io.ReadAll(bufio.NewReader(conn))
		_ = conn.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit", "X-Request-Id"} {
			if !strings.Contains(string(text), "\r\n"+name+": ") {
				t.Errorf("no %s in %s", name, text)
			}
		}
	}
}

// The row names a file that was never stored.
func proveInternal(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	id := c.submit(htmlToPDF)
	c.finish(id, events.File{Name: id.String() + "-lost.pdf", Size: 5, Pages: 1})
	a := c.download(id)
	a.problem(500, "INTERNAL_ERROR", "Something went wrong inside")
	if strings.Contains(string(a.body), "lost") || strings.Contains(string(a.body), s.data) {
		t.Errorf("the response reveals internals: %s", a.body)
	}
}

func proveBareEndpoints(t *testing.T, s *server) {
	nobody := &customer{t: t, server: s}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"} {
		nobody.get(path).status(200)
	}
}

var descriptionRows = []row{
	{"description/valid", "Versioning", "GET /openapi.json is OpenAPI 3.1 by its meta-schema", proveDescription},
	{"description/version", "Versioning", "the description carries version 1.0.0", proveVersion},
	{"description/operations", everyEndpoint, "the description has all eight endpoints, with the contract's statuses", proveDescribed},
}

func proveDescription(t *testing.T, s *server) {
	openapitest.Validate(t, (&customer{t: t, server: s}).get("/openapi.json").status(200).body)
}

func proveVersion(t *testing.T, s *server) {
	info, _ := (&customer{t: t, server: s}).get("/openapi.json").json()["info"].(object)
	if info["version"] != "1.0.0" {
		t.Errorf("version is %v", info["version"])
	}
}

func proveDescribed(t *testing.T, s *server) {
	paths, _ := (&customer{t: t, server: s}).get("/openapi.json").json()["paths"].(object)
	submit := []string{"202", "400", "401", "402", "413", "422", "429", "500"}
	for _, path := range allOperations {
		checkDescribed(t, paths, path, "post", submit)
	}
	checkDescribed(t, paths, invoiceToPDF, "post", []string{"404"})
	checkDescribed(t, paths, "/jobs/{job_id}", "get", []string{"200", "401", "404", "429", "500"})
	checkDescribed(t, paths, "/jobs/{job_id}/download", "get", []string{"200", "401", "404", "410", "429", "500"})
}

func checkDescribed(t *testing.T, paths object, path, method string, statuses []string) {
	t.Helper()
	methods, _ := paths[path].(object)
	operation, _ := methods[method].(object)
	responses, _ := operation["responses"].(object)
	missing := slices.DeleteFunc(slices.Clone(statuses), func(s string) bool { return responses[s] != nil })
	if len(missing) > 0 {
		t.Errorf("%s %s: the description lacks %v", method, path, missing)
	}
}

var outageRows = []row{
	{"error/outage", "Errors", "503 with Retry-After when nothing can be made durable, never a 202", proveOutage},
}

// The row closes the log of a node of its own.
func proveOutage(t *testing.T, _ *server) {
	cfg := nodetest.Config(t)
	cfg.DrainSeconds = 1
	s := openServer(t, cfg, node.Options{})
	c := s.customer(t, events.PlanFree)
	if err := s.Log().Close(); err != nil {
		t.Fatal(err)
	}
	a := c.post(htmlToPDF, minimal(htmlToPDF))
	a.problem(503, "UNAVAILABLE", "The request could not be made durable")
}

// Every response that a row sees has these headers (see judge); this row sees each status.
func proveEveryStatus(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	id := c.stored(htmlToPDF, "x")
	gone := c.stored(htmlToPDF, "x")
	s.clock.pass(24 * time.Hour)
	fresh := c.stored(htmlToPDF, "x")
	free := s.customer(t, events.PlanFree)
	for _, a := range []struct {
		response
		want int
	}{
		{c.post(htmlToPDF, minimal(htmlToPDF)), 202},
		{c.get("/jobs/" + id.String()), 200},
		{c.download(fresh), 200},
		{c.download(fresh, "If-None-Match", "*"), 304},
		{c.post(htmlToPDF, object{"html": ""}), 400},
		{c.get("/jobs/42"), 404},
		{c.download(gone), 410},
		{c.download(fresh, "If-Match", `"x"`), 412},
		{c.post(htmlToPDF, tooMuch), 413},
		{c.post(htmlToPDF, object{}, "Content-Encoding", "gzip"), 415},
		{c.post(htmlToPDF, object{}), 422},
		{c.post(invoiceToPDF, object{"xml": "x"}), 422},
	} {
		if got := a.status(a.want).Header.Get("X-RateLimit-Limit"); got != "2000" {
			t.Errorf("%d: X-RateLimit-Limit is %q, want 2000", a.want, got)
		}
	}
	free.post(markdownToPDF, object{"markdown": "x", "render": object{}}).status(402)
	free.spend(9)
	free.get("/jobs/42").status(429)
	c.as("").get("/jobs/42").status(401)
	c.get("/nope").status(404)
	c.get(htmlToPDF).status(405)
}

func proveProtocol(t *testing.T, s *server) {
	nobody := &customer{t: t, server: s}
	for request, want := range map[string]string{
		"NONSENSE\r\n\r\n": "400 MALFORMED_REQUEST",
		"GET /jobs/42 HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("x", 20_000) + "\r\n\r\n": "431 HEADERS_TOO_LARGE",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		a := nobody.read(conn, "GET", "/")
		_ = conn.Close()
		status, code, _ := strings.Cut(want, " ")
		if o := a.json(); strconv.Itoa(a.StatusCode) != status || o["error"] != code || a.kind() != "application/problem+json" {
			t.Errorf("%.20q got %d %s", request, a.StatusCode, a.body)
		}
	}
}

// The credentials that a job may carry, and a text that is not a secret.
const (
	secretWord = "Kr0kodil-hinter-den-Bergen"
	plainWord  = "Frosch-vor-dem-Tal"
)

// confide submits jobs with every kind of credential.
func (c *customer) confide() {
	c.t.Helper()
	delivery := object{"url": "https://storage.test/put?signature=" + secretWord}
	for _, value := range []object{{"type": "bearer", "value": secretWord}, {"type": "basic", "value": "me:" + secretWord}} {
		c.post(urlToPDF, object{"url": publicPage, "auth": value, "delivery": delivery}).accepted()
		c.post(urlToImage, object{"url": publicPage, "auth": value}).accepted()
	}
	access := object{"headers": object{"X-Token": secretWord}, "cookies": []any{cookie("session", secretWord)}}
	c.post(urlToPDF, object{"url": publicPage, "render": access}).accepted()
	c.post(urlToImage, object{"url": publicPage, "render": access}).accepted()
	c.post(htmlToPDF, object{"html": plainWord, "options": object{"user_password": secretWord}}).accepted()
	c.post(htmlToPDF, object{"html": plainWord, "options": object{"owner_password": secretWord}}).accepted()
	c.post(htmlToPDF, object{"html": "", "options": object{"user_password": secretWord}}).status(400)
}

func proveSealed(t *testing.T, s *server) {
	s.customer(t, events.PlanPro).confide()
	plain := 0
	for _, topic := range []string{events.TopicCommands, events.TopicJournal} {
		for p := range s.Log().Partitions() {
			logtest.Each(t, s.Log(), topic, p, func(r eventlog.Record) {
				if strings.Contains(string(r.Value), secretWord) {
					t.Errorf("record %d of %s %d holds a credential", r.Offset, topic, p)
				}
				plain += strings.Count(string(r.Value), plainWord)
			})
		}
	}
	if plain == 0 {
		t.Error("the records do not even hold the text that is not a secret")
	}
}

// A node of the row's own logs at the lowest level, about a job that fails.
func proveNoLogLine(t *testing.T, _ *server) {
	out := nodetest.NewOutput()
	s := openServer(t, nodetest.Config(t), node.Options{Logger: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	s.Retire()
	c := s.customer(t, events.PlanPro)
	c.confide()
	id := c.submit(htmlToPDF)
	c.finish(id, events.File{Name: id.String() + "-lost.pdf", Size: 5, Pages: 1})
	c.download(id).status(500)
	if text := out.Text(); strings.Contains(text, secretWord) || strings.Contains(text, c.secret) || !strings.Contains(text, id.String()) {
		t.Errorf("the node logged a credential, or nothing about the failed job:\n%s", text)
	}
}
