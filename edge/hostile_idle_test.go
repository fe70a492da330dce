package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

const (
	idleClients = 10_000
	// idleHeap is the most heap in bytes that a connection without a request may hold.
	idleHeap = 8 << 10
	// idleStack is the most stack: what a goroutine needs that waits in nested calls.
	idleStack = 16 << 10
	// spareFiles is an allowance for the files that a process has open anyway.
	spareFiles = 1_000
)

// Ten thousand idle connections cost little memory, and other clients are served as if
// they were not there.
func TestIdleConnectionsCostLittle(t *testing.T) {
	testkit.Long(t)
	needFiles(t, idleClients+spareFiles)
	for name, request := range map[string]string{
		"no request":  "",
		"one request": "GET /jobs/8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, defaultTimeouts)
			w := b.probe(t)
			before := inUse()
			if request != "" {
				request = fmt.Sprintf(request, b.fixture.secret)
			}
			release := hold(t, b.address, request)
			b.awaitOpen(t, idleClients)
			after := inUse()
			heap, stack := perClient(before.heap, after.heap), perClient(before.stack, after.stack)
			t.Logf("an idle connection holds %d bytes of heap and %d of stack", heap, stack)
			if heap > idleHeap || stack > idleStack {
				t.Errorf("an idle connection holds %d bytes of heap and %d of stack, %d and %d are allowed", heap, stack, idleHeap, idleStack)
			}
			w.stop(t)
			release()
		})
	}
}

func perClient(before, after uint64) int64 { return (int64(after) - int64(before)) / idleClients }

// awaitOpen waits until the server has accepted its clients' connections.
func (b *liveServer) awaitOpen(t *testing.T, clients int32) {
	t.Helper()
	testkit.Eventually(t, "the connections are open", func() bool { return b.http.GetOpenConnectionsCount() >= clients })
}

// needFiles raises the limit of open files, also for processes started from now on, and
// skips the test if that is forbidden.
func needFiles(t *testing.T, files uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Max >= files { // Go has raised the soft limit to it already
		return
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: files, Max: files}); err != nil {
		t.Skipf("NOT TESTED: %d open files are needed, %d are allowed, and the limit cannot be raised: %v", files, limit.Max, err)
	}
}

// holdAddress makes TestHold hold connections to that address.
const holdAddress = "EDGE_TEST_HOLD"

// hold opens the idle connections from another process, so that they do not count
// towards the memory and the open files of this one. The returned function closes them.
func hold(t *testing.T, address, request string) (release func()) {
	t.Helper()
	holder := exec.Command(os.Args[0], "-test.run=^TestHold$", "-test.timeout=2m")
	holder.Env = append(os.Environ(), holdAddress+"="+address, "EDGE_TEST_REQUEST="+request)
	holder.Stderr = os.Stderr
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	release = func() {
		_ = in.Close()
		_ = holder.Wait() // it was told to end, and may do so in any way
	}
	t.Cleanup(release)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "held" {
		t.Fatalf("the clients did not connect: %q %v", line, err)
	}
	return release
}

// TestHold is the process of the clients of TestIdleConnectionsCostLittle.
func TestHold(t *testing.T) {
	address, request := os.Getenv(holdAddress), os.Getenv("EDGE_TEST_REQUEST")
	if address == "" {
		t.Skip("runs as a part of TestIdleConnectionsCostLittle")
	}
	conns := make([]net.Conn, idleClients)
	for i := range conns {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // or ten thousand ports would stay taken for a minute
		conns[i] = conn
		if request != "" {
			ask(t, conn, request)
		}
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin) // closed when the test has seen enough
	for _, conn := range conns {
		_ = conn.Close()
	}
}

// ask sends a request and reads the response.
func ask(t *testing.T, conn net.Conn, request string) {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
}
