package cluster

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/memberlist"

	"platen.dev/actors/clock"
	"platen.dev/events"
)

const (
	// MaxClockDifference is how much the clocks of two nodes may differ. Clocks that NTP keeps
	// differ by milliseconds.
	MaxClockDifference = 2 * time.Second
	// WorryingClockDifference is the difference from which an operator should look at the clocks.
	WorryingClockDifference = MaxClockDifference / 4
	// maxRoundTrip bounds the round trip of a probe that counts: half of it is the error of
	// the measurement.
	maxRoundTrip = 500 * time.Millisecond
	// keptMeasurements is the number of measurements of a node that are kept; their median counts.
	keptMeasurements = 5
)

// ErrClock means that this node's clock differs from those of most other nodes.
var ErrClock = errors.New("this node's clock disagrees with the others': synchronise all clocks with NTP (chrony)")

// clocks are the two clocks of a node at a moment or, for another node, how far they are ahead of this process's monotonic time. A node does not
// follow a jump of its system's clock at once.
type clocks struct{ node, system time.Duration }

// clockProbe measures the clocks of the other nodes: each probe of memberlist is acknowledged
// with the time.
type clockProbe Cluster

// AckPayload implements memberlist.PingDelegate: both clocks in nanoseconds since 1970.
func (p *clockProbe) AckPayload() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.cfg.Now().UnixNano()))
	return binary.BigEndian.AppendUint64(b, uint64(p.cfg.System().UnixNano()))
}

// NotifyPingComplete implements memberlist.PingDelegate.
func (p *clockProbe) NotifyPingComplete(other *memberlist.Node, roundTrip time.Duration, payload []byte) {
	if len(payload) != 16 || roundTrip > maxRoundTrip {
		return
	}
	read := func(b []byte) time.Duration {
		return time.Unix(0, int64(binary.BigEndian.Uint64(b))).Add(roundTrip / 2).Sub(p.monotonic())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := events.NodeID(other.Name)
	all := append(p.measured[id], clocks{node: read(payload), system: read(payload[8:])})
	p.measured[id] = all[max(0, len(all)-keptMeasurements):]
}

// monotonic is a clock that never jumps: its measurements stay true when this node's clocks jump. It starts when the node begins to gossip.
func (c *clockProbe) monotonic() time.Time { return c.begun.Round(0).Add(time.Since(c.begun)) }

// ClockDifferences returns how far the clock of each other live node is ahead of this node's. Nodes that have not been measured are missing.
func (c *Cluster) ClockDifferences() map[events.NodeID]time.Duration {
	return c.differences(func(m clocks) time.Duration { return m.node }, c.cfg.Now)
}

// differences returns how far one of the clocks of each other node is ahead of ours.
func (c *Cluster) differences(theirs func(clocks) time.Duration, ours func() time.Time) map[events.NodeID]time.Duration {
	ahead := ours().Sub((*clockProbe)(c).monotonic())
	c.mu.Lock()
	defer c.mu.Unlock()
	median := map[events.NodeID]time.Duration{}
	for id, all := range c.measured {
		if _, up := c.alive[id]; !up {
			continue
		}
		var sorted []time.Duration
		for _, m := range all {
			sorted = append(sorted, theirs(m)-ahead)
		}
		slices.Sort(sorted)
		median[id] = sorted[len(sorted)/2]
	}
	return median
}

// SystemClock returns the other nodes' testimony on this node's system clock: Doubted if it differs from those of most others, Backed if most of them
// go by the same time. Others is the median of their times, the earlier one of two.
func (c *Cluster) SystemClock() clock.Testimony {
	nodes := c.differences(func(m clocks) time.Duration { return m.node }, c.cfg.System)
	systems := c.differences(func(m clocks) time.Duration { return m.system }, c.cfg.System)
	var t clock.Testimony
	if times := slices.Sorted(maps.Values(nodes)); len(times) > 0 {
		t.Others, t.Known = times[(len(times)-1)/2], true
	}
	switch {
	case checkClock(systems, false) != nil:
		t.Word = clock.Doubted
	case len(nodes) > 0 && checkClock(nodes, false) == nil:
		t.Word = clock.Backed
	}
	return t
}

// checkClock returns ErrClock if this node should own nothing because of its clock: it differs
// from those of most other nodes. A node that owns partitions already keeps them if only one
// node differs, because it cannot tell which of the two is wrong.
func checkClock(differences map[events.NodeID]time.Duration, owning bool) error {
	far := maps.Clone(differences)
	maps.DeleteFunc(far, func(_ events.NodeID, d time.Duration) bool { return d.Abs() <= MaxClockDifference })
	if 2*len(far) <= len(differences) || owning && len(far) < 2 {
		return nil
	}
	farthest := slices.MaxFunc(slices.Sorted(maps.Keys(far)), func(a, b events.NodeID) int {
		return cmp.Compare(far[a].Abs(), far[b].Abs())
	})
	return fmt.Errorf("%w; that of %s is %s away", ErrClock, farthest, far[farthest].Round(time.Millisecond))
}
