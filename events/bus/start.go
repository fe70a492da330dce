package bus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"platen.dev/events/eventlog"
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

	mu   sync.Mutex // guards told
	told []int32    // the partitions of which waiting was told that they cannot be read
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
	err := h.begin(session)
	h.note(session.Claims(), err)
	if err != nil {
		eventlog.Pause(session.Context(), h.pause)
		return err
	}
	return h.ConsumerGroupHandler.Setup(session)
}

// begin moves the partitions to their beginnings. At the first error it leaves the rest.
func (h startHandler) begin(session sarama.ConsumerGroupSession) error {
	for topic, partitions := range session.Claims() {
		for _, p := range partitions {
			next, err := h.start(session.Context(), topic, p)
			if err != nil {
				return fmt.Errorf("where to begin with %s/%d: %w", topic, p, err)
			}
			session.ResetOffset(topic, p, next, "") // backwards only
			session.MarkOffset(topic, p, next, "")  // forwards only
		}
	}
	return nil
}

// note tells Waiting about a member's partitions. After an error none is read, because sarama ends the session. Those that were told of before and
// belong to another member now no longer wait.
func (s *starter) note(claims map[string][]int32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var claimed []int32
	for _, partitions := range claims {
		claimed = append(claimed, partitions...)
	}
	slices.Sort(claimed)
	for _, p := range s.told {
		if err == nil || !slices.Contains(claimed, p) {
			s.waiting.tell(p, nil)
		}
	}
	s.told = nil
	if err == nil {
		return
	}
	for _, p := range claimed {
		s.waiting.tell(p, err)
	}
	s.told = claimed
}
