package cluster

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"platen.dev/events"
)

// Down is a node that went down without leaving: it was killed, or cannot be reached.
type Down struct {
	Node events.NodeID
	// Gossip is the address that it gossiped from.
	Gossip netip.AddrPort
	// Since is when this node noticed.
	Since time.Time
}

const (
	// downKept is how long a node that went down is remembered, unless another one gossips from its
	// address sooner: its machine may be gone for good.
	downKept = time.Hour
	// maxDown bounds the number of nodes remembered; the newest are kept.
	maxDown = 64
)

// Down returns the nodes that went down within the last hour and that no other has replaced, in order.
func (c *Cluster) Down() []Down {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.down, func(_ events.NodeID, d Down) bool { return time.Since(d.Since) > downKept })
	return slices.SortedFunc(maps.Values(c.down), func(a, b Down) int { return cmp.Compare(a.Node, b.Node) })
}

// noteDown remembers a node that went down, unless it announced that it was leaving. mu is held.
func (w *watcher) noteDown(id events.NodeID, address netip.AddrPort) {
	if m, known := w.alive[id]; !known || m.Leaving {
		return
	}
	if len(w.down) >= maxDown {
		oldest := slices.MinFunc(slices.Collect(maps.Values(w.down)), func(a, b Down) int { return a.Since.Compare(b.Since) })
		delete(w.down, oldest.Node)
	}
	w.down[id] = Down{Node: id, Gossip: address, Since: time.Now()}
}

// noteUp forgets a node that is up again, and those whose address it has taken over. mu is held.
func (w *watcher) noteUp(id events.NodeID, address netip.AddrPort) {
	maps.DeleteFunc(w.down, func(of events.NodeID, d Down) bool { return of == id || d.Gossip == address })
}
