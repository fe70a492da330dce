// Package clickhousetest starts ClickHouse servers for tests.
package clickhousetest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// Server is a ClickHouse for one test, with its files in a directory of the test.
type Server struct {
	// Address is the address of the native protocol, host:port.
	Address string
	// Secure is the address of the native protocol over TLS; the server requires a client certificate.
	Secure  string
	profile string // elements of XML
	dir     string
	process *exec.Cmd
}

// Installed returns the command that starts a server, or nothing. PLATEN_TEST_CLICKHOUSE names
// another server's command; it must accept the same configuration file.
func Installed() []string {
	if command := strings.Fields(os.Getenv("PLATEN_TEST_CLICKHOUSE")); len(command) > 0 {
		return command
	}
	for _, command := range [][]string{{"clickhouse-server"}, {"/usr/sbin/clickhouse-server"}, {"clickhouse", "server"}} {
		if path, err := exec.LookPath(command[0]); err == nil {
			return append([]string{path}, command[1:]...)
		}
	}
	return nil
}

const serverConfig = `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host><tcp_port>%[2]s</tcp_port>%[3]s
  <path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><users_config>%[1]s/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size>
</yandex>`

const serverUsers = `<yandex>
  <profiles><default>%s</default></profiles><quotas><default></default></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>`

// secureConfig makes the server require a certificate signed by the same authority.
const secureConfig = `<tcp_port_secure>%s</tcp_port_secure><openSSL><server>
    <certificateFile>%s</certificateFile><privateKeyFile>%s</privateKeyFile><caConfig>%s</caConfig>
    <loadDefaultCAFile>false</loadDefaultCAFile><verificationMode>strict</verificationMode>
  </server></openSSL>`

// Start starts a server that runs until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, &Server{Address: testkit.FreePorts(t, 1)[0]}, "")
}

// StartSecure starts a server that also speaks TLS.
func StartSecure(t testing.TB, files testkit.Certificates) *Server {
	t.Helper()
	ports := testkit.FreePorts(t, 2)
	return start(t, &Server{Address: ports[0], Secure: ports[1]}, fmt.Sprintf(secureConfig, portOf(ports[1]), files.Server, files.Key, files.Authority))
}

// StartWithProfile starts a server whose users' profile contains some XML elements: settings, or <constraints>.
func StartWithProfile(t testing.TB, profile string) *Server {
	t.Helper()
	return start(t, &Server{Address: testkit.FreePorts(t, 1)[0], profile: profile}, "")
}

func portOf(address string) string {
	_, port, _ := strings.Cut(address, ":")
	return port
}

// start starts a server with additional elements in config.xml.
func start(t testing.TB, s *Server, config string) *Server {
	t.Helper()
	if Installed() == nil {
		t.Fatal("clickhouse-server is not installed: run deploy/install-deps.sh --integration")
	}
	s.dir = t.TempDir()
	for file, text := range map[string]string{"config.xml": fmt.Sprintf(serverConfig, s.dir, portOf(s.Address), config), "users.xml": fmt.Sprintf(serverUsers, s.profile)} {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Restart(t)
	t.Cleanup(s.Kill)
	return s
}

// Restart starts the server again, after Kill.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	command := append(Installed(), "--config-file="+filepath.Join(s.dir, "config.xml"))
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
		conn, err := net.Dial("tcp", s.Address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// Kill ends the server at once, as SIGKILL does.
func (s *Server) Kill() {
	_ = s.process.Process.Kill() // it may have ended
	_ = s.process.Wait()
}

// Signal sends the server a signal. After SIGSTOP it returns once the server has stopped.
func (s *Server) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	send(t, s.process.Process, signal)
}

func send(t testing.TB, process *os.Process, signal os.Signal) {
	t.Helper()
	if err := process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if signal == syscall.SIGSTOP {
		testkit.Eventually(t, "the process has stopped", func() bool { return stopped(process.Pid) })
	}
}

// stopped reports whether every thread of a process is stopped: a signal reaches a busy one late.
func stopped(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		_, state, _ := bytes.Cut(stat, []byte(") ")) // proc_pid_stat(5): the name is in parentheses
		if err == nil && !bytes.HasPrefix(state, []byte("T")) {
			return false
		}
	}
	return err == nil && len(threads) > 0
}
