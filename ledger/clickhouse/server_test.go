package clickhouse

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/events/testkit"
)

// server is a ClickHouse of its own for a test, with its files in a directory of the test.
type server struct {
	address, dir string
	process      *exec.Cmd
}

// installed returns the command that starts a server, or nothing.
func installed() []string {
	for _, command := range [][]string{{"clickhouse-server"}, {"/usr/sbin/clickhouse-server"}, {"clickhouse", "server"}} {
		if path, err := exec.LookPath(command[0]); err == nil {
			return append([]string{path}, command[1:]...)
		}
	}
	return nil
}

// closedPort is a port of 127.0.0.1 that nothing listens on.
func closedPort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

const serverConfig = `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host><tcp_port>%[2]d</tcp_port>
  <path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><users_config>%[1]s/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size>
</yandex>`

const serverUsers = `<yandex>
  <profiles><default></default></profiles><quotas><default></default></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>`

// startServer starts a server that runs until the test ends.
func startServer(t testing.TB) *server {
	t.Helper()
	if installed() == nil {
		t.Fatal("clickhouse-server is not installed: run deploy/install-deps.sh --integration")
	}
	port := closedPort(t)
	s := &server{address: fmt.Sprint("127.0.0.1:", port), dir: t.TempDir()}
	for file, text := range map[string]string{"config.xml": fmt.Sprintf(serverConfig, s.dir, port), "users.xml": serverUsers} {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

// start starts the server, again after kill.
func (s *server) start(t testing.TB) {
	t.Helper()
	command := append(installed(), "--config-file="+filepath.Join(s.dir, "config.xml"))
	s.process = exec.Command(command[0], command[1:]...)
	s.process.Dir = s.dir
	said := new(strings.Builder)
	s.process.Stdout, s.process.Stderr = said, said
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	process := s.process
	t.Cleanup(func() {
		_ = process.Process.Kill() // it may have ended
		_ = process.Wait()
		if t.Failed() {
			t.Logf("the server said:\n%.20000s", said)
		}
	})
	testkit.Eventually(t, "the server answers", func() bool {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// kill ends the server at once, as SIGKILL does.
func (s *server) kill() {
	_ = s.process.Process.Kill() // it may have ended
	_ = s.process.Wait()
}

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
