package edge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/openapi/openapitest"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// theSecret is the key of the fuzzed server. It is the same in every process, so that
// what the fuzzer finds in one can be replayed in another.
const theSecret = "sk_live_0000000000000000000000000003XzGiN"

// scriptedConn is a connection on which a client sends recorded bytes and nothing else.
type scriptedConn struct {
	in  bytes.Reader
	out bytes.Buffer
}

func (p *scriptedConn) Read(b []byte) (int, error)       { return p.in.Read(b) }
func (p *scriptedConn) Write(b []byte) (int, error)      { return p.out.Write(b) }
func (*scriptedConn) Close() error                       { return nil }
func (*scriptedConn) CloseWrite() error                  { return nil }
func (*scriptedConn) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (*scriptedConn) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (*scriptedConn) SetDeadline(time.Time) error        { return nil }
func (*scriptedConn) SetReadDeadline(time.Time) error    { return nil }
func (*scriptedConn) SetWriteDeadline(t time.Time) error { return nil }

// understood is a request as the server understood it; path is "" if it did not.
type understood struct{ method, path string }

// recorder is a server that records what it understood.
type recorder struct {
	*Server
	fake     *fixture
	requests []understood
}

func newRecorder(t testing.TB) *recorder {
	t.Helper()
	cfg, d := fakeConfig(slog.New(failOnError{slog.DiscardHandler, t}))
	var ok bool
	if d.hash, ok = apikey.Hash(theSecret); !ok {
		t.Fatal("the secret has a wrong checksum")
	}
	d.on = func(body events.CommandBody) *events.Reply {
		if job, ok := body.(events.Submission); ok {
			d.jobs[job.Job] = finishedJob // a request with wait would wait for 45 seconds
		}
		return nil
	}
	w := &recorder{Server: New(cfg), fake: d}
	handle, malformed, expect := w.http.Handler, w.http.ErrorHandler, w.http.ExpectHandler
	w.http.Handler = func(ctx *fasthttp.RequestCtx) {
		w.requests = append(w.requests, understood{string(ctx.Method()), string(ctx.URI().PathOriginal())})
		handle(ctx)
		if ctx.Response.ConnectionClose() { // not HTTP/1: the handler has refused it as malformed
			w.requests[len(w.requests)-1].path = ""
		}
	}
	w.http.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) {
		w.requests = append(w.requests, understood{"GET", ""})
		malformed(ctx, err)
	}
	w.http.ExpectHandler = func(ctx *fasthttp.RequestCtx) int {
		status := expect(ctx)
		if status != fasthttp.StatusContinue {
			w.requests = append(w.requests, understood{string(ctx.Method()), ""})
		}
		return status
	}
	return w
}

// finished is a job with a file.
var finished = events.JobID{1}

var finishedJob = projections.Job{
	Account: "acc", Status: events.StatusDone, Created: 1, Finished: 2, Expires: 1 << 50, File: events.File{Name: "f.pdf", Size: 7},
}

// forget drops the effects of earlier bytes: the fuzzer sends millions of them to one server.
func (w *recorder) forget() {
	w.requests = nil
	w.fake.mu.Lock()
	defer w.fake.mu.Unlock()
	w.fake.commands, w.fake.told = nil, nil
	w.fake.jobs = map[events.JobID]projections.Job{finished: finishedJob}
}

// exchange sends bytes and reads the responses, one for each understood request.
func (w *recorder) exchange(t *testing.T, sent []byte) []reply {
	t.Helper()
	p := &scriptedConn{}
	p.in.Reset(sent)
	w.forget()
	_ = w.http.ServeConn(w.conns.Add(p, func() {})) // what was written shows how the connection ended
	var all []reply
	br := bufio.NewReader(&p.out)
	for {
		if _, err := br.Peek(1); err != nil {
			break
		}
		if len(all) == len(w.requests) {
			t.Fatalf("%q: more than %d responses to %v", sent, len(all), w.requests)
		}
		resp, err := http.ReadResponse(br, &http.Request{Method: w.requests[len(all)].method})
		if err != nil {
			t.Fatalf("%q: response %d is not one: %v", sent, len(all), err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%q: response %d: %v", sent, len(all), err)
		}
		if resp.StatusCode >= 200 { // interim responses precede the final one
			all = append(all, reply{resp, string(body)})
		}
	}
	if len(all) != len(w.requests) {
		t.Fatalf("%q: %d responses to %v", sent, len(all), w.requests)
	}
	return all
}

// wireSeeds returns requests as bytes.
func wireSeeds() []string {
	const key = "X-API-Key: " + theSecret + "\r\n"
	seeds := []string{
		get("/healthz", ""), get("/jobs/"+finished.String(), key), get("/jobs/"+finished.String()+"/download", key+"If-None-Match: \"x\"\r\n"),
		get("/jobs/x", key) + get("/openapi.json", ""), "HEAD /jobs/" + finished.String() + "/download HTTP/1.1\r\n" + host + key + "\r\n", get("/docs", "If-None-Match: *\r\n"),
		"GET /metrics HTTP/1.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", get("/nope", "X-Request-Id: a\r\n b\r\n"), "OPTIONS * HTTP/1.1\r\n" + host + "\r\n",
		"POST /html-to-pdf HTTP/1.1\r\n" + host + key + "Transfer-Encoding: chunked\r\n\r\nc;a=b\r\n" + small + "\r\n0\r\nA: b\r\n\r\n" + get("/readyz", ""),
		"POST /html-to-pdf HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + get("/readyz", ""),
		"POST /html-to-pdf HTTP/1.1\r\n" + host + key + "Expect: 100-continue\r\nContent-Length: 12\r\n\r\n" + small,
		"POST /html-to-pdf HTTP/1.1\r\n" + host + key + "Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n" + small,
		"POST /html-to-pdf HTTP/1.1\r\n" + host + key + "Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 12\r\n\r\n" + small,
	}
	for _, large := range []string{"Content-Length: 20000\r\n", "Content-Length: 9000000\r\n", "Transfer-Encoding: chunked\r\n"} {
		for _, line := range []string{"POST /html-to-pdf", "POST /nope", "GET /jobs/x"} {
			for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
				start := line + " HTTP/1.1\r\n" + host + key + expect + large + "\r\n"
				seeds = append(seeds, start, start+small, start+strings.Repeat(" ", 20_000)+get("/healthz", ""))
			}
		}
	}
	const waits = `{"html":"x","wait":true}`
	seeds = append(seeds, "POST /html-to-pdf HTTP/1.1\r\n"+host+key+"Content-Length: "+strconv.Itoa(len(waits))+"\r\n\r\n"+waits)
	for i, op := range request.Operations() {
		body := bodySeeds[len(bodySeeds)-1-i%len(bodySeeds)]
		for _, b := range []string{body, string(op.Example)} {
			seeds = append(seeds, "POST "+op.Path()+" HTTP/1.1\r\n"+host+key+"Content-Length: "+strconv.Itoa(len(b))+"\r\n\r\n"+b)
		}
	}
	return seeds
}

// Whatever bytes arrive, every request that is understood gets one response. None of
// them is a 5xx, and all of them match the API description. Nothing stays reserved for a body.
func FuzzWire(f *testing.F) {
	for _, s := range wireSeeds() {
		f.Add([]byte(s))
	}
	checker, err := openapitest.New(DescribeAPI())
	if err != nil {
		f.Fatal(err)
	}
	w := newRecorder(f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		before := testkit.Allocated()
		for i, answer := range w.exchange(t, sent) {
			checkAnswer(t, checker, w.requests[i], answer)
		}
		if n := w.BodyBytes(); n != 0 {
			t.Errorf("%q left %d bytes reserved for bodies", sent, n)
		}
		if used := testkit.Allocated() - before; used > 64<<20+uint64(1000*len(sent)) {
			t.Errorf("%d bytes took %d MiB of memory", len(sent), used>>20)
		}
	})
}

func checkAnswer(t *testing.T, checker *openapitest.Checker, request understood, answer reply) {
	t.Helper()
	if answer.StatusCode >= 500 {
		t.Errorf("%v got %d %s", request, answer.StatusCode, answer.body)
	}
	if id := answer.Header.Values("X-Request-Id"); len(id) != 1 || !wellFormedID(id[0]) {
		t.Errorf("%v: request ids %q", request, id)
	}
	if strings.HasSuffix(answer.Header.Get("Content-Type"), "json") && request.method != "HEAD" && !json.Valid([]byte(answer.body)) {
		t.Errorf("%v got a body that is not valid JSON: %s", request, answer.body)
	}
	if described(request) {
		if err := checker.Check(request.method, request.path, answer.StatusCode, answer.Header, []byte(answer.body)); err != nil {
			t.Error(err)
		}
	}
}

// described reports whether the API description covers the request's operation.
func described(r understood) bool {
	if r.method == "POST" {
		_, known := request.ByPath(r.path)
		return known
	}
	steps := strings.Split(r.path, "/")
	job := len(steps) >= 3 && steps[1] == "jobs" && steps[2] != "" && (len(steps) == 3 || len(steps) == 4 && steps[3] == "download")
	return r.method == "GET" && (job || slices.Contains([]string{"/openapi.json", "/docs"}, r.path))
}
