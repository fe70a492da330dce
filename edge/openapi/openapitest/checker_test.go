package openapitest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen.dev/edge/openapi"
	"platen.dev/edge/openapi/openapitest"
	"platen.dev/edge/schema"
)

var job = openapi.Object{Name: "Job", Fields: []openapi.Field{
	openapi.Required("status", schema.String{OneOf: []string{"queued", "done"}}),
	openapi.Optional("pages", schema.Integer{Min: 0, Max: 10}),
}}

var id = []openapi.Parameter{{Name: "id", Kind: schema.String{}}}

var operations = []openapi.Operation{
	{ID: "job", Method: "GET", Path: "/jobs/{id}", PathParams: id, Responses: []openapi.Response{
		{
			Status: 200, Doc: "The job.",
			Headers: []openapi.Header{openapi.RateLimitLimit, openapi.IdempotentReplayed},
			Content: []openapi.Content{{Type: "application/json", Schema: job}, {Type: "text/plain; charset=utf-8"}},
		},
		{Status: 204, Doc: "None."},
	}},
	{ID: "list", Method: "GET", Path: "/jobs/all", Responses: []openapi.Response{{Status: 204, Doc: "None."}}},
	{ID: "file", Method: "GET", Path: "/jobs/{id}/download", PathParams: id, Responses: []openapi.Response{
		{Status: 200, Doc: "The file.", Headers: []openapi.Header{openapi.ContentDisposition}, Content: []openapi.Content{{Type: "application/pdf"}}},
	}},
	{ID: "head", Method: "HEAD", Path: "/jobs/{id}/download", PathParams: id, Responses: []openapi.Response{
		{Status: 200, Doc: "The file.", Headers: []openapi.Header{openapi.ContentDisposition}, Content: []openapi.Content{{Type: "application/pdf"}}},
	}},
}

func checker(t testing.TB) *openapitest.Checker {
	t.Helper()
	document := openapi.Build(openapi.Info{Title: "Jobs", Version: "1.0.0"}, operations)
	openapitest.Validate(t, document)
	c, err := openapitest.New(document)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// headers reads lines of "Name: value".
func headers(lines string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

const (
	asJSON = "Content-Type: application/json; charset=utf-8\nX-RateLimit-Limit: 10"
	asFile = "Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"a.pdf\""
)

func TestRight(t *testing.T) {
	c := checker(t)
	for _, seen := range []struct {
		method, path string
		status       int
		header, body string
	}{
		{"GET", "/jobs/7", 200, asJSON, `{"status":"queued"}`},
		{"GET", "/jobs/7?x=/y", 200, asJSON + "\nIdempotent-Replayed: true", `{"status":"done","pages":null}`},
		{"GET", "/jobs/7", 200, "Content-Type: text/plain\nX-RateLimit-Limit: 0", `anything`},
		{"GET", "/jobs/7", 204, "", ""},
		{"GET", "/jobs/all", 204, "", ""},
		{"GET", "/jobs/7/download", 200, asFile, "%PDF-\xff"},
		{"HEAD", "/jobs/7/download", 200, asFile, ""},
	} {
		if err := c.Check(seen.method, seen.path, seen.status, headers(seen.header), []byte(seen.body)); err != nil {
			t.Error(err)
		}
	}
}

// Each wrong response is reported so that a person can find the mistake.
func TestWrong(t *testing.T) {
	c := checker(t)
	for _, seen := range []struct {
		method, path string
		status       int
		header, body string
		want         string
	}{
		{"GET", "/nothing", 200, asJSON, `{}`, `GET /nothing: the document has no such path`},
		{"GET", "/jobs/", 200, asJSON, `{}`, `GET /jobs/: the document has no such path`},
		{"POST", "/jobs/7", 200, asJSON, `{}`, `POST /jobs/7: /jobs/{id} has the methods get only`},
		{"GET", "/jobs/7", 418, asJSON, `{}`, `GET /jobs/7: status 418 is not declared, only 200, 204`},
		{"GET", "/jobs/all", 204, "", "x", `GET /jobs/all: 204: no body is declared, this has 1 bytes`},
		{"GET", "/jobs/7", 200, asJSON, ``, `GET /jobs/7: 200: body: EOF`},
		{"GET", "/jobs/7", 200, asJSON, `{"status":"queued"} x`, `GET /jobs/7: 200: body: invalid character after top-level value`},
		{"GET", "/jobs/7", 200, asJSON, `{"status":"gone"}`, `GET /jobs/7: 200: body: at /status: value must be one of 'queued', 'done'`},
		{"GET", "/jobs/7", 200, asJSON, `{"pages":11,"more":1}`, "GET /jobs/7: 200: body: at /: missing property 'status'\nat /: additional properties 'more' not allowed\nat /pages: maximum: got 11, want 10"},
		{"GET", "/jobs/7", 200, "X-RateLimit-Limit: 1", `{"status":"done"}`, `GET /jobs/7: 200: content type "": mime: no media type`},
		{"GET", "/jobs/7", 200, "X-RateLimit-Limit: 1\nContent-Type: text/html", `x`, `GET /jobs/7: 200: content type text/html is not declared, only application/json, text/plain; charset=utf-8`},
		{"GET", "/jobs/7", 200, "X-RateLimit-Limit: 1\nContent-Type: text/plain", "\xff", `GET /jobs/7: 200: body: not UTF-8`},
		{"GET", "/jobs/7", 200, "Content-Type: application/json", `{"status":"done"}`, `GET /jobs/7: 200: header X-RateLimit-Limit: missing`},
		{"GET", "/jobs/7", 200, asJSON + "\nX-RateLimit-Limit: 11", `{"status":"done"}`, `GET /jobs/7: 200: header X-RateLimit-Limit: at /: got string, want integer`},
		{"GET", "/jobs/7", 200, asJSON + "\nIdempotent-Replayed: yes", `{"status":"done"}`, `GET /jobs/7: 200: header Idempotent-Replayed: at /: got string, want boolean`},
		{"HEAD", "/jobs/7/download", 200, "Content-Disposition: inline", "", `HEAD /jobs/7/download: 200: header Content-Disposition: at /: 'inline' does not match pattern '^(?:attachment; filename="[^"]+")$'`},
		{"GET", "/jobs/7", 200, "Content-Type: application/json", `{}`, "GET /jobs/7: 200: header X-RateLimit-Limit: missing\nbody: at /: missing property 'status'"},
	} {
		err := c.Check(seen.method, seen.path, seen.status, headers(seen.header), []byte(seen.body))
		if got := fmt.Sprint(err); !sameLines(got, seen.want) {
			t.Errorf("%s %s %d:\n got %s\nwant %s", seen.method, seen.path, seen.status, got, seen.want)
		}
	}
}

// sameLines compares texts without the order of the reasons, which depends on the validator.
func sameLines(got, want string) bool {
	for line := range strings.SplitSeq(want, "\n") {
		line = line[strings.LastIndex(line, ": at /")+1:]
		if !strings.Contains(got, strings.TrimPrefix(line, " ")) {
			return false
		}
	}
	return len(got) == len(want)
}

// The case of header names does not matter: fasthttp passes them on as they are.
func TestSpelling(t *testing.T) {
	header := http.Header{"content-type": {"application/json"}, "X-RateLimit-Limit": {"10"}}
	if err := checker(t).Check("GET", "/jobs/7", 200, header, []byte(`{"status":"done"}`)); err != nil {
		t.Error(err)
	}
}

func ExampleChecker_Check() {
	c, _ := openapitest.New(openapi.Build(openapi.Info{Title: "Jobs", Version: "1.0.0"}, operations))
	header := http.Header{"Content-Type": {"application/json"}, "X-RateLimit-Limit": {"10"}}
	fmt.Println(c.Check("GET", "/jobs/7", 200, header, []byte(`{"status":"lost"}`)))
	// Output: GET /jobs/7: 200: body: at /status: value must be one of 'queued', 'done'
}
