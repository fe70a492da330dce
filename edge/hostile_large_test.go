package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"platen.dev/edge/transport"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

const (
	hugeBody = 100 << 20
	// mostRead is how much of it a server may read: what it allows, what it reads before it
	// closes the connection, and what the kernel buffers.
	mostRead = contract.MaxBody + transport.LingerBytes + 16<<20
	// mostMemory is how much it may allocate meanwhile: a chunked body of the largest size,
	// in a buffer that grew by doubling.
	mostMemory = 48 << 20
)

// A body of 100 MB is refused without being read whole or kept in memory, and its
// sender can read why.
func TestHugeBodies(t *testing.T) {
	b := start(t, defaultTimeouts)
	key := "X-API-Key: " + b.fixture.secret + "\r\n"
	length, chunked := fmt.Sprintf("Content-Length: %d\r\n\r\n", hugeBody), "Transfer-Encoding: chunked\r\n\r\n"+fmt.Sprintf("%x\r\n", hugeBody)
	for _, tc := range []struct {
		name, header string
		status       int
	}{
		{"length", key + length, 413},
		{"length without a key", length, 401},
		{"chunks", key + chunked, 413},
		{"chunks without a key", chunked, 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := b.probe(t)
			before := testkit.Allocated()
			conn := b.dial(t)
			sent := make(chan int64, 1)
			go func() { sent <- sendZeros(conn, "POST /html-to-pdf HTTP/1.1\r\n"+host+tc.header, hugeBody) }()
			got, _ := replies(conn) // a reset may follow, as the server does not read to the end
			if len(got) != 1 || got[0].StatusCode != tc.status || !got[0].Close {
				t.Errorf("got %v, want %d and a closed connection", statuses(got), tc.status)
			}
			if n := <-sent; n > mostRead {
				t.Errorf("the server read %d MiB of the body", n>>20)
			}
			if n := testkit.Allocated() - before; n > mostMemory {
				t.Errorf("the refusal took %d MiB of memory", n>>20)
			}
			w.stop(t)
		})
	}
}

// sendZeros sends a header and zeros, and returns how many zeros could be sent.
func sendZeros(conn net.Conn, header string, length int64) (sent int64) {
	if _, err := io.WriteString(conn, header); err != nil {
		return 0
	}
	part := make([]byte, 64<<10)
	for sent < length {
		n, err := conn.Write(part[:min(int64(len(part)), length-sent)])
		sent += int64(n)
		if err != nil {
			break
		}
	}
	return sent
}

// A client that sends everything before it reads anything finds its response, unless it
// sends far too much.
func TestRefusalOutlivesTheUpload(t *testing.T) {
	b := start(t, defaultTimeouts)
	const body = 16 << 20
	conn := b.dial(t)
	header := fmt.Sprintf("POST /html-to-pdf HTTP/1.1\r\n%sX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", host, b.fixture.secret, body)
	if n := sendZeros(conn, header, body); n != body {
		t.Fatalf("only %d bytes could be sent", n)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 413 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

// Large bodies at once, as many as an account may have, stay within the memory that each may use.
func TestLargeBodiesAtOnce(t *testing.T) {
	b := start(t, defaultTimeouts)
	w := b.probe(t)
	const clients = transport.MaxAccountBodies / contract.MaxBody
	before := testkit.Allocated()
	body := strings.Repeat(" ", contract.MaxBody)
	codes := make(chan []int, clients)
	for range clients {
		conn := b.dial(t)
		go func() {
			sendZeros(conn, fmt.Sprintf("POST /html-to-pdf HTTP/1.1\r\n%sX-API-Key: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", host, b.fixture.secret, len(body)), int64(len(body)))
			got, _ := replies(conn)
			codes <- statuses(got)
		}()
	}
	for range clients {
		if got := <-codes; fmt.Sprint(got) != "[422]" {
			t.Errorf("got %v for a body that is not valid JSON", got)
		}
	}
	if n := testkit.Allocated() - before; n > clients*mostMemory {
		t.Errorf("%d bodies took %d MiB of memory", clients, n>>20)
	}
	w.stop(t)
}

// Without a key, announcing a body allocates no memory, not even for one of a size that
// would be allowed: the response comes before any of it is read.
func TestBodiesWithoutKeyGetNoMemory(t *testing.T) {
	b := start(t, timeouts{read: testkit.Patience, write: testkit.Patience, idle: testkit.Patience})
	w := b.probe(t)
	const clients = 100
	before := testkit.Allocated()
	for _, announced := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", contract.MaxBody), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", contract.MaxBody)} {
		for range clients {
			b.send(t, raw{bytes: "POST /html-to-pdf HTTP/1.1\r\n" + host + announced, want: []int{401}})
		}
	}
	if n := testkit.Allocated() - before; n > 2*clients*contract.MaxBody/10 {
		t.Errorf("%d clients without a key took %d MiB of memory", 2*clients, n>>20)
	}
	w.stop(t)
}
