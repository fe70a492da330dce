package eventlog

import "sync"

// overhead is roughly the memory of an append besides the bytes of its record.
const overhead = 128

// Size is roughly the memory that a record takes in flight, in bytes.
func Size(r *Record) int {
	n := overhead + len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// Room bounds the appends in flight of one topic. The back ends share it, so that all of them
// refuse alike. It is safe for concurrent use.
type Room struct {
	limit int // in bytes; 0 means no bound

	mu    sync.Mutex
	taken int
}

// NewRoom returns a room of limit bytes, 0 for one without a bound.
func NewRoom(limit int) *Room { return &Room{limit: limit} }

// Take takes size bytes, or returns ErrBusy. An empty room takes any size.
func (r *Room) Take(size int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limit > 0 && r.taken > 0 && r.taken+size > r.limit {
		return ErrBusy
	}
	r.taken += size
	return nil
}

// Give gives size bytes back.
func (r *Room) Give(size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= size
}
