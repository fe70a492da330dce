package shard

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// State is how far an ownership has come.
type State string

// The states of an ownership.
const (
	// Starting owners wait until their replica has read everything before them.
	Starting State = "starting"
	// Serving owners decide commands.
	Serving State = "serving"
	// Halted owners wait for the operator, because commands are lost.
	Halted State = "halted"
)

// Status describes a partition that this node owns.
type Status struct {
	Partition int32
	State     State
	// Err is why the partition is halted.
	Err error
}

// board is where a node's hosts post their status. It is safe for concurrent use.
type board struct {
	mu sync.Mutex
	of map[*Host]Status
	// lost counts commands that were trimmed before they were decided, setAside those that were set aside.
	lost, setAside atomic.Int64
}

func newBoard() *board { return &board{of: map[*Host]Status{}} }

func (b *board) show(h *Host, s State, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of[h] = Status{h.partition, s, err}
}

func (b *board) remove(h *Host) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, h)
}

// SetAside returns the number of commands that this node's owners have set aside, because they could not be decided.
func (s *Shards) SetAside() int64 {
	return s.board.setAside.Load()
}

// Status lists the partitions that this node owns, in order.
func (s *Shards) Status() (all []Status) {
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	for _, status := range s.board.of {
		all = append(all, status)
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.Partition, b.Partition) })
	return all
}

// LostCommands returns the number of commands that this node's owners have found trimmed
// before they were decided.
func (s *Shards) LostCommands() int64 {
	return s.board.lost.Load()
}

// Continue lets a halted partition of this node continue without the lost commands. It returns at once; a partition that is not halted here is
// unaffected.
func (s *Shards) Continue(partition int32) { s.system.Root.Send(s.pid, proceed{partition}) }
