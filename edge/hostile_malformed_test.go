package edge

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// raw is a request as bytes, with the expected responses.
type raw struct {
	name, bytes string
	// want are the statuses of all responses.
	want []int
	// stays means that the connection can take another request; otherwise the server closes it.
	stays bool
}

const (
	host  = "Host: localhost\r\n"
	small = `{"html":"x"}`
)

// get is a GET request for a path, with header lines.
func get(path, lines string) string {
	return "GET " + path + " HTTP/1.1\r\n" + host + lines + "\r\n"
}

// smuggled must not be taken for a request of its own.
var smuggled = get("/metrics", "")

// Malformed requests get one response, 400 or a more precise one, and end the connection.
func TestMalformedRequests(t *testing.T) {
	refused := func(name, bytes string) raw { return raw{name: name, bytes: bytes, want: []int{400}} }
	line := func(name, line string) raw { return refused(name, line+"\r\n"+host+"\r\n") }
	header := func(name, lines string) raw { return refused(name, get("/healthz", lines)) }
	sendEach(t, func(string) []raw {
		return []raw{
			refused("a word", "GET\r\n\r\n"),
			refused("HTTP/0.9", "GET /healthz\r\n"),
			line("no such version", "GET /healthz HTTP/1.2"),
			line("an old version", "GET /healthz HTTP/0.9"),
			line("a version of no protocol", "GET /healthz HTP/1.1"),
			line("more after the version", "GET /healthz HTTP/1.1 x"),
			line("two spaces", "GET  /healthz HTTP/1.1"),
			line("a space first", " GET /healthz HTTP/1.1"),
			line("tabs", "GET\t/healthz\tHTTP/1.1"),
			line("a method that is not a token", "G@T /healthz HTTP/1.1"),
			line("NUL in the path", "GET /healthz\x00 HTTP/1.1"),
			line("no slash", "GET healthz HTTP/1.1"),
			line("a backslash", `GET \healthz HTTP/1.1`),
			refused("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
			refused("another protocol", "SSH-2.0-OpenSSH\r\n"),
			refused("no host", "GET /healthz HTTP/1.1\r\n\r\n"),
			refused("an empty host", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"),
			header("two hosts", host),
			refused("a host with a space", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"),
			refused("a host with a path", "GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n"),
			header("a bare CR in a value", "A: b\rSet-Cookie: c\r\n"),
			refused("a fold in the first header", "GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n"),
			header("a folded length", "Content-Length: 1\r\n 2\r\n"),
			header("a space before the colon", "A : b\r\n"),
			header("a header without a name", ": b\r\n"),
			header("a header without a colon", "nocolon\r\n"),
			header("a name that is not a token", "A(: b\r\n"),
			header("NUL in a name", "A\x00: b\r\n"),
			header("NUL in a value", "A: b\x00c\r\n"),
			header("a control character in a value", "A: \x01\r\n"),
		}
	})
}

// Requests whose end two servers could see in two places are refused.
func TestSmuggling(t *testing.T) {
	sendEach(t, func(key string) []raw {
		post := func(name, lines, body string) raw {
			return raw{name: name, bytes: "POST /html-to-pdf HTTP/1.1\r\n" + host + key + lines + "\r\n" + body, want: []int{400}}
		}
		chunked := func(name, body string) raw { return post(name, "Transfer-Encoding: chunked\r\n", body) }
		last := "0\r\n\r\n" + smuggled
		// RFC 9112 lets a server go by the chunks if it closes the connection: the body is empty.
		both := func(name, lines string) raw {
			r := post(name, lines, last)
			r.want = []int{422}
			return r
		}
		return []raw{
			post("the same length twice", "Content-Length: 12\r\nContent-Length: 12\r\n", small+smuggled),
			post("two lengths", "Content-Length: 12\r\nContent-Length: 5\r\n", small+smuggled),
			post("a list of lengths", "Content-Length: 12, 12\r\n", small+smuggled),
			both("a length, then chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
			both("chunks, then a length", "Transfer-Encoding: chunked\r\ncontent-length: 4\r\n"),
			both("a folded encoding and a length", "Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n"),
			post("chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", last),
			post("chunks and none", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", last),
			post("another encoding", "Transfer-Encoding: gzip\r\n", smuggled),
			post("two encodings", "Transfer-Encoding: gzip, chunked\r\n", last),
			post("no such encoding", "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n", smuggled),
			post("an encoding before a space", "Transfer-Encoding : chunked\r\nContent-Length: 0\r\n", smuggled),
			post("an encoding after a control character", "Transfer-Encoding:\x0bchunked\r\nContent-Length: 0\r\n", smuggled),
			post("a negative length", "Content-Length: -1\r\n", smuggled),
			post("a length with a sign", "Content-Length: +12\r\n", small+smuggled),
			post("a length beyond 64 bits", "Content-Length: 99999999999999999999999\r\n", ""),
			post("a hexadecimal length", "Content-Length: 0xc\r\n", small+smuggled),
			post("no length", "Content-Length:\r\n", small+smuggled),
			post("a length with a space", "Content-Length: 1 2\r\n", small+smuggled),
			chunked("a chunk size that is not a number", "zz\r\n"+smuggled),
			chunked("a negative chunk size", "-1\r\n"+smuggled),
			chunked("a chunk size beyond 64 bits", "ffffffffffffffff\r\n"+smuggled),
			chunked("the largest chunk size", "7fffffffffffffff\r\n"+smuggled),
			chunked("a chunk longer than its size", "1\r\nab\r\n"+last),
			chunked("a chunk size with a prefix", "0xc\r\n"+small+"\r\n"+last),
			chunked("chunks ended by LF alone", "c\n"+small+"\n0\n\n"+smuggled),
			chunked("a length as a trailer", "c\r\n"+small+"\r\n0\r\nContent-Length: 5\r\n\r\n"+smuggled),
			{name: "chunks of HTTP/1.0", bytes: "POST /html-to-pdf HTTP/1.0\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n" + last, want: []int{400}},
		}
	})
}

// A request line or headers that are too long get a response that says so.
func TestTooMuchHeader(t *testing.T) {
	sendEach(t, func(key string) []raw {
		return []raw{
			{name: "a long value", bytes: get("/healthz", "X: "+strings.Repeat("a", 20<<10)+"\r\n"), want: []int{431}},
			{name: "a long path", bytes: get("/"+strings.Repeat("a", 20<<10), ""), want: []int{431}},
			{name: "ten thousand headers", bytes: get("/healthz", strings.Repeat("A: b\r\n", 10_000)), want: []int{431}},
			{name: "as many headers as fit", bytes: get("/healthz", strings.Repeat("A: b\r\n", 2_500)), want: []int{200}, stays: true},
			{name: "the largest length", bytes: "POST /html-to-pdf HTTP/1.1\r\n" + host + key + "Content-Length: 9223372036854775807\r\n\r\n", want: []int{413}},
		}
	})
}

// Expect: 100-continue is answered before the body is sent, and its refusal is final.
func TestExpect(t *testing.T) {
	sendEach(t, func(key string) []raw {
		post := func(lines string) string { return "POST /html-to-pdf HTTP/1.1\r\n" + host + lines + "\r\n" }
		const expect, much = "Expect: 100-continue\r\n", "Content-Length: 104857600\r\n"
		return []raw{
			{name: "too large", bytes: post(key + expect + much), want: []int{413}},
			{name: "too large, without a key", bytes: post(expect + much), want: []int{401}},
			{name: "too large, sent all the same", bytes: post(key+expect+much) + strings.Repeat(smuggled, 1000), want: []int{413}},
			{name: "as announced", bytes: post(key+expect+"Content-Length: 12\r\n") + small, want: []int{100, 202}, stays: true},
			{name: "without a key", bytes: post(expect+"Content-Length: 12\r\n") + small, want: []int{100, 401}, stays: true},
			{name: "something else", bytes: post(key+"Expect: 200-ok\r\nContent-Length: 12\r\n") + small, want: []int{202}, stays: true},
		}
	})
}

// Unusual requests that can be read get the response that they ask for.
func TestUnusualRequests(t *testing.T) {
	sendEach(t, func(key string) []raw {
		one := func(name, bytes string, status int) raw { return raw{name, bytes, []int{status}, true} }
		at := func(path string, status int) raw { return one(path, get(path, key), status) }
		other := func(method, target string, status int) raw {
			return one(method, method+" "+target+" HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", status)
		}
		post := "POST /html-to-pdf HTTP/1.1\r\n" + host + key
		return []raw{
			at("/jobs/..%2f..%2fmetrics", 404), at("/jobs/../metrics", 404), at("//metrics", 404), at("/%6detrics", 404),
			at("/./metrics", 404), at("/metrics/.", 404), at("/metrics;x", 404), at("/metrics%00", 404), at("/jobs//download", 404),
			at("/docs/../../../etc/passwd", 404), at("/docs/%2e%2e/%2e%2e/etc/passwd", 404), at("/%zz", 404), at("/\xff\xfe", 404),
			at("/metrics?%zz", 200), at("/metrics#x", 200), at("http://evil.test/metrics", 404), at("http://127.0.0.1/metrics", 200), at("http://evil.test", 404),
			other("OPTIONS", "*", 404), other("CONNECT", "evil.test:443", 404), other("TRACE", "/healthz", 405), other("get", "/healthz", 405),
			one("upgrade to h2c", get("/healthz", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"), 200),
			one("upgrade to websocket", get("/healthz", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"), 200),
			one("a fold", get("/healthz", "A: b\r\n c\r\n"), 200),
			one("a byte that is not ASCII", get("/healthz", "A: \xff\r\n"), 200),
			one("blank lines first", "\r\n\r\n"+get("/healthz", ""), 200),
			one("a form", post+"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 12\r\n\r\n"+small, 202),
			one("a chunk with an extension, and a trailer", post+"Transfer-Encoding: chunked\r\n\r\nc;a=b\r\n"+small+"\r\n0\r\nX-Trailer: y\r\n\r\n", 202),
			{"a body to GET", get("/healthz", fmt.Sprintf("Content-Length: %d\r\n", len(smuggled))) + smuggled + get("/nope", ""), []int{200, 404}, true},
			{"HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n" + smuggled, []int{200}, false},
			{"pipelined", get("/healthz", "") + get("/nope", "") + get("/readyz", ""), []int{200, 404, 200}, true},
			{"pipelined with a fault", get("/healthz", "") + "BAD\r\n\r\n" + get("/readyz", ""), []int{200, 400}, false},
			{"pipelined after the last", get("/healthz", "Connection: close\r\n") + get("/readyz", ""), []int{200}, false},
		}
	})
}

// sendEach sends each request on a connection of its own while a probe is served.
func sendEach(t *testing.T, with func(key string) []raw) {
	t.Helper()
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	for _, r := range with("X-API-Key: " + b.fixture.secret + "\r\n") {
		t.Run(r.name, func(t *testing.T) {
			w := b.probe(t)
			b.send(t, r)
			w.stop(t)
		})
	}
}

// send sends a request and checks the responses.
func (b *liveServer) send(t *testing.T, r raw) {
	t.Helper()
	conn := b.dial(t)
	if _, err := io.WriteString(conn, r.bytes); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	if r.stays { // the server would wait for another request until it hears that there is none
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	got, whole := replies(conn)
	if !whole || fmt.Sprint(statuses(got)) != fmt.Sprint(r.want) {
		t.Errorf("got %v (whole %t), want %v", statuses(got), whole, r.want)
	}
	if n := len(got); n > 0 && !r.stays && !got[n-1].Close {
		t.Error("the connection is closed, and the response does not say so")
	}
}

// A client may go away after any byte. The request that it had sent by then gets one
// response or none, and never that of another request.
func TestEarlyCloseAtEveryByte(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	w := b.probe(t)
	for _, length := range []string{"Content-Length: 12\r\n\r\n" + small, "Transfer-Encoding: chunked\r\n\r\nc\r\n" + small + "\r\n0\r\n\r\n"} {
		whole := "POST /html-to-pdf HTTP/1.1\r\n" + host + "X-API-Key: " + b.fixture.secret + "\r\n" + length
		for n := range len(whole) {
			b.hangUp(t, whole[:n])
			b.endEarly(t, whole[:n])
		}
		b.send(t, raw{bytes: whole, want: []int{202}, stays: true})
	}
	if n := len(b.fixture.commands); n != 2 {
		t.Errorf("2 whole requests made %d jobs", n)
	}
	w.stop(t)
}

// endEarly sends the beginning of a request, closes its side and reads.
func (b *liveServer) endEarly(t *testing.T, part string) {
	t.Helper()
	conn := b.dial(t)
	defer conn.Close()
	if _, err := io.WriteString(conn, part); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, whole := replies(conn)
	if len(got) > 1 || len(got) == 1 && got[0].StatusCode != 400 || !whole {
		t.Errorf("%q got %v (whole %t)", part, statuses(got), whole)
	}
}

// hangUp sends the beginning of a request and resets the connection.
func (b *liveServer) hangUp(t *testing.T, part string) {
	t.Helper()
	conn := b.dial(t)
	_, err := io.WriteString(conn, part)
	if err = errors.Join(err, conn.SetLinger(0), conn.Close()); err != nil {
		t.Fatal(err)
	}
}
