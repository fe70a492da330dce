//go:build integration

package clickhouse

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// host is where the server of the playbook listens.
const host = "127.0.0.2"

const hosts = `all:
  vars: {ledger_user: platen, ledger_password: "Kr0kodil&<", ledger_database: platen, ansible_connection: local}
  children:
    cluster: {hosts: {platen1: {address: %[1]s}, platen2: {address: 127.0.0.1}}} # from which this machine connects
    ledger: {hosts: {platen1: {address: %[1]s}}}
`

// The server that the playbook sets up, over Debian's configuration, listens in one place, and admits nobody without a certificate and the password;
// root reaches it by the client's file.
func TestServerOfThePlaybook(t *testing.T) {
	if os.Getenv("PLATEN_TEST_CLICKHOUSE") != "" {
		t.Skip("the playbook installs Debian's server")
	}
	files, others := testkit.MakeCertificates(t, net.ParseIP(host)), testkit.MakeCertificates(t, net.ParseIP(host))
	p := renderPlaybook(t, files)
	server := p.start(t)
	if out, err := p.ask("CREATE DATABASE IF NOT EXISTS platen"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := Config{Addresses: []string{p.address}, Database: "platen", User: "platen", Password: "Kr0kodil&<", TLS: true}
	c.Files = tlsfile.Client{CA: files.Authority, Cert: files.Client, Key: files.ClientKey}
	l, err := Open(testkit.Context(t), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(testkit.Context(t), records(10)); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Config){
		"no certificate":            func(c *Config) { c.Files.Cert, c.Files.Key = "", "" },
		"another's certificate":     func(c *Config) { c.Files.Cert, c.Files.Key = others.Client, others.ClientKey },
		"another password":          func(c *Config) { c.Password = "x" },
		"no password":               func(c *Config) { c.Password = "" },
		"the user without password": func(c *Config) { c.User, c.Password = "default", "" },
		"in the clear":              func(c *Config) { c.TLS, c.Files = false, tlsfile.Client{} },
	} {
		wrong := c
		change(&wrong)
		if l, err := Open(testkit.Context(t), wrong); err == nil {
			t.Errorf("%s: is taken", name)
			_ = l.Close()
		}
	}
	if got := listeners(t, server.Process.Pid); !slices.Equal(got, []string{p.address}) {
		t.Errorf("it listens on %q, want %s alone", got, p.address)
	}
}

// playbook is the playbook's result for a host, in a directory.
type playbook struct{ dir, address string }

// renderPlaybook has Ansible render the templates, and puts their files and ports where a test may have them.
func renderPlaybook(t *testing.T, files testkit.Certificates) playbook {
	t.Helper()
	_, port, _ := strings.Cut(testkit.FreePorts(t, 1)[0], ":")
	p := playbook{t.TempDir(), host + ":" + port}
	p.write(t, "hosts.yml", fmt.Sprintf(hosts, host))
	for _, file := range []string{"config.xml", "users.xml"} {
		debian, err := os.ReadFile("/etc/clickhouse-server/" + file)
		if err != nil {
			t.Fatal(err)
		}
		p.write(t, file, string(debian))
	}
	templates, err := filepath.Abs("../../deploy/cluster/roles/ledger/templates")
	if err != nil {
		t.Fatal(err)
	}
	place := strings.NewReplacer("<certificateFile>/etc/clickhouse-server/server.crt", "<certificateFile>"+files.Server, "/etc/clickhouse-server/server.key", files.Key,
		"/etc/clickhouse-server/ca.pem", files.Authority, "9440", port)
	for file, to := range map[string]string{"config.xml": "config.d/platen.xml", "users.xml": "users.d/platen.xml", "client.xml": "client.xml"} {
		made := filepath.Join(p.dir, "rendered")
		out, err := exec.Command("ansible", "platen1", "-i", filepath.Join(p.dir, "hosts.yml"), "-m", "ansible.builtin.template",
			"-a", fmt.Sprintf("src=%s dest=%s", filepath.Join(templates, file), made)).CombinedOutput()
		if err != nil {
			t.Fatalf("ansible: %v\n%s", err, out)
		}
		text, err := os.ReadFile(made)
		if err != nil {
			t.Fatal(err)
		}
		p.write(t, to, place.Replace(string(text)))
	}
	client, err := os.ReadFile(filepath.Join(p.dir, "client.xml"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "client.xml", strings.NewReplacer(files.Server, files.Client, files.Key, files.ClientKey).Replace(string(client))) // a host has one certificate for both
	p.write(t, "config.d/test.xml", fmt.Sprintf(`<yandex><path replace="replace">%[1]s/data/</path><tmp_path replace="replace">%[1]s/tmp/</tmp_path>
		<logger replace="replace"><level>warning</level><console>1</console></logger></yandex>`, p.dir))
	return p
}

func (p playbook) write(t *testing.T, file, text string) {
	t.Helper()
	path := filepath.Join(p.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start starts the server, which runs until the test ends.
func (p playbook) start(t *testing.T) *exec.Cmd {
	t.Helper()
	command := clickhousetest.Installed()
	server := exec.Command(command[0], append(command[1:], "--config-file="+filepath.Join(p.dir, "config.xml"))...)
	said := new(strings.Builder)
	server.Dir, server.Stdout, server.Stderr = p.dir, said, said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("the server said:\n%.20000s", said)
		}
	})
	var out []byte
	var err error
	if !testkit.Becomes(func() bool {
		out, err = p.ask("SELECT 1")
		return err == nil
	}) {
		t.Fatalf("the server does not answer: %v: %s", err, out)
	}
	return server
}

// ask asks the server as root does.
func (p playbook) ask(query string) ([]byte, error) {
	return exec.Command("clickhouse-client", "--config-file", filepath.Join(p.dir, "client.xml"), "--query", query).CombinedOutput()
}

// listeners are the TCP addresses on which a process listens.
func listeners(t *testing.T, pid int) (all []string) {
	t.Helper()
	sockets := map[string]bool{}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		to, _ := os.Readlink(fd) // it may have been closed
		sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^ *\d+: (\w+):(\w+) \w+:\w+ 0A (?:\S+ +){5}(\d+)`).FindAllStringSubmatch(string(text), -1) {
			if sockets[m[3]] {
				all = append(all, addressOf(m[1], m[2]))
			}
		}
	}
	return all
}

// addressOf reads an address as the kernel writes it.
func addressOf(ip, port string) string {
	var b [4]byte
	var n int
	if len(ip) != 8 {
		return "[" + ip + "]:" + port
	}
	_, _ = fmt.Sscanf(ip, "%02x%02x%02x%02x", &b[3], &b[2], &b[1], &b[0])
	_, _ = fmt.Sscanf(port, "%x", &n)
	return fmt.Sprintf("%s:%d", net.IP(b[:]), n)
}
