package bus

import (
	"errors"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog/kafka/access"
)

// explainer is a logger of a member of a consumer group that says which right the member lacks.
type explainer struct {
	watermill.LoggerAdapter
	access access.Config
	group  string
}

// Error implements watermill.LoggerAdapter.
func (e explainer) Error(msg string, err error, fields watermill.LogFields) {
	need := access.OnGroup(kmsg.ACLOperationRead, e.group)
	if topic, known := fields["topic"].(string); known && !errors.Is(err, sarama.ErrGroupAuthorizationFailed) {
		need = access.OnTopics(kmsg.ACLOperationRead, topic)
	}
	e.LoggerAdapter.Error(msg, e.access.ExplainLack(err, need), fields)
}

// With implements watermill.LoggerAdapter.
func (e explainer) With(fields watermill.LogFields) watermill.LoggerAdapter {
	e.LoggerAdapter = e.LoggerAdapter.With(fields)
	return e
}

// explainedPublisher is a publisher that says which right it lacks.
type explainedPublisher struct {
	message.Publisher
	access access.Config
}

// Publish implements message.Publisher.
func (p explainedPublisher) Publish(topic string, messages ...*message.Message) error {
	return p.access.ExplainLack(p.Publisher.Publish(topic, messages...), access.OnTopics(kmsg.ACLOperationWrite, topic))
}
