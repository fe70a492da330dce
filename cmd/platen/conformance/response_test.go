package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"platen.dev/edge/openapi/openapitest"
	"platen.dev/events"
)

// object is a JSON object.
type object = map[string]any

// response is a response with its body, checked against the node's API description.
type response struct {
	*http.Response
	t    *testing.T
	body []byte
}

// send sends a request. A body that is not a string is sent as JSON.
func (c *customer) send(method, path string, body any, headers ...string) response {
	c.t.Helper()
	a, err := c.ask(method, path, body, headers...)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// ask is send for other goroutines, which must not end the test.
func (c *customer) ask(method, path string, body any, headers ...string) (response, error) {
	req, err := http.NewRequest(method, c.server.url+path, bytes.NewReader(encode(body)))
	if err != nil {
		return response{}, err
	}
	if c.secret != "" {
		req.Header.Set("X-API-Key", c.secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header[headers[i]] = []string{headers[i+1]} // in this spelling
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return response{}, err
	}
	a := response{Response: resp, t: c.t, body: b}
	c.server.judge(c.t, method, path, a)
	return a, nil
}

func encode(body any) []byte {
	if text, ok := body.(string); ok {
		return []byte(text)
	}
	if body == nil {
		return nil
	}
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // cannot happen: the tables hold plain values
	}
	return b
}

func (c *customer) post(path string, body any, headers ...string) response {
	c.t.Helper()
	return c.send("POST", path, body, headers...)
}

func (c *customer) get(path string, headers ...string) response {
	c.t.Helper()
	return c.send("GET", path, nil, headers...)
}

// always are the headers that every response has, with their formats.
var always = map[string]*regexp.Regexp{
	"X-Request-Id":          regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,128}$`),
	"X-Ratelimit-Limit":     regexp.MustCompile(`^\d+$`),
	"X-Ratelimit-Remaining": regexp.MustCompile(`^\d+$`),
	"X-Ratelimit-Reset":     regexp.MustCompile(`^\d+$`),
	"Ratelimit-Policy":      regexp.MustCompile(`^"[a-z]+";q=\d+;w=60$`),
	"Ratelimit":             regexp.MustCompile(`^"[a-z]+";r=\d+;t=\d+$`),
}

// judge checks what holds for every response.
func (s *server) judge(t *testing.T, method, path string, a response) {
	t.Helper()
	for name, form := range always {
		if got := a.Header.Get(name); !form.MatchString(got) {
			t.Errorf("%s %s: %d: header %s is %q", method, path, a.StatusCode, name, got)
		}
	}
	wait := a.Header.Get("Retry-After")
	if wants := a.StatusCode == 429 || a.StatusCode == 503; wants != (wait != "") {
		t.Errorf("%s %s: %d has Retry-After %q", method, path, a.StatusCode, wait)
	}
	if s.checker == nil || method == http.MethodHead || !s.describes(method, path) {
		return
	}
	if err := s.checker.Check(method, path, a.StatusCode, a.Header, a.body); err != nil {
		t.Errorf("does not match openapi.json: %v", err)
	}
}

// describes reports whether the description has the operation.
func (s *server) describes(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	if rest, ok := strings.CutPrefix(path, "/jobs/"); ok {
		id, download, _ := strings.Cut(rest, "/")
		if id == "" || download != "" && download != "download" {
			return false
		}
		path = "/jobs/{job_id}" + strings.TrimPrefix(rest, id)
	}
	if strings.HasPrefix(path, "/usage/windows/") {
		path = "/usage/windows/{start}"
	}
	return slices.Contains(s.described, method+" "+path)
}

// readDescription fetches the node's API description.
func (s *server) readDescription(t *testing.T) {
	t.Helper()
	anybody := &customer{t: t, server: s}
	document := anybody.get("/openapi.json").body
	var root struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(document, &root); err != nil {
		t.Fatal(err)
	}
	for path, methods := range root.Paths {
		for method := range methods {
			s.described = append(s.described, strings.ToUpper(method)+" "+path)
		}
	}
	var err error
	if s.checker, err = openapitest.New(document); err != nil {
		t.Fatal(err)
	}
}

// status checks the status and returns the response.
func (a response) status(want int) response {
	a.t.Helper()
	if a.StatusCode != want {
		a.t.Fatalf("%s %s: got %d %.400s, want %d", a.Request.Method, a.Request.URL.Path, a.StatusCode, a.body, want)
	}
	return a
}

// json reads the body as a JSON object.
func (a response) json() (o object) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, &o); err != nil {
		a.t.Fatalf("%.400q is not a JSON object: %v", a.body, err)
	}
	return o
}

// accepted checks a JobCreatedResponse and returns its job.
func (a response) accepted() events.JobID {
	a.t.Helper()
	o := a.status(202).json()
	id, err := events.ParseJobID(fmt.Sprint(o["job_id"]))
	if err != nil || len(o) != 3 || o["status"] != "queued" || o["detail"] == "" || a.kind() != "application/json" {
		a.t.Fatalf("not a JobCreatedResponse: %s %s (%v)", a.kind(), a.body, err)
	}
	return id
}

func (a response) kind() string { return a.Header.Get("Content-Type") }

// problem checks a whole error body: its status, its code and the beginning of its
// detail. The slug is the code in lower case with hyphens, but for one.
func (a response) problem(status int, code, detail string) object {
	a.t.Helper()
	o := a.status(status).json()
	text, _ := o["detail"].(string)
	kind, _ := o["type"].(string)
	slug := strings.ToLower(strings.ReplaceAll(code, "_", "-"))
	if code == "CONCURRENCY_LIMIT_EXCEEDED" {
		slug = "concurrency-limit"
	}
	wants := map[string]bool{
		"application/problem+json":          a.kind() == "application/problem+json",
		"error " + code:                     o["error"] == code,
		"detail beginning " + detail:        strings.HasPrefix(text, detail),
		"type ending #" + slug:              strings.HasPrefix(kind, "https://") && strings.HasSuffix(kind, "#"+slug),
		"its status":                        o["status"] == float64(status),
		"a title":                           o["title"] != nil && o["title"] != "",
		"the request's id":                  o["request_id"] == a.Header.Get("X-Request-Id"),
		"retry_after_seconds as the header": retryOf(o) == a.Header.Get("Retry-After"),
		"no other member":                   len(membersBeside(o)) == 0,
	}
	for what, ok := range wants {
		if !ok {
			a.t.Errorf("the problem lacks %s: %s %s", what, a.kind(), a.body)
		}
	}
	return o
}

func retryOf(o object) string {
	seconds, given := o["retry_after_seconds"].(float64)
	if !given {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64)
}

func membersBeside(o object) (others []string) {
	known := []string{"type", "title", "status", "error", "detail", "request_id", "retry_after_seconds", "feature", "required_plan", "upgrade_url", "plan", "limit", "in_flight"}
	if o["error"] == "EINVOICE_RULES_VIOLATED" {
		known = append(known, "violations")
	}
	for name := range o {
		if !slices.Contains(known, name) {
			others = append(others, name)
		}
	}
	return others
}

// wrong is one violation of a schema.
type wrong struct {
	// at is the path of the field, its steps separated by dots; numeric steps are
	// numbers.
	at        string
	kind, msg string
}

// violations checks a whole HTTPValidationError.
func (a response) violations(want ...wrong) {
	a.t.Helper()
	o := a.status(422).json()
	var listed []any
	for _, w := range want {
		listed = append(listed, object{"loc": stepsOf(w.at), "msg": w.msg, "type": w.kind})
	}
	if a.kind() != "application/json" || !reflect.DeepEqual(o["detail"], listed) {
		a.t.Errorf("got %s %.1000s\nwant detail %s", a.kind(), a.body, encode(listed))
	}
}

func stepsOf(place string) (steps []any) {
	for step := range strings.SplitSeq(place, ".") {
		if n, err := json.Number(step).Int64(); err == nil {
			steps = append(steps, float64(n))
			continue
		}
		steps = append(steps, step)
	}
	return steps
}

// jobOf gets a job's status.
func (c *customer) jobOf(id events.JobID) object {
	c.t.Helper()
	return c.get("/jobs/" + id.String()).status(200).json()
}

func (c *customer) download(id events.JobID, headers ...string) response {
	c.t.Helper()
	return c.get("/jobs/"+id.String()+"/download", headers...)
}
