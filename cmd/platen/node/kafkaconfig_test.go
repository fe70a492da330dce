package node

import (
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// A node opens its log on brokers that require TLS and a password, and does not start with a wrong
// one.
func TestKafkaWithPassword(t *testing.T) {
	files := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	pair, err := tls.LoadX509KeyPair(files.Server, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "u", "p"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	cfg := NewConfig()
	cfg.Data, cfg.Partitions, cfg.Kafka.Brokers = t.TempDir(), 1, broker.ListenAddrs()
	cfg.Kafka.TLS, cfg.Kafka.CAFile, cfg.Kafka.SASL, cfg.Kafka.User, cfg.Kafka.Password = true, files.Authority, "scram-sha-512", "u", "p"
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	l, err := cfg.OpenLog(testkit.Context(t), "test", testkit.Silent(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	cfg.Kafka.Password = "guessed"
	if _, err := Start(testkit.Context(t), cfg, Options{}); !errors.Is(err, access.ErrRefused) {
		t.Errorf("a node with a wrong password: %v", err)
	}
	if _, err := cfg.OpenLogReadOnly(testkit.Context(t)); !errors.Is(err, access.ErrRefused) {
		t.Errorf("platen log dump with a wrong password: %v", err)
	}
}
