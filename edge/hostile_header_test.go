package edge

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// hostileValues are values of headers. \r\n in them begins another header.
var hostileValues = []string{
	"", " ", "\t", "a b", `"`, `\`, "a,b", "*", "W/", `W/"`, `""`, "a\r\n b", "a\rSet-Cookie: evil=1", "a\nSet-Cookie: evil=1",
	"a\r\nSet-Cookie: evil=1", "a%0d%0aSet-Cookie:%20evil=1", "a\x00b", "\x01", "\x7f", "\xff\xfe", "é", "\u2028", "\u212a", "<script>",
	strings.Repeat("a", 128), strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 8<<10), strings.Repeat(",", 8<<10),
	strings.Repeat(`"x",`, 2<<10), "sk_live_" + strings.Repeat("0", 33), "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99 Foo 99999 99:99:99 XYZ",
	"-1", "99999999999999999999999",
}

// Any value of a header gets one response about it, in which no part of the value can do harm.
func TestHostileHeaderValues(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	done := events.NewJobID()
	b.fixture.jobs[done] = projections.Job{
		Account: "acc", Status: events.StatusDone, Created: 1, Finished: 2, Expires: 1 << 50, File: events.File{Name: "f.pdf", Size: 7},
	}
	key := "X-API-Key: " + b.fixture.secret + "\r\n"
	submit := "POST /html-to-pdf HTTP/1.1\r\n" + host + "Content-Length: 12\r\n"
	download := "GET /jobs/" + done.String() + "/download HTTP/1.1\r\n" + host + key
	for header, tc := range map[string]struct {
		start string
		want  []int
	}{
		"X-Request-Id":        {submit + key, []int{202}},
		"Idempotency-Key":     {submit + key, []int{202, 422}},
		"X-API-Key":           {submit, []int{401}},
		"If-None-Match":       {download, []int{200, 304}},
		"If-Match":            {download, []int{200, 412}},
		"If-Modified-Since":   {download, []int{200, 304}},
		"If-Unmodified-Since": {download, []int{200, 412}},
		"Range":               {download, []int{200}},
		"Accept":              {download, []int{200}},
		"Accept-Encoding":     {download, []int{200}},
		"Cookie":              {download, []int{200}},
		"Content-Type":        {submit + key, []int{202}},
		"Content-Encoding":    {submit + key, []int{202, 415}},
	} {
		t.Run(header, func(t *testing.T) {
			w := b.probe(t)
			for _, value := range hostileValues {
				for _, times := range []int{1, 2} {
					lines := strings.Repeat(header+": "+value+"\r\n", times)
					b.checkReflection(t, tc.start+lines+"\r\n"+small, append(tc.want, 400, 431))
				}
			}
			w.stop(t)
		})
	}
}

// checkReflection sends a request and looks for parts of it in the response.
func (b *liveServer) checkReflection(t *testing.T, request string, want []int) {
	t.Helper()
	conn := b.dial(t)
	defer conn.Close()
	_, err := io.WriteString(conn, request)
	if err = errors.Join(err, conn.CloseWrite()); err != nil {
		t.Fatal(err)
	}
	got, _ := replies(conn)
	answers := got[:min(1, len(got))] // the 12 bytes of a body to GET count as a second, malformed request
	if len(answers) == 0 || !slices.Contains(want, got[0].StatusCode) || len(got) > 2 || len(got) == 2 && got[1].StatusCode != 400 {
		t.Errorf("%.200q is answered %v, want one of %v", request, statuses(got), want)
		return
	}
	h := got[0].Header
	if id := h.Get("X-Request-Id"); !wellFormedID(id) || len(h.Values("X-Request-Id")) != 1 {
		t.Errorf("%.200q: request id %q", request, h.Values("X-Request-Id"))
	}
	if h.Get("Set-Cookie") != "" || strings.Contains(got[0].body, "<script>") || strings.Contains(got[0].body, b.fixture.secret) {
		t.Errorf("%.200q is reflected: %v %s", request, h, got[0].body)
	}
}

// An Idempotency-Key that is empty or repeated is refused: ignoring it, or choosing one
// of two, could make a job twice.
func TestIdempotencyKeyIsNotIgnored(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	start := "POST /html-to-pdf HTTP/1.1\r\n" + host + "X-API-Key: " + b.fixture.secret + "\r\nContent-Length: 12\r\n"
	for _, lines := range []string{
		"Idempotency-Key:\r\n", "A: b\r\nC: d\r\nIdempotency-Key: \r\n", strings.Repeat("A: b\r\n", 50) + "Idempotency-Key:\r\n",
		"Idempotency-Key: a\r\nIdempotency-Key: b\r\n", "Idempotency-Key: a\r\nIdempotency-Key: a\r\n", "Idempotency-Key: a\r\nidempotency-key:\r\n",
	} {
		b.send(t, raw{bytes: start + lines + "\r\n" + small, want: []int{422}, stays: true})
	}
	if n := len(b.fixture.commands); n != 0 {
		t.Errorf("%d jobs were made", n)
	}
}

// A repeated X-API-Key is refused, even where one of the two is valid: a proxy may have judged the request by the other.
func TestOneKeyIsSent(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	start, valid := "POST /html-to-pdf HTTP/1.1\r\n"+host+"Content-Length: 12\r\n", "X-API-Key: "+b.fixture.secret+"\r\n"
	for _, lines := range []string{valid + valid, valid + "x-api-key: sk_live_other\r\n", "X-API-Key:\r\n" + valid} {
		b.send(t, raw{bytes: start + lines + "\r\n" + small, want: []int{401}, stays: true})
	}
	if n := len(b.fixture.commands); n != 0 {
		t.Errorf("%d jobs were made", n)
	}
	b.send(t, raw{bytes: start + valid + "\r\n" + small, want: []int{202}, stays: true})
}
