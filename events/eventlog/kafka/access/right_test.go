package access_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog/kafka/access"
)

// Each error that means the lack of a right names the right, once. Other errors stay as they are.
func TestExplainLack(t *testing.T) {
	c := access.Config{SASL: "scram-sha-256", User: "platen"}
	write := access.OnTopics(kmsg.ACLOperationWrite, "platen.commands")
	for _, refusal := range []error{
		kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed, kerr.GroupAuthorizationFailed,
	} {
		err := c.ExplainLack(c.ExplainLack(fmt.Errorf("append: %w", refusal), write), access.OnGroup(kmsg.ACLOperationRead, "platen"))
		want := "no access to Kafka: allow User:platen Write on topic platen.commands: append: " + refusal.Error()
		if !errors.Is(err, access.ErrRefused) || !errors.Is(err, refusal) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, other := range []error{nil, kerr.NotLeaderForPartition, errors.New("away")} {
		if err := c.ExplainLack(other, write); !errors.Is(err, other) || errors.Is(err, access.ErrRefused) {
			t.Errorf("%v became %v", other, err)
		}
	}
	if err := c.ExplainLack(kerr.SaslAuthenticationFailed, write); !errors.Is(err, access.ErrRefused) {
		t.Errorf("a wrong password: %v", err)
	}
}

// Each right is one bit of the operations that brokers list as allowed.
func TestRightIsIn(t *testing.T) {
	read := access.OnGroup(kmsg.ACLOperationRead, "platen")
	for allowed, want := range map[int32]bool{1 << 3: true, 1<<3 | 1<<8: true, 1 << 4: false, 1 << 8: false, 0: true, math.MinInt32: true} {
		if got := read.IsIn(allowed); got != want {
			t.Errorf("%x: %t", allowed, got)
		}
	}
	if got := read.String(); got != "Read on group platen" {
		t.Errorf("got %q", got)
	}
}
