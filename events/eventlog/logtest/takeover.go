package logtest

import (
	"fmt"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// Takeover kills a process that holds half of the partitions and returns how long
// it took until the other member held them all.
func Takeover(t *testing.T, s Storage) time.Duration {
	t.Helper()
	l := open(t, s)
	o := &countingOwner{changed: make(chan int, 100)}
	m, err := l.Own("group-"+s.Topic, s.Topic, o)
	if err != nil {
		t.Fatalf("own: %v", err)
	}
	defer func() { _ = m.Close() }()
	o.await(t, Partitions)
	c := startChild(t, s, "own", 0)
	c.await(fmt.Sprint("holds ", Partitions/2))
	o.await(t, Partitions/2)
	c.kill()
	killed := time.Now()
	o.await(t, Partitions)
	return time.Since(killed)
}

// countingOwner sends how many partitions it holds after every change.
type countingOwner struct {
	held    int
	changed chan int
}

func (o *countingOwner) Assigned(partitions []int32) { o.change(len(partitions)) }
func (o *countingOwner) Revoked(partitions []int32)  { o.change(-len(partitions)) }
func (o *countingOwner) Lost(partitions []int32)     { o.change(-len(partitions)) }

func (o *countingOwner) change(by int) {
	o.held += by
	o.changed <- o.held
}

func (o *countingOwner) await(t *testing.T, want int) {
	t.Helper()
	ctx := testkit.Context(t)
	for {
		select {
		case held := <-o.changed:
			if held == want {
				return
			}
		case <-ctx.Done():
			t.Fatalf("the member never held %d partitions", want)
		}
	}
}
