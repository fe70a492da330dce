package eventlog

import (
	"errors"
	"testing"
)

// A room is full at exactly its bound. One that is empty takes anything, and one without a
// bound is never full.
func TestRoom(t *testing.T) {
	r := NewRoom(100)
	for _, step := range []struct {
		take, give int
		want       error
	}{{take: 99}, {take: 2, want: ErrBusy}, {take: 1}, {take: 1, want: ErrBusy}, {give: 100, take: 101}, {take: 1, want: ErrBusy}} {
		r.Give(step.give)
		if err := r.Take(step.take); !errors.Is(err, step.want) {
			t.Errorf("take %d: %v, want %v", step.take, err, step.want)
		}
	}
	unbounded := NewRoom(0)
	for range 3 {
		if err := unbounded.Take(1 << 40); err != nil {
			t.Error(err)
		}
	}
}

func TestSize(t *testing.T) {
	r := Record{Key: make([]byte, 3), Value: make([]byte, 5), Headers: []Header{{"ab", "c"}}}
	if got := Size(&r); got != overhead+3+5+3 {
		t.Errorf("size %d", got)
	}
}
