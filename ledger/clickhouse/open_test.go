package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"platen.dev/events/testkit"
)

func valid() Config { return Config{Addresses: []string{"127.0.0.1:9000"}, Database: "platen"} }

// Every field is checked, and named in the error.
func TestConfig(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"":                func(c *Config) { c.Cluster, c.Timeout, c.TLS, c.Files.CA = "main_1", time.Second, true, "ca.pem" },
		"addresses: ther": func(c *Config) { c.Addresses = nil },
		"addresses: \"ho": func(c *Config) { c.Addresses = []string{"127.0.0.1:9000", "host"} },
		"addresses: \":9": func(c *Config) { c.Addresses = []string{":9000"} },
		"database":        func(c *Config) { c.Database = "a b" },
		"cluster":         func(c *Config) { c.Cluster = "main'" },
		"ca_file":         func(c *Config) { c.Files.CA = "ca.pem" },
		"timeout":         func(c *Config) { c.Timeout = time.Second - 1 },
	} {
		c := valid()
		change(&c)
		err := c.Validate()
		if (want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c := valid()
	c.TLS, c.Files.CA = true, "/does/not/exist.pem"
	if _, err := Open(testkit.Context(t), c); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("open: %v", err)
	}
}

// On a cluster all tables are made on all servers, replicated, each under a path of its own.
func TestStatements(t *testing.T) {
	c := valid()
	if all := statements(first, c); len(all) != 3 || strings.Contains(strings.Join(all, ""), "CLUSTER") {
		t.Errorf("a single server: %q", all)
	}
	c.Cluster = "main"
	for i, table := range []string{"usage_ledger", "ledger_entry", "ledger_batch"} {
		s := statements(first, c)[i]
		testkit.Contains(
			t, s, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s ON CLUSTER main (", table),
			fmt.Sprintf("ENGINE = ReplicatedReplacingMergeTree('/clickhouse/platen/{shard}/platen/%s', '{replica}')", table), "ORDER BY",
		)
	}
}

// Refusals of the server come with advice. Errors that pass do not keep a node from starting.
func TestErrorsOfServer(t *testing.T) {
	for code, want := range map[int32]struct {
		todo   string
		passes bool
	}{
		81: {"create the database", false}, 164: {"readonly", false}, 452: {"remove the constraint", false}, 60: {"", false},
		tooFewReplicas: {"most replicas must answer", true}, replicaIsBehind: {"fetches", true}, noQuorumInTime: {"appended again", true}, keeperException: {"", true},
	} {
		refused := fmt.Errorf("append: %w", &proto.Exception{Code: code, Message: "no"})
		err := explain(refused)
		if !strings.Contains(err.Error(), want.todo) || codeOf(err) != code || passes(err) != want.passes {
			t.Errorf("code %d: %v, passes: %v", code, err, passes(err))
		}
	}
	if err := explain(errors.New("no")); err.Error() != "no" || codeOf(err) != 0 || passes(nil) {
		t.Errorf("an error of the client: %v", err)
	}
}

// Each setting that has another value than its pin is named. Those that a server does not know are left out.
func TestCheckSettings(t *testing.T) {
	known := map[string]string{"select_sequential_consistency": "1", "insert_deduplicate": "0"}
	if err := check(known); err != nil {
		t.Error(err)
	}
	known["async_insert"], known["timeout_overflow_mode"] = "1", "break"
	err := check(known)
	if !errors.Is(err, errUnfit) {
		t.Fatal(err)
	}
	testkit.Contains(t, err.Error(), `async_insert is "1" and must be "0"`, `timeout_overflow_mode is "break" and must be "throw"`)
	if err := check(nil); !errors.Is(err, errUnfit) {
		t.Errorf("a server that knows nothing: %v", err)
	}
}

// A server that is down is an error that names it.
func TestServerIsDown(t *testing.T) {
	c := valid()
	c.Addresses = []string{testkit.FreePorts(t, 1)[0]}
	if _, err := Open(testkit.Context(t), c); err == nil || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), c.Addresses[0]) {
		t.Errorf("open: %v", err)
	}
	l, err := Connect(c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Ping(testkit.Context(t)); err == nil || !strings.Contains(err.Error(), c.Addresses[0]) {
		t.Errorf("ping: %v", err)
	}
}

// A server that says nothing does not hold anybody up: the timeout ends the call, and so does its
// context.
func TestServerIsSilent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() // connections are never accepted, so they are established and silent
	c, start := valid(), time.Now()
	c.Addresses, c.Timeout = []string{listener.Addr().String()}, time.Second
	if _, err := Open(testkit.Context(t), c); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("open: %v, want the timeout", err)
	}
	ctx, cancel := context.WithTimeout(testkit.Context(t), 50*time.Millisecond)
	defer cancel()
	c.Timeout = time.Minute
	if _, err := Open(ctx, c); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "no answer") {
		t.Errorf("open: %v, want the context's error", err)
	}
	if took := time.Since(start); took > dialTimeout {
		t.Errorf("both took %s", took)
	}
}

// Over TLS, the server has to have a certificate of an authority that is trusted.
func TestServerCertificates(t *testing.T) {
	files := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	certificate, err := tls.LoadX509KeyPair(files.Server, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go answer(listener)
	c := valid()
	c.Addresses, c.TLS = []string{listener.Addr().String()}, true
	if _, err := Open(testkit.Context(t), c); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("not trusted: %v", err)
	}
	c.Files.CA = files.Authority
	if _, err := Open(testkit.Context(t), c); err == nil || strings.Contains(err.Error(), "certificate") {
		t.Errorf("trusted: %v, want only the greeting to fail", err)
	}
}

// answer speaks TLS and nothing of ClickHouse.
func answer(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.(*tls.Conn).Handshake() // its other end says what it thinks
		_, _ = conn.Write([]byte("HTTP/1.0 400\r\n\r\n"))
		_ = conn.Close()
	}
}
