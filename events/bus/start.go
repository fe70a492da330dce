package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// Start returns the offset of the first message that a consumer wants of a partition.
type Start func(ctx context.Context, topic string, partition int32) (int64, error)

// Waiting is told why a partition cannot be read, and with nil that it can, again and again, from any goroutine. nil is told nothing.
type Waiting func(partition int32, err error)

func (w Waiting) tell(partition int32, err error) {
	if w != nil {
		w(partition, err)
	}
}

// starter makes partitions begin where Start says. Watermill-kafka exposes the handler of the
// consumer group only to a tracer; sarama calls the handler's Setup before it reads the initial
// offsets.
type starter struct {
	start   Start
	waiting Waiting
	pause   time.Duration

	mu     sync.Mutex // guards failed
	failed int32      // the partition for which start has failed, which may be another member's by now; -1 for none
}

func (s *starter) WrapConsumerGroupHandler(h sarama.ConsumerGroupHandler) sarama.ConsumerGroupHandler {
	return startHandler{h, s}
}

func (*starter) WrapConsumer(c sarama.Consumer) sarama.Consumer { return c }

func (*starter) WrapPartitionConsumer(c sarama.PartitionConsumer) sarama.PartitionConsumer { return c }

func (*starter) WrapSyncProducer(_ *sarama.Config, p sarama.SyncProducer) sarama.SyncProducer {
	return p
}

type startHandler struct {
	sarama.ConsumerGroupHandler
	*starter
}

// Setup implements sarama.ConsumerGroupHandler. After an error it pauses first, because
// watermill-kafka rejoins the group at once.
func (h startHandler) Setup(session sarama.ConsumerGroupSession) error {
	partition, err := h.begin(session)
	h.note(partition, err)
	if err != nil {
		pause(session.Context(), h.pause)
		return err
	}
	return h.ConsumerGroupHandler.Setup(session)
}

// begin moves the partitions to their beginnings, and returns the first for which that fails.
func (h startHandler) begin(session sarama.ConsumerGroupSession) (int32, error) {
	for topic, partitions := range session.Claims() {
		for _, p := range partitions {
			next, err := h.start(session.Context(), topic, p)
			if err != nil {
				return p, fmt.Errorf("where to begin with %s/%d: %w", topic, p, err)
			}
			session.ResetOffset(topic, p, next, "") // backwards only
			session.MarkOffset(topic, p, next, "")  // forwards only
		}
	}
	return 0, nil
}

// note tells of a partition that cannot begin, and that the former one no longer waits here.
func (s *starter) note(partition int32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed >= 0 && (err == nil || s.failed != partition) {
		s.waiting.tell(s.failed, nil)
		s.failed = -1
	}
	if err != nil {
		s.failed = partition
		s.waiting.tell(partition, err)
	}
}
