package clickhouse

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/events/testkit"
)

var databases atomic.Int64

// fresh makes an empty database on a server.
func fresh(t testing.TB, address string) Config {
	t.Helper()
	database := fmt.Sprintf("platen_test_%d_%d", os.Getpid(), databases.Add(1))
	admin := connect(t, Config{Addresses: []string{address}, Database: "default", Timeout: DefaultTimeout})
	if err := admin.Exec(testkit.Context(t), "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = admin.Exec(testkit.Context(t), "DROP DATABASE IF EXISTS "+database) // the server may be gone
	})
	return Config{Addresses: []string{address}, Database: database}
}

// connect returns a connection beside the ledger's.
func connect(t testing.TB, c Config) driver.Conn {
	t.Helper()
	options, err := c.options()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func mustOpen(t testing.TB, c Config) *Ledger {
	t.Helper()
	l, err := Open(testkit.Context(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
