package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// Start returns the offset of the first message that a consumer wants of a partition.
type Start func(ctx context.Context, topic string, partition int32) (int64, error)

// starter makes partitions begin where Start says. Watermill-kafka exposes the handler of the
// consumer group only to a tracer; sarama calls the handler's Setup before it reads the initial
// offsets.
type starter struct {
	start Start
	pause time.Duration
}

func (s starter) WrapConsumerGroupHandler(h sarama.ConsumerGroupHandler) sarama.ConsumerGroupHandler {
	return startHandler{h, s}
}

func (starter) WrapConsumer(c sarama.Consumer) sarama.Consumer { return c }

func (starter) WrapPartitionConsumer(c sarama.PartitionConsumer) sarama.PartitionConsumer { return c }

func (starter) WrapSyncProducer(_ *sarama.Config, p sarama.SyncProducer) sarama.SyncProducer {
	return p
}

type startHandler struct {
	sarama.ConsumerGroupHandler
	starter
}

// Setup implements sarama.ConsumerGroupHandler. After an error it pauses first, because
// watermill-kafka rejoins the group at once.
func (h startHandler) Setup(session sarama.ConsumerGroupSession) error {
	for topic, partitions := range session.Claims() {
		for _, p := range partitions {
			next, err := h.start(session.Context(), topic, p)
			if err != nil {
				pause(session.Context(), h.pause)
				return fmt.Errorf("where to begin with %s/%d: %w", topic, p, err)
			}
			session.ResetOffset(topic, p, next, "") // backwards only
			session.MarkOffset(topic, p, next, "")  // forwards only
		}
	}
	return h.ConsumerGroupHandler.Setup(session)
}
