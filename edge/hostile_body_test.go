package edge

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// patient are timeouts that no test reaches.
var patient = timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience, wait: testkit.Patience}

// announce sends the header of a request with a large body, but nothing of the body.
func (b *liveServer) announce(t *testing.T, line, lines string) net.Conn {
	t.Helper()
	conn := b.dial(t)
	if _, err := io.WriteString(conn, line+" HTTP/1.1\r\n"+host+lines+"\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answered reads the one response that refuses a body before it is sent.
func answered(t *testing.T, conn net.Conn) reply {
	t.Helper()
	got, _ := replies(conn)
	if len(got) != 1 || !got[0].Close {
		t.Fatalf("got %v, want one response and a closed connection", statuses(got))
	}
	return got[0]
}

// lengths are the ways to announce a large body's length.
var lengths = map[string]string{
	"length": "Content-Length: 1000000\r\n", "chunks": "Transfer-Encoding: chunked\r\n",
}

// A large body is not read for a path or method that takes none, without a valid key, or beyond the request rate. The
// rate is counted once, and reported, whether the body is read or not.
func TestNoBodyIsReadInVain(t *testing.T) {
	for name, length := range lengths {
		t.Run(name, func(t *testing.T) {
			var counted atomic.Int64
			reset := events.At(time.Now().Add(time.Minute))
			b := startWith(t, patient, func(c *Config) {
				c.Rate = func(events.AccountID, events.Plan) events.Rate {
					n := counted.Add(1)
					return events.Rate{Allowed: n <= 2, Limit: 2, Remaining: max(0, 2-n), Reset: reset}
				}
			})
			key := "X-API-Key: " + b.fixture.secret + "\r\n"
			for _, tc := range []struct {
				line, lines, limit string
				status             int
			}{
				{"POST /nope", key, "0", 404},
				{"PUT /html-to-pdf", key, "0", 405},
				{"POST /html-to-pdf", "", "0", 401},
				{"GET /healthz", "", "0", 401},
				{"GET /jobs/x", key, "2", 413}, // counted: 1
			} {
				got := answered(t, b.announce(t, tc.line, tc.lines+length))
				if got.StatusCode != tc.status || got.Header.Get(limitHeader) != tc.limit || tc.status == 405 && got.Header.Get("Allow") != "POST" {
					t.Errorf("%s got %d %s %v, want %d", tc.line, got.StatusCode, got.body, got.Header, tc.status)
				}
			}
			whole := strings.Repeat(" ", 20<<10)
			if name == "chunks" {
				whole = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(whole), whole)
				length = "Transfer-Encoding: chunked\r\n"
			} else {
				length = fmt.Sprintf("Content-Length: %d\r\n", len(whole))
			}
			conn := b.announce(t, "POST /html-to-pdf", key+"Connection: close\r\n"+length) // counted: 2
			if _, err := io.WriteString(conn, whole); err != nil {
				t.Fatal(err)
			}
			if got := answered(t, conn); got.StatusCode != 422 || got.Header.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("a body within the rate got %d %v", got.StatusCode, got.Header)
			}
			got := answered(t, b.announce(t, "POST /html-to-pdf", key+length)) // counted: 3
			if got.StatusCode != 429 || got.Header.Get("Retry-After") == "" || got.Header.Get(limitHeader) != "2" {
				t.Errorf("beyond the rate got %d %v", got.StatusCode, got.Header)
			}
			if n := counted.Load(); n != 3 {
				t.Errorf("3 requests with a key counted as %d", n)
			}
			b.holds(t, 0)
		})
	}
}

// holds waits until a number of bytes is reserved for bodies.
func (b *liveServer) holds(t *testing.T, bytes int64) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d bytes are reserved for bodies", bytes), func() bool { return b.BodyBytes() == bytes })
}

// An account has memory for a number of large bodies at once, and gets it back however their requests end.
func TestBodiesOfAnAccount(t *testing.T) {
	b := start(t, patient)
	key := "X-API-Key: " + b.fixture.secret + "\r\n"
	const most = transport.MaxAccountBodies / contract.MaxBody
	largest := fmt.Sprintf("Content-Length: %d\r\n", contract.MaxBody)
	open := make([]net.Conn, most)
	for i := range open {
		open[i] = b.announce(t, "POST /html-to-pdf", key+[]string{"Transfer-Encoding: chunked\r\n", largest, "Expect: 100-continue\r\n" + largest}[i%3])
		b.holds(t, int64(i+1)*contract.MaxBody)
	}
	got := answered(t, b.announce(t, "POST /html-to-pdf", key+fmt.Sprintf("Content-Length: %d\r\n", smallBody+1)))
	if got.StatusCode != 429 || !strings.Contains(got.body, "RATE_LIMIT_EXCEEDED") || got.Header.Get("Retry-After") != "1" {
		t.Errorf("one more body got %d %s", got.StatusCode, got.body)
	}
	conn := b.announce(t, "POST /html-to-pdf", key+"Connection: close\r\n"+fmt.Sprintf("Content-Length: %d\r\n", smallBody))
	if _, err := io.WriteString(conn, strings.Repeat(" ", smallBody)); err != nil {
		t.Fatal(err)
	}
	if got := answered(t, conn); got.StatusCode != 422 {
		t.Errorf("a small body got %d %s", got.StatusCode, got.body)
	}
	for i, conn := range open {
		if i%2 == 0 { // the others are reset
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, conn)
		} else if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	b.holds(t, 0)
}

// A request that waits for its job holds neither its body nor memory for it.
func TestWaitingHoldsNoBody(t *testing.T) {
	b := start(t, patient)
	body := `{"html":"` + strings.Repeat("x", 100<<10) + `","wait":true}`
	conn := b.announce(t, "POST /html-to-pdf", "X-API-Key: "+b.fixture.secret+fmt.Sprintf("\r\nContent-Length: %d\r\n", len(body)))
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the request waits", func() bool {
		b.submissions.waiting.mu.Lock()
		defer b.submissions.waiting.mu.Unlock()
		return len(b.submissions.waiting.jobs) == 1
	})
	if n := b.BodyBytes(); n != 0 {
		t.Errorf("it holds %d bytes", n)
	}
	b.submissions.waiting.mu.Lock()
	ids := slices.Collect(maps.Keys(b.submissions.waiting.jobs))
	b.submissions.waiting.mu.Unlock()
	b.submissions.waiting.end(ids[0])
	if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
		t.Error(err)
	}
}

// Sixty of the largest bodies with one key use at most the memory of one account.
func TestBodiesOfOneKey(t *testing.T) {
	b := start(t, patient)
	before := testkit.Allocated()
	refused := 0
	for i := range 60 {
		conn := b.announce(t, "POST /html-to-pdf", fmt.Sprintf("X-API-Key: %s\r\nContent-Length: %d\r\n", b.fixture.secret, contract.MaxBody))
		if i < transport.MaxAccountBodies/contract.MaxBody {
			b.holds(t, int64(i+1)*contract.MaxBody)
		} else if answered(t, conn).StatusCode == 429 {
			refused++
		}
	}
	if refused != 60-transport.MaxAccountBodies/contract.MaxBody {
		t.Errorf("%d were refused", refused)
	}
	if n := testkit.Allocated() - before; n > transport.MaxAccountBodies+16<<20 {
		t.Errorf("they took %d MiB", n>>20)
	}
}

// Large content is processed in turns, smaller content at once.
func TestTurns(t *testing.T) {
	b := start(t, patient)
	var done []func()
	for i := range b.submissions.turns.Size() {
		done = append(done, b.submissions.turns.Begin(events.AccountID(fmt.Sprint(i))).Take(transport.FreeContent+1))
	}
	b.submissions.turns.Begin("0").Take(transport.FreeContent)()
	body := `{"html":"` + strings.Repeat("x", transport.FreeContent) + `"}`
	conn := b.announce(t, "POST /html-to-pdf", fmt.Sprintf("X-API-Key: %s\r\nConnection: close\r\nContent-Length: %d\r\n", b.fixture.secret, len(body)))
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	smaller := b.announce(t, "POST /html-to-pdf", fmt.Sprintf("X-API-Key: %s\r\nConnection: close\r\nContent-Length: %d\r\n", b.fixture.secret, transport.FreeContent))
	if _, err := io.WriteString(smaller, strings.Repeat(" ", transport.FreeContent)); err != nil {
		t.Fatal(err)
	}
	if got := answered(t, smaller); got.StatusCode != 422 {
		t.Errorf("a smaller body got %d", got.StatusCode)
	}
	testkit.Eventually(t, "memory is held while a large body waits", func() bool { return b.BodyBytes() >= transport.FreeContent })
	for _, end := range done {
		end()
	}
	if got := answered(t, conn); got.StatusCode != 202 {
		t.Errorf("a large body got %d after its turn", got.StatusCode)
	}
	if held, accounts := b.submissions.turns.Held(); held+accounts != 0 {
		t.Errorf("%d turns of %d accounts were not given back", held, accounts)
	}
}
