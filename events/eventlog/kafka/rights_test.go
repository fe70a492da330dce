package kafka_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// guarded is a cluster whose brokers allow the user platen nothing but what it is granted.
type guarded struct {
	t      *testing.T
	admin  *kadm.Client
	config kafka.Config
	said   *testkit.Lines
}

func startGuarded(t *testing.T) guarded {
	const mechanism = "SCRAM-SHA-256"
	cluster := startCluster(t, kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser(mechanism, "admin", "secret"), kfake.User(mechanism, "platen", "secret"))
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.SASL(scram.Auth{User: "admin", Pass: "secret"}.AsSha256Mechanism()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	said := &testkit.Lines{}
	return guarded{t, kadm.NewClient(client), kafka.Config{
		Brokers: cluster.ListenAddrs(), Partitions: 1, Topics: map[string]kafka.TopicConfig{topic: {}}, Groups: []string{"platen"},
		Access: access.Config{SASL: "scram-sha-256", User: "platen", Password: "secret"}, Logger: slog.New(slog.NewTextHandler(said, nil)),
	}, said}
}

// rights names operations on the topics, and on the group.
func (g guarded) rights(operations ...kadm.ACLOperation) *kadm.ACLBuilder {
	return kadm.NewACLs().Allow("User:platen").AllowHosts("*").Topics("platen.").Groups("platen").ResourcePatternType(kadm.ACLPatternPrefixed).Operations(operations...)
}

func (g guarded) grant(operations ...kadm.ACLOperation) {
	g.t.Helper()
	if len(operations) == 0 {
		return
	}
	if _, err := g.admin.CreateACLs(within(g.t), g.rights(operations...)); err != nil {
		g.t.Fatal(err)
	}
}

func (g guarded) revoke(operations ...kadm.ACLOperation) {
	g.t.Helper()
	if _, err := g.admin.DeleteACLs(within(g.t), g.rights(operations...)); err != nil {
		g.t.Fatal(err)
	}
}

func (g guarded) open() *kafka.Log {
	g.t.Helper()
	l, err := kafka.Open(within(g.t), g.config)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = l.Close() })
	return l
}

// all are the operations that a node needs.
var all = []kadm.ACLOperation{kadm.OpRead, kadm.OpWrite, kadm.OpCreate, kadm.OpDelete, kadm.OpDescribe, kadm.OpDescribeConfigs}

// A log is not opened without the rights to read and to write its topics, and says at once which are missing. Examining finds those that are
// missed later, too.
func TestMissingRights(t *testing.T) {
	for name, c := range map[string]struct {
		exists  bool
		granted []kadm.ACLOperation
		refused string // why the log is not opened; "" if it is
		missing string // what Examine finds missing all the same
	}{
		"nothing":                 {true, nil, "allow User:platen Describe on topic platen.test: ", ""},
		"nothing, and no topic":   {false, nil, "allow User:platen Describe on topic platen.test: ", ""},
		"to describe":             {true, []kadm.ACLOperation{kadm.OpDescribe}, "allow User:platen Read on topic platen.test, and Write on topic platen.test", ""},
		"to read":                 {true, []kadm.ACLOperation{kadm.OpRead}, "allow User:platen Write on topic platen.test", ""},
		"to write":                {true, []kadm.ACLOperation{kadm.OpWrite}, "allow User:platen Read on topic platen.test", ""},
		"to read and write":       {true, []kadm.ACLOperation{kadm.OpRead, kadm.OpWrite}, "", "Delete on topic platen.test; hidden: platen.test"},
		"all, and no topic":       {false, all, "", ""},
		"all":                     {true, all, "", ""},
		"not to create the topic": {false, []kadm.ACLOperation{kadm.OpRead, kadm.OpWrite}, "no access to Kafka: allow User:platen Create on topic platen.test: ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := startGuarded(t)
			if c.exists {
				createTopic(t, g.admin, topic, 1, map[string]string{"retention.ms": "-1", "retention.bytes": "-1", "max.message.bytes": "2000000"})
			}
			g.grant(c.granted...)
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
			defer cancel()
			found, examineErr := kafka.Examine(ctx, g.config)
			if c.refused != "" {
				checkDenied(t, "examine", examineErr, c.refused)
			} else if got := missing(found); examineErr != nil || got != c.missing {
				t.Errorf("examine: missing %q, %v; want %q", got, examineErr, c.missing)
			}
			l, err := kafka.Open(ctx, g.config)
			if err == nil {
				_ = l.Close()
			}
			checkDenied(t, "open", err, c.refused)
		})
	}
}

// missing returns what Examine has found missing.
func missing(found kafka.Examined) string {
	all := strings.Join(found.Unallowed, ", ")
	if len(found.Undisclosed) > 0 {
		all += "; hidden: " + strings.Join(found.Undisclosed, ", ")
	}
	return all
}

// checkDenied wants an error that says which right is missing, none if that is "".
func checkDenied(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && (!errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: got %v, want %q", what, err, want)
	}
}

// A log that loses the right to write before its first append can write again as soon as the right is back, and its records are in order.
func TestWriteIsAllowedAgain(t *testing.T) {
	g := startGuarded(t)
	g.grant(all...)
	l := g.open()
	g.revoke(kadm.OpWrite)
	_, err := appendOne(t, l, "refused")
	checkDenied(t, "append", err, "append: no access to Kafka: allow User:platen Write on topic platen.test: ")
	if !errors.Is(err, kerr.ClusterAuthorizationFailed) {
		t.Errorf("the refusal is another one: %v", err)
	}
	g.grant(kadm.OpWrite)
	testkit.Eventually(t, "an append succeeds", func() bool { _, err := appendOne(t, l, "0"); return err == nil })
	g.revoke(kadm.OpWrite)
	_, err = appendOne(t, l, "refused")
	checkDenied(t, "append", err, "append: no access to Kafka: allow User:platen Write on topic platen.test: ")
	g.grant(kadm.OpWrite)
	if _, err := appendOne(t, l, "1"); err != nil {
		t.Errorf("the right is back: %v", err)
	}
	checkNumbers(t, l, 2)
}

func appendOne(t *testing.T, l eventlog.Log, value string) (int64, error) {
	t.Helper()
	return eventlog.AppendWait(within(t), l, topic, 0, eventlog.Record{Value: []byte(value)})
}

// A reader outlasts the loss of the right to read, and says which it lacks.
func TestReadIsAllowedAgain(t *testing.T) {
	g := startGuarded(t)
	g.grant(all...)
	l := g.open()
	r := l.Read(topic, 0, 0)
	defer r.Close()
	g.revoke(kadm.OpRead)
	if _, err := appendOne(t, l, "0"); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() { _, err := r.Next(within(t)); read <- err }()
	testkit.Eventually(t, "the reader says what it lacks", func() bool {
		return strings.Contains(g.said.String(), "allow User:platen Read on topic platen.test: ")
	})
	g.grant(kadm.OpRead)
	if err := testkit.Receive(t, read, "the record"); err != nil {
		t.Error(err)
	}
}

// A member that may not join its group says once which right it lacks, and joins when it has it.
func TestGroupIsAllowedLater(t *testing.T) {
	g := startGuarded(t)
	g.grant(kadm.OpRead, kadm.OpWrite, kadm.OpCreate)
	onGroup := kadm.NewACLs().Allow("User:platen").AllowHosts("*").Groups("platen").ResourcePatternType(kadm.ACLPatternPrefixed).Operations(kadm.OpRead)
	if _, err := g.admin.DeleteACLs(within(t), onGroup); err != nil {
		t.Fatal(err)
	}
	if found, err := kafka.Examine(within(t), g.config); err != nil || !strings.Contains(strings.Join(found.Unallowed, ", "), "Read on group platen") {
		t.Errorf("examine: %+v, %v", found, err)
	}
	l := g.open()
	assigned := make(assignments, 1)
	m, err := l.Own("platen", topic, assigned)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	const lack = "allow User:platen Read on group platen: "
	testkit.Eventually(t, "the member says what it lacks", func() bool { return strings.Contains(g.said.String(), lack) })
	if _, err := g.admin.CreateACLs(within(t), onGroup); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, assigned, "the partition")
	if said := strings.Count(g.said.String(), lack); said != 1 {
		t.Errorf("it was said %d times", said)
	}
}

// assignments receive the partitions that an owner is given.
type assignments chan []int32

func (a assignments) Assigned(partitions []int32) { a <- partitions }
func (assignments) Revoked([]int32)               {}
func (assignments) Lost([]int32)                  {}

// Trimming needs a right of its own, and names it.
func TestTrimIsRefused(t *testing.T) {
	g := startGuarded(t)
	g.grant(kadm.OpRead, kadm.OpWrite, kadm.OpCreate)
	l := g.open()
	if _, err := appendOne(t, l, "0"); err != nil {
		t.Fatal(err)
	}
	checkDenied(t, "trim", l.Trim(within(t), topic, 0, 1), "allow User:platen Delete on topic platen.test: ")
}
