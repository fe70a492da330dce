package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"

	"platen.dev/document"
	"platen.dev/events"
	api "platen.dev/events/contract"
)

// The job-creating endpoints, field by field.

const everyEndpoint = "Endpoints"

var endpointRows = append(rowsOf([]field{
	{
		id: "submit/url", section: "POST /url-to-pdf", statement: "url is a required string",
		on: urlOperations, at: "url", required: true, takes: []any{publicPage, "https://93.184.216.34:8443/a?b=c#d", "http://[2606:2800:220:1:248:1893:25c8:1946]/"},
		refuses: []refused{notText(1), notText(nil)},
	},
	{
		id: "submit/html", section: "POST /html-to-pdf", statement: "html is a required string",
		on: htmlOperations, at: "html", required: true, takes: []any{"x", "<h1>Grüße</h1>"}, refuses: []refused{notText(1), notText(nil), notText(object{})},
	},
	{
		id: "submit/markdown", section: "POST /markdown-to-pdf", statement: "markdown is a required string of 100,000 characters at most",
		on: []string{markdownToPDF}, at: "markdown", required: true, takes: []any{"# x", long(100_000)},
		refuses: []refused{notText(1), notText(nil), tooLong(long(100_001), "100000")},
	},
	{
		id: "submit/xml", section: "POST /einvoice-to-pdf", statement: "xml is a required string",
		on: []string{invoiceToPDF}, at: "xml", required: true, takes: []any{invoiceXML("en16931", "380")}, refuses: []refused{notText(1), notText(nil)},
	},
	{
		id: "submit/webhook-url", section: "POST /url-to-pdf", statement: "webhook_url is an http or https URL without credentials",
		on: allOperations, at: "webhook_url", takes: []any{"https://example.com/hook?x=1", "http://example.com:8080/"},
		refuses: []refused{
			meaningless("https://user:pass@example.com/", webhookCredentials), meaningless("https://user@example.com/", webhookCredentials),
			meaningless("ftp://example.com/", webhookWanted), meaningless("https://", webhookWanted), meaningless("example.com", webhookWanted), meaningless("", webhookWanted),
			notText(1), tooLong("https://example.com/"+strings.Repeat("x", 8_192), "8192"),
		},
	},
	{
		id: "tags/field", section: extensionSection, statement: "tags are up to 8 names of 40 characters with values of 60",
		on: allOperations, at: "tags",
		takes: []any{object{}, object{"customer": "4711", "a.b-c_D": ""}, object{strings.Repeat("x", 40): long(60)}, someTags(8)},
		refuses: []refused{
			{value: "x", kind: "dict_type", msg: "Input should be a valid dictionary"},
			{value: someTags(9), kind: "too_long", msg: "Dictionary should have at most 8 items after validation, not 9"},
			{value: object{"a b": "x"}, kind: "string_pattern_mismatch", msg: "String should match pattern '[A-Za-z0-9._-]+'", at: "tags.a b"},
			{value: object{"": "x"}, kind: "string_pattern_mismatch", msg: "String should match pattern '[A-Za-z0-9._-]+'", at: "tags."},
			{value: object{strings.Repeat("x", 41): "x"}, kind: "string_too_long", msg: "String should have at most 40 characters", at: "tags." + strings.Repeat("x", 41)},
			{value: object{"a": long(61)}, kind: "string_too_long", msg: "String should have at most 60 characters", at: "tags.a"},
			{value: object{"a": 1}, kind: "string_type", msg: "Input should be a valid string", at: "tags.a"},
			{value: object{"a": nil}, kind: "string_type", msg: "Input should be a valid string", at: "tags.a"},
			{value: object{"a": "two\nlines"}, kind: "value_error", msg: "Value error, the value of a tag must not contain control characters", at: "tags.a"},
		},
	},
}), []row{
	{"tags/come-back", extensionSection, "tags come back in the status", proveTags},
	{"submit/unknown-fields", "Errors", "fields that an operation does not have are refused, all of them at once", proveUnknownFields},
	{"submit/all-at-once", "Errors", "all violations are reported at once, in the fields' order", proveAllAtOnce},
	{"submit/json", "Errors", "what is no JSON object is refused", proveJSON},
	{"submit/byte-order-mark", "Errors", "a byte order mark before the JSON is ignored, also in fingerprints", proveByteOrderMark},
	{"submit/not-json", "Errors", "a form, and a body that is not UTF-8, are 422 and named", proveNotJSON},
	{"submit/content-encoding", "Errors", "a Content-Encoding other than identity is 415, named, and described", proveContentEncoding},
	{"submit/invalid-url", "POST /url-to-pdf", "a url that is none, or not of the web, is 400", proveInvalidURLs},
	{"submit/url-length", "Submitting", "a url has 8,192 bytes at most", proveURLLength},
	{"submit/unresolvable", "Submitting", "a host that cannot be resolved is 400", proveUnresolvable},
	{"submit/ssrf", "General rules", "pages on private and internal addresses are refused with 400", proveSSRF},
	{"submit/empty-html", "POST /html-to-pdf", "HTML that is empty, or empty once sanitised, is 400", proveEmptyHTML},
	{"submit/html-limit", "POST /html-to-pdf", "sanitised HTML has 245,760 bytes at most", proveHTMLLimit},
	{"submit/markdown-expansion", "POST /markdown-to-pdf", "HTML made of Markdown has 245,760 bytes at most; more is 413 and free", proveMarkdownExpansion},
	{"submit/body-limit", "Submitting", "a request body has 8 MiB at most", proveBodyLimit},
	{"submit/body-chunked", "Submitting", "… also when its length is not announced", proveChunkedBody},
	{"submit/body-unread", "Submitting", "a body that is too large is refused before it is read whole", proveBodyUnread},
	{"submit/markdown-structure", "POST /markdown-to-pdf", "Markdown whose structure cannot be rendered is 422, and free", proveMarkdownStructure},
	{"submit/every-plan", "POST /html-to-image", "all six operations are open to every plan", proveEveryPlan},
	{"submit/methods", everyEndpoint, "other methods are 405 with Allow", proveMethods},
	{"submit/paths", "Versioning", "other paths are 404, and paths have no version", provePaths},
}...)

const (
	webhookWanted      = "webhook_url must be an http or https URL with a host"
	webhookCredentials = "webhook_url must not contain credentials; configure delivery headers for the account instead"
)

func extra(names ...string) (all []wrong) {
	for _, name := range names {
		all = append(all, wrong{"body." + name, "extra_forbidden", "Extra inputs are not permitted"})
	}
	return all
}

func proveUnknownFields(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for path, names := range map[string][]string{
		urlToPDF:      {"Url", "html", "template", "xml"},
		htmlToPDF:     {"auth", "css", "profile", "url"},
		markdownToPDF: {"auth", "css", "einvoice", "html"},
		urlToImage:    {"einvoice", "html"},
		htmlToImage:   {"auth", "einvoice", "url"},
		invoiceToPDF:  {"auth", "einvoice", "html", "options", "render"},
	} {
		body := minimal(path)
		for _, name := range names {
			body[name] = nil // a null is not absence where the field does not exist
		}
		c.post(path, body).violations(extra(names...)...)
	}
}

func proveAllAtOnce(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.post(htmlToPDF, object{"x": 1, "test": "yes", "options": object{"scale": 3, "format": "B5", "margin": object{"top": 1}, "y": 2}}, "Idempotency-Key", "a b").violations(
		wrong{"body.html", "missing", "Field required"},
		wrong{"body.options.format", "literal_error", "Input should be " + paperFormats},
		wrong{"body.options.margin.top", "string_type", "Input should be a valid string"},
		wrong{"body.options.scale", "less_than_equal", "Input should be less than or equal to 2"},
		wrong{"body.options.y", "extra_forbidden", "Extra inputs are not permitted"},
		wrong{"body.test", "bool_type", "Input should be a valid boolean"},
		wrong{"body.x", "extra_forbidden", "Extra inputs are not permitted"},
		wrong{"header.Idempotency-Key", "string_pattern_mismatch", `String should match pattern '^[A-Za-z0-9_\-.:]+$'`},
	)
}

func proveJSON(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	for _, path := range allOperations {
		c.post(path, "").violations(wrong{"body", "missing", "Field required"})
		c.post(path, `{"html":`).violations(wrong{"body.8", "json_invalid", "JSON decode error"})
		c.post(path, `{} {}`).violations(wrong{"body.2", "json_invalid", "JSON decode error"})
		for _, other := range []string{`[]`, `"x"`, `null`, `1`} {
			c.post(path, other).violations(wrong{"body", "model_attributes_type", "Input should be a valid dictionary or object to extract fields from"})
		}
	}
}

func proveByteOrderMark(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	for _, path := range allOperations {
		body, err := json.Marshal(minimal(path))
		if err != nil {
			t.Fatal(err)
		}
		first := c.keyed(path[1:], path, string(body))
		c.keyed(path[1:], path, "\ufeff"+string(body)).replayed(first)
		c.post(path, "\ufeff").violations(wrong{"body", "missing", "Field required"})
		c.post(path, "\ufeff{} {}").violations(wrong{"body.5", "json_invalid", "JSON decode error"})
	}
}

func proveNotJSON(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	const sent, want = "JSON decode error: the body is ", "; send JSON in UTF-8"
	for _, path := range allOperations {
		for _, tc := range []struct{ body, kind, at, msg string }{
			{"html=x", "application/x-www-form-urlencoded", "0", "a form (application/x-www-form-urlencoded)" + want + " as application/json"},
			{"--x\r\n\r\nx\r\n--x--\r\n", "multipart/form-data; boundary=x", "1", "a form (multipart/form-data)" + want + " as application/json"},
			{"\xff\xfe{\x00}\x00", "application/json", "0", "UTF-16" + want},
			{"{\x00}\x00", "application/json", "1", "UTF-16" + want},
			{"\x00\x00\x00{\x00\x00\x00}", "application/json", "0", "UTF-32" + want},
			{"{\"\xe9\":1}", "application/json", "2", "not UTF-8, but perhaps Latin-1" + want},
			{"{\"\xe9\":1}", "application/json; charset=iso-8859-1", "2", "not UTF-8; its Content-Type says iso-8859-1" + want},
			{"\x1f\x8b\x08\x00", "application/json", "1", "compressed by gzip" + want},
		} {
			c.post(path, tc.body, "Content-Type", tc.kind).violations(wrong{"body." + tc.at, "json_invalid", sent + tc.msg})
		}
	}
	latin := object{"html": "é"}
	c.post(htmlToPDF, latin, "Content-Type", "application/json; charset=iso-8859-1").accepted() // the bytes decide
	c.post(htmlToPDF, latin, "Content-Type", "application/x-www-form-urlencoded").accepted()
}

func proveContentEncoding(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	paths, _ := c.get("/openapi.json").json()["paths"].(object)
	for _, path := range allOperations {
		for _, encoding := range []string{"gzip", "br", "identity, zstd"} {
			a := c.post(path, minimal(path), "Content-Encoding", encoding)
			a.problem(415, "UNSUPPORTED_CONTENT_ENCODING", "unsupported-content-encoding: ")
			if named := `Content-Encoding "` + strings.TrimPrefix(encoding, "identity, ") + `"`; !strings.Contains(fmt.Sprint(a.json()["detail"]), named) || a.Header.Get("Accept-Encoding") != "identity" {
				t.Errorf("%s got %s %v", encoding, a.body, a.Header)
			}
		}
		c.post(path, minimal(path), "Content-Encoding", "IDENTITY").accepted()
		checkDescribed(t, paths, path, "post", []string{"415"})
	}
}

func proveInvalidURLs(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	for _, address := range []string{
		"", "x", "example.com", "//example.com", "ftp://93.184.216.34/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
		"http://", "http:///x", "https://user:pass@93.184.216.34/", "http://user@93.184.216.34/", "http://93.184.216.34:port/", "http://93.184.216.34:0/", "http://93.184.216.34:65536/",
		"http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/", "http://[::1%25eth0]/", "http://a b/", "http://127.0.0.1./", "http://\uff11\uff12\uff17.0.0.1/",
	} {
		for _, path := range urlOperations {
			c.post(path, object{"url": address}).problem(400, "INVALID_URL", "invalid-url: ")
		}
	}
}

func proveURLLength(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	at := publicPage + strings.Repeat("x", 8_192-len(publicPage))
	for _, path := range urlOperations {
		c.post(path, object{"url": at}).accepted()
		c.post(path, object{"url": at + "x"}).problem(400, "INVALID_URL", "invalid-url: ")
	}
}

func proveUnresolvable(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, path := range urlOperations {
		c.post(path, object{"url": "http://nowhere.invalid/"}).problem(400, "INVALID_URL", "invalid-url: the host nowhere.invalid ")
	}
}

// Names are resolved: localhost is no more public than its address. This holds in test
// mode too.
func proveSSRF(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	for _, host := range []string{
		"127.0.0.1", "localhost", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
		"224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]",
		"LOCALHOST", "198.18.0.1", "192.0.2.1", "240.0.0.1", "[2001:db8::1]", "[2002:7f00:1::]", "[::127.0.0.1]",
	} {
		for _, path := range urlOperations {
			c.post(path, object{"url": "http://" + host + ":8080/x"}).problem(400, "SSRF_BLOCKED", "SSRF_BLOCKED: ")
		}
	}
	c.post(urlToPDF, object{"url": "http://127.0.0.1/", "test": true}).problem(400, "SSRF_BLOCKED", "SSRF_BLOCKED: ")
}

func proveEmptyHTML(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	for _, html := range []string{
		"", "   \n", "<p></p>", "<!-- x -->", "<script>alert(1)</script>", "<style>p{color:red}</style>", "<iframe src=\"http://x\">x</iframe>",
		"<html><head><title>x</title></head><body></body></html>", "<object>x</object><svg><text>x</text></svg>", "<p>\u00a0\u200b</p>",
	} {
		for _, path := range htmlOperations {
			if a := c.post(path, object{"html": html}); a.StatusCode != 400 {
				t.Errorf("%s of %q: got %d %s, want 400", path, html, a.StatusCode, a.body)
			} else {
				a.problem(400, "EMPTY_HTML", "empty-html: ")
			}
		}
	}
}

// proveHTMLLimit also counts what the service adds to the caller's content.
func proveHTMLLimit(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	room := 245_760 - len(document.Sanitize("x").HTML()) + 1
	for _, path := range htmlOperations {
		c.post(path, object{"html": strings.Repeat("x", room)}).accepted()
		c.post(path, object{"html": strings.Repeat("x", room+1)}).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "payload-too-large-for-queue: ")
	}
	removed := "<script>" + strings.Repeat("x", 500_000) + "</script>" // sanitised content counts
	c.post(htmlToPDF, object{"html": removed + "x"}).accepted()
}

// Each & becomes five bytes of HTML.
func proveMarkdownExpansion(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	around, err := document.Markdown("x")
	if err != nil {
		t.Fatal(err)
	}
	room := 245_760 - len(around) + 1
	at := strings.Repeat("&", room/5) + strings.Repeat("x", room%5)
	c.post(markdownToPDF, object{"markdown": at}).accepted()
	for _, test := range []bool{false, true} {
		c.post(markdownToPDF, object{"markdown": at + "x", "test": test}).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "payload-too-large-for-queue: ")
	}
	if u := c.usage(); u.Reserved != 1 || u.Running != 1 || u.Tests != 0 {
		t.Errorf("a refused request was charged: %+v", u)
	}
}

func proveBodyLimit(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	at := `{"html":"x"}` + strings.Repeat(" ", api.MaxBody-len(`{"html":"x"}`))
	if len(at) != 8*1024*1024 {
		t.Fatalf("the limit is %d bytes", len(at))
	}
	c.post(htmlToPDF, at).accepted()
	c.post(htmlToPDF, at+" ").problem(413, "PAYLOAD_TOO_LARGE", "payload-too-large: ")
}

func proveChunkedBody(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	at := `{"html":"x"}` + strings.Repeat(" ", api.MaxBody-len(`{"html":"x"}`))
	c.chunked(at).accepted()
	c.chunked(at+" ").problem(413, "PAYLOAD_TOO_LARGE", "payload-too-large: ")
}

// chunked sends a body whose length is not announced.
func (c *customer) chunked(body string) response {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.server.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nTransfer-Encoding: chunked\r\n\r\n", htmlToPDF, c.secret)
	_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n0\r\n\r\n", len(body), body) // a server that refuses need not read it all
	return c.read(conn, "POST", htmlToPDF)
}

// The row announces a gigabyte, sends no byte of it and gets a response.
func proveBodyUnread(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", htmlToPDF, c.secret, gib)
	a := c.read(conn, "POST", htmlToPDF)
	a.problem(413, "PAYLOAD_TOO_LARGE", "payload-too-large: ")
}

// read reads a response from a connection.
func (c *customer) read(conn net.Conn, method, path string) response {
	c.t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	resp.Request, err = http.NewRequest(method, path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	a := response{Response: resp, t: c.t}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		c.t.Fatal(err)
	}
	c.server.judge(c.t, method, path, a)
	return a
}

func proveMarkdownStructure(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.post(markdownToPDF, object{"markdown": strings.Repeat("> ", 20_000)}).problem(422, "MARKDOWN_INVALID", "markdown-invalid: ")
	if u := c.usage(); u.Reserved+u.Running != 0 {
		t.Errorf("a refused request was charged: %+v", u)
	}
}

func proveEveryPlan(t *testing.T, s *server) {
	for _, plan := range events.Plans() {
		c := s.customer(t, plan)
		for i, path := range allOperations {
			body := minimal(path)
			body["test"] = i >= 3 // the free plan allows three at once
			c.post(path, body).accepted()
		}
	}
}

func proveMethods(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	job := "/jobs/" + events.NewJobID().String()
	for _, path := range allOperations {
		for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			c.notAllowed(method, path, "POST")
		}
	}
	for _, path := range []string{"/jobs", job, job + "/download", "/openapi.json"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			c.notAllowed(method, path, "GET, HEAD")
		}
	}
}

func (c *customer) notAllowed(method, path, allowed string) {
	c.t.Helper()
	a := c.send(method, path, nil).status(405)
	if a.Header.Get("Allow") != allowed {
		c.t.Errorf("%s %s: Allow is %q, want %q", method, path, a.Header.Get("Allow"), allowed)
	}
	if method != "HEAD" {
		a.problem(405, "METHOD_NOT_ALLOWED", "This path takes")
	}
}

func provePaths(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, path := range []string{"/", "/nope", "/v1/html-to-pdf", "/html-to-pdf/", "/HTML-TO-PDF", "/jobs/", "/jobs/a/b", "/jobs/a/b/download"} {
		c.post(path, minimal(htmlToPDF)).problem(404, "NOT_FOUND", "There is no such path")
		c.get(path).problem(404, "NOT_FOUND", "There is no such path")
	}
}

func someTags(n int) object {
	tags := object{}
	for i := range n {
		tags[fmt.Sprint("tag", i)] = "x"
	}
	return tags
}

func proveTags(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for path, tags := range map[string]object{
		htmlToPDF: {"b": "<\"ü\">", "a": ""}, markdownToPDF: {}, htmlToImage: nil,
	} {
		body := minimal(path)
		if tags != nil {
			body["tags"] = tags
		}
		id := c.post(path, body).status(202).json()["job_id"]
		got, there := c.get(fmt.Sprint("/jobs/", id)).status(200).json()["tags"].(object)
		if there != (len(tags) > 0) || there && !maps.Equal(got, tags) {
			t.Errorf("%s: the tags are %v, want %v", path, got, tags)
		}
	}
}
