//go:build integration

package bus

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
)

const user, password = "platen", "Kr0kodil-im-Nil"

// secured is a real broker with a port in the clear, one for TLS and SASL, and one for TLS with client certificates.
type secured struct{ open, secure, mutual string }

func startSecured(t *testing.T, files testkit.Certificates) secured {
	t.Helper()
	certificates, dir := filepath.Dir(files.Authority), t.TempDir()
	broker := func(command string) string {
		run := exec.Command("../../testdata/kafka/run.sh", command, dir)
		run.Env = append(os.Environ(), "KAFKA_CERTIFICATES="+certificates, "KAFKA_USER="+user, "KAFKA_PASSWORD="+password)
		run.Stderr = os.Stderr
		out, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() { broker("kill") })
	b := secured{open: broker("start")}
	for name, address := range map[string]*string{"secure": &b.secure, "mutual": &b.mutual} {
		text, err := os.ReadFile(filepath.Join(certificates, name))
		if err != nil {
			t.Fatal(err)
		}
		*address = strings.TrimSpace(string(text))
	}
	return b
}

// TestBrokerAccess connects to a real broker with both clients, by every possible way, and checks the error of every refusal.
func TestBrokerAccess(t *testing.T) {
	files, others := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1)), testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	b := startSecured(t, files)
	by := func(mechanism, ca, cert, key string) access.Config {
		c := access.Config{TLS: true, Files: tlsfile.Client{CA: ca, Cert: cert, Key: key}, SASL: mechanism}
		if mechanism != "" {
			c.User, c.Password = user, password
		}
		return c
	}
	inClear := access.Config{SASL: "scram-sha-512", User: user, Password: password}
	unknown := by("scram-sha-512", files.Authority, "", "")
	unknown.Password = "guessed"
	for _, tc := range []struct {
		name, broker string
		entry        access.Config
		want         string // of what is wrong
	}{
		{"plain", b.secure, by("plain", files.Authority, "", ""), ""},
		{"scram-sha-256", b.secure, by("scram-sha-256", files.Authority, "", ""), ""},
		{"scram-sha-512", b.secure, by("scram-sha-512", files.Authority, "", ""), ""},
		{"client certificate", b.mutual, by("", files.Authority, files.Client, files.ClientKey), ""},
		{"wrong password", b.secure, unknown, "kafka.user or kafka.password is wrong"},
		{"no user", b.secure, by("", files.Authority, "", ""), "kafka.sasl"},
		{"unknown authority", b.secure, by("scram-sha-512", others.Authority, "", ""), "kafka.ca_file does not have"},
		{"the system's authorities", b.secure, by("scram-sha-512", "", "", ""), "kafka.ca_file does not have"},
		{"another host name", strings.Replace(b.secure, "127.0.0.1", "localhost", 1), by("scram-sha-512", files.Authority, "", ""), "another host name"},
		{"no certificate", b.mutual, by("", files.Authority, "", ""), "kafka.cert_file"},
		{"another's certificate", b.mutual, by("", files.Authority, others.Client, others.ClientKey), "kafka.cert_file"},
		{"TLS where there is none", b.open, by("", files.Authority, "", ""), "kafka.tls"},
		{"SASL where there is none", b.open, inClear, "kafka.sasl"},
		{"in the clear", b.secure, access.Config{}, "set kafka.tls = true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			topic := fmt.Sprintf("access-%d-%s", os.Getpid(), strings.ReplaceAll(tc.name, " ", "-"))
			l, err := kafka.Open(testkit.Context(t), kafka.Config{
				Brokers: []string{tc.broker}, Partitions: 2, Access: tc.entry, Logger: testkit.Silent(), Topics: map[string]kafka.TopicConfig{topic: {}},
			})
			if tc.want != "" {
				if !errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("%v, want %q", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			done := make(chan error, 1)
			l.Append(topic, 0, eventlog.Record{Value: []byte("x")}, func(_ int64, err error) { done <- err })
			if err := testkit.Receive(t, done, "an append"); err != nil {
				t.Fatal(err)
			}
			checkKafka(t, []string{tc.broker}, tc.entry, newTopic(t, b.open, 2))
		})
	}
}
