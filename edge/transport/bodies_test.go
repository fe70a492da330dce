package transport

import (
	"errors"
	"strconv"
	"testing"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Greedy accounts leave room for the largest body of another.
func TestBodiesInAll(t *testing.T) {
	const limit = 4 * MaxAccountBodies
	b := NewBodies(limit)
	var held []*Share
	for taken := true; taken; {
		taken = false
		for account := range 20 {
			if s, err := b.Take(events.AccountID(strconv.Itoa(account)), 1<<20); err == nil {
				held, taken = append(held, s), true
			} else if !errors.Is(err, ErrFull) {
				t.Fatalf("got %+v", err)
			}
		}
	}
	newcomer, err := b.Take("newcomer", contract.MaxBody)
	if err != nil || b.InUse() > limit {
		t.Fatalf("a newcomer got %v with %d of %d bytes in use", err, b.InUse(), limit)
	}
	for _, s := range append(held, newcomer) {
		s.Shrink(10)
		s.Shrink(20)
		s.Release()
		s.Release()
	}
	if b.InUse() != 0 || len(b.by) != 0 {
		t.Errorf("%d bytes of %d accounts are left", b.InUse(), len(b.by))
	}
	if _, err := b.Take("alone", MaxAccountBodies); err != nil {
		t.Errorf("an account alone got %v", err)
	}
	if _, err := b.Take("alone", 1); !errors.Is(err, ErrAccountFull) {
		t.Errorf("beyond its limit it got %v", err)
	}
}
