package bus

import (
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
)

// Both clients connect to a broker that requires TLS and a password, by each of the three
// mechanisms; with a wrong password neither does. testdata/kafka tries the same on a real broker.
func TestAccess(t *testing.T) {
	files := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	pair, err := tls.LoadX509KeyPair(files.Server, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	for mechanism, called := range map[string]string{"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512"} {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topic), kfake.EnableSASL(),
			kfake.Superuser(called, "u", "p"), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		entry := access.Config{TLS: true, Files: tlsfile.Client{CA: files.Authority}, SASL: mechanism, User: "u", Password: "p"}
		if mechanism == "scram-sha-512" {
			checkKafka(t, cluster.ListenAddrs(), entry, topic)
		}
		publisher := func(c access.Config) error {
			p, err := NewKafkaPublisher(KafkaConfig{Brokers: cluster.ListenAddrs(), Access: c, Logger: testkit.Silent()})
			if err == nil {
				err = p.Close()
			}
			return err
		}
		open := func(c access.Config) error {
			l, err := kafka.Open(testkit.Context(t), kafka.Config{
				Brokers: cluster.ListenAddrs(), Access: c, ReadOnly: true, Logger: testkit.Silent(), Topics: map[string]kafka.TopicConfig{topic: {}},
			})
			if err == nil {
				err = l.Close()
			}
			return err
		}
		if err := errors.Join(open(entry), publisher(entry)); err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
		entry.Password = "guessed"
		if err := open(entry); !errors.Is(err, access.ErrRefused) {
			t.Errorf("%s with a wrong password: %v", mechanism, err)
		}
		if err := publisher(entry); err == nil {
			t.Errorf("%s: sarama gets in with a wrong password", mechanism)
		}
	}
}
