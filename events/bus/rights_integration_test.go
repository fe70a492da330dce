//go:build integration

package bus

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
)

// TestBrokerRights grants a user of a real broker one right after another, as deploy/README.md lists them, and looks what it is told to lack. The right to
// write is taken before the first append, and given again.
func TestBrokerRights(t *testing.T) {
	files := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	b := startSecured(t, files)
	const topic, prefix = "platen.rights", "platen."
	config := kafka.Config{
		Brokers: []string{b.secure}, Partitions: 1, Logger: testkit.Silent(), Topics: map[string]kafka.TopicConfig{topic: {}}, Groups: []string{"platen-rights"},
		Access: access.Config{TLS: true, Files: tlsfile.Client{CA: files.Authority}, SASL: "scram-sha-512", User: "guarded", Password: password},
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.open))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	rights := func(operations ...kadm.ACLOperation) *kadm.ACLBuilder {
		return kadm.NewACLs().Allow("User:guarded").AllowHosts("*").ResourcePatternType(kadm.ACLPatternPrefixed).Topics(prefix).Operations(operations...)
	}
	grant := func(b *kadm.ACLBuilder) {
		t.Helper()
		if _, err := admin.CreateACLs(testkit.Context(t), b); err != nil {
			t.Fatal(err)
		}
	}
	// lacks waits until opening the log is refused for lack of that right: rights reach the broker a moment later. "" is for no refusal.
	lacks := func(want string) {
		t.Helper()
		testkit.Eventually(t, "it lacks "+want, func() bool {
			l, err := kafka.Open(testkit.Context(t), config)
			if err == nil {
				_ = l.Close()
				return want == ""
			}
			return want != "" && errors.Is(err, access.ErrRefused) && strings.Contains(err.Error(), "no access to Kafka: allow User:guarded "+want)
		})
	}
	lacks("Describe on topic " + topic)
	grant(rights(kadm.OpDescribe))
	lacks("Create on topic " + topic)
	grant(rights(kadm.OpCreate))
	lacks("Read on topic " + topic + ", and Write on topic " + topic)
	grant(rights(kadm.OpRead))
	lacks("Write on topic " + topic)
	grant(rights(kadm.OpWrite))
	lacks("")
	found, err := kafka.Examine(testkit.Context(t), config)
	if got := strings.Join(found.Unallowed, "; "); err != nil || got != "Delete on topic "+topic+"; Read on group platen-rights" || len(found.Undisclosed) != 1 {
		t.Errorf("examine: %+v, %v", found, err)
	}
	grant(rights(kadm.OpDelete, kadm.OpDescribeConfigs))
	grant(kadm.NewACLs().Allow("User:guarded").AllowHosts("*").ResourcePatternType(kadm.ACLPatternPrefixed).Groups("platen-").Operations(kadm.OpRead))
	testkit.Eventually(t, "nothing is missing", func() bool {
		found, err = kafka.Examine(testkit.Context(t), config)
		return err == nil && len(found.Unallowed)+len(found.Undisclosed) == 0
	})
	l, err := kafka.Open(testkit.Context(t), config)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := admin.DeleteACLs(testkit.Context(t), rights(kadm.OpWrite)); err != nil {
		t.Fatal(err)
	}
	lacks("Write on topic " + topic)
	write := func() error {
		_, err := eventlog.AppendWait(testkit.Context(t), l, topic, 0, eventlog.Record{Value: []byte("x")})
		return err
	}
	if err := write(); !errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), "allow User:guarded Write on topic "+topic) {
		t.Errorf("an append: %v", err)
	}
	grant(rights(kadm.OpWrite))
	testkit.Eventually(t, "it can write again", func() bool { return write() == nil })
}
