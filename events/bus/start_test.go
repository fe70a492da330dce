package bus

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/IBM/sarama"
)

// session is that of a member that claims partitions.
type session struct {
	sarama.ConsumerGroupSession
	ctx    context.Context
	claims []int32
}

func (s session) Claims() map[string][]int32             { return map[string][]int32{topic: s.claims} }
func (s session) Context() context.Context               { return s.ctx }
func (session) ResetOffset(string, int32, int64, string) {}
func (session) MarkOffset(string, int32, int64, string)  {}

// handler is the consumer's own.
type handler struct{ sarama.ConsumerGroupHandler }

func (handler) Setup(sarama.ConsumerGroupSession) error { return nil }

// If one partition cannot begin, none of the member's is read, and all wait, until they can or are another member's.
func TestNoPartitionBegins(t *testing.T) {
	fault := errors.New("cannot begin")
	var broken int32
	waits := map[int32]bool{}
	s := &starter{
		pause: time.Microsecond,
		start: func(_ context.Context, _ string, p int32) (int64, error) {
			if p == broken {
				return 0, fault
			}
			return 0, nil
		},
		waiting: func(p int32, err error) { waits[p] = err != nil },
	}
	h := s.WrapConsumerGroupHandler(handler{})
	for _, step := range []struct {
		claims []int32
		broken int32
		want   map[int32]bool
	}{
		{[]int32{0, 1, 2}, 1, map[int32]bool{0: true, 1: true, 2: true}},
		{[]int32{1, 2, 3}, 1, map[int32]bool{0: false, 1: true, 2: true, 3: true}},
		{[]int32{2, 3}, -1, map[int32]bool{0: false, 1: false, 2: false, 3: false}},
	} {
		broken = step.broken
		err := h.Setup(session{ctx: t.Context(), claims: step.claims})
		if errors.Is(err, fault) != (step.broken >= 0) || !maps.Equal(waits, step.want) {
			t.Errorf("of %v: %v, waiting are %v", step.claims, err, waits)
		}
	}
}
