package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Right is an operation that brokers let a client perform on resources of a kind. deploy/README.md lists those that a node needs.
type Right struct {
	Operation kmsg.ACLOperation
	Kind      kmsg.ACLResourceType
	// Names are those of the resources.
	Names []string
}

// OnTopics returns the right to perform an operation on topics.
func OnTopics(operation kmsg.ACLOperation, names ...string) Right {
	return Right{operation, kmsg.ACLResourceTypeTopic, names}
}

// OnGroup returns the right to perform an operation on a consumer group.
func OnGroup(operation kmsg.ACLOperation, name string) Right {
	return Right{operation, kmsg.ACLResourceTypeGroup, []string{name}}
}

// operations are the names of operations, as kafka-acls.sh has them.
var operations = map[kmsg.ACLOperation]string{
	kmsg.ACLOperationRead: "Read", kmsg.ACLOperationWrite: "Write", kmsg.ACLOperationCreate: "Create", kmsg.ACLOperationDelete: "Delete",
	kmsg.ACLOperationDescribe: "Describe", kmsg.ACLOperationDescribeConfigs: "DescribeConfigs",
}

func (r Right) String() string {
	return fmt.Sprintf("%s on %s %s", operations[r.Operation], strings.ToLower(r.Kind.String()), strings.Join(r.Names, ", "))
}

// IsIn reports whether the right is among the operations that a broker lists as allowed on what it has shown, one per bit. Brokers that list none, not
// even Describe, do not say what they allow.
func (r Right) IsIn(allowed int32) bool {
	return allowed == unlisted || allowed == 0 || allowed&(1<<r.Operation) != 0
}

// unlisted means that a broker does not say what it allows.
const unlisted = -1 << 31

// unauthorized are the errors of brokers that mean the lack of a right, as either client has them.
var unauthorized = []error{
	kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed,
	sarama.ErrTopicAuthorizationFailed, sarama.ErrGroupAuthorizationFailed, sarama.ErrClusterAuthorizationFailed, sarama.ErrTransactionalIDAuthorizationFailed,
}

// ExplainLack turns an error that means the lack of a right into ErrRefused, which names the right that the failed request needs. It explains any other error as
// Explain does.
func (c Config) ExplainLack(err error, need Right) error {
	if !errors.Is(err, ErrRefused) && slices.ContainsFunc(unauthorized, func(one error) bool { return errors.Is(err, one) }) {
		return fmt.Errorf("%w: %w", c.Lack(need), err)
	}
	return c.Explain(err)
}

// Lack returns the error that means the lack of rights.
func (c Config) Lack(rights ...Right) error {
	who := "this node"
	if c.User != "" {
		who = "User:" + c.User
	}
	all := make([]string, len(rights))
	for i, r := range rights {
		all[i] = r.String()
	}
	return fmt.Errorf("%w: allow %s %s", ErrRefused, who, strings.Join(all, ", and "))
}
