package edge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/edge/transport"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// hurried are the timeouts of a server in tests of slow clients.
var hurried = timeouts{read: time.Second, write: testkit.Patience, idle: time.Second}

const (
	slowClients = 300
	// byteInterval is the time between two bytes.
	byteInterval = 50 * time.Millisecond
)

// Clients that send byte by byte get 408 once the time for a request is over, however
// long they would have continued, and do not delay other clients.
func TestSlowClientsAreCutOff(t *testing.T) {
	b := start(t, hurried)
	key := "X-API-Key: " + b.fixture.secret + "\r\n"
	for name, start := range map[string]string{
		"request line": "G",
		"headers":      "POST /html-to-pdf HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body":         "POST /html-to-pdf HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: 5000\r\n\r\n",
		"chunked body": "POST /html-to-pdf HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n1000\r\n",
		"chunk":        "POST /html-to-pdf HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n1;extension=",
	} {
		t.Run(name, func(t *testing.T) {
			w := b.probe(t)
			clients := slowClients
			if strings.HasPrefix(name, "chunk") { // the most that an account may have of unknown length
				clients = transport.MaxAccountBodies / contract.MaxBody
			}
			conns := make([]net.Conn, clients)
			for i := range conns {
				conns[i] = b.dial(t)
				if _, err := io.WriteString(conns[i], start); err != nil {
					t.Fatal(err)
				}
			}
			connected := w.answers.Load()
			var all sync.WaitGroup
			for _, conn := range conns {
				all.Go(func() { cutOff(t, conn) })
			}
			all.Wait()
			w.served(t, connected)
			w.stop(t)
		})
	}
}

// cutOff continues with zeros and expects 408.
func cutOff(t *testing.T, conn net.Conn) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		sendSlowly(conn, stop)
	}()
	began := time.Now()
	got, whole := replies(conn)
	close(stop)
	<-stopped
	_ = conn.Close()
	if took := time.Since(began); !whole || len(got) != 1 || got[0].StatusCode != 408 || took > hurried.read+prompt {
		t.Errorf("got %v (whole %t) after %s", statuses(got), whole, took)
	}
}

// sendSlowly sends one byte at a time, until stop is closed or the connection is.
func sendSlowly(conn net.Conn, stop <-chan struct{}) {
	ticker := time.NewTicker(byteInterval)
	defer ticker.Stop()
	for {
		if _, err := io.WriteString(conn, "0"); err != nil {
			return
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}

// A client that neither reads nor stops sending is cut off after the time in which a
// polite one could have read the refusal.
func TestClientsThatIgnoreTheRefusalAreCutOff(t *testing.T) {
	b := start(t, hurried)
	w := b.probe(t)
	var all sync.WaitGroup
	for range slowClients {
		conn, since := b.dial(t), time.Now()
		all.Go(func() {
			sendSlowly(conn, nil)
			if took := time.Since(since); took > hurried.read+transport.LingerTime+prompt {
				t.Errorf("the server went on reading for %s", took)
			}
		})
	}
	connected := w.answers.Load()
	all.Wait()
	w.served(t, connected)
	w.stop(t)
}

// A connection without any request is closed without a response, and so is one that stays
// idle after a request.
func TestIdleConnectionsEnd(t *testing.T) {
	b := start(t, hurried)
	for name, tc := range map[string]struct {
		request string
		answers string
	}{
		"new":        {"", "[]"},
		"keep-alive": {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "[200]"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := b.dial(t)
			if _, err := io.WriteString(conn, tc.request); err != nil {
				t.Fatal(err)
			}
			if got, whole := replies(conn); !whole || fmt.Sprint(statuses(got)) != tc.answers {
				t.Errorf("got %v (whole %t), want %s", statuses(got), whole, tc.answers)
			}
		})
	}
}

// A client that requests much and does not read it is cut off, and the responses do not
// pile up in memory meanwhile.
func TestClientsThatDoNotReadAreGivenUp(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: time.Second, idle: testkit.Patience})
	w := b.probe(t)
	conn := b.dial(t)
	if err := conn.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	before, connected := testkit.Allocated(), w.answers.Load()
	request := strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 1000)
	for {
		if _, err := io.WriteString(conn, request); errors.Is(err, errTimeout) {
			t.Fatal("the server still waits for its client to read")
		} else if err != nil {
			break
		}
	}
	if got := testkit.Allocated() - before; got > 64<<20 {
		t.Errorf("a client that does not read took %d MiB", got>>20)
	}
	w.served(t, connected)
	w.stop(t)
}
