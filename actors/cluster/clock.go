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

	"platen.dev/events"
)

const (
	// MaxClockDifference is how much the clocks of two nodes may differ. Clocks that NTP keeps
	// differ by milliseconds.
	MaxClockDifference = 2 * time.Second
	// maxRoundTrip bounds the round trip of a probe that counts: half of it is the error of
	// the measurement.
	maxRoundTrip = 500 * time.Millisecond
	// keptDifferences is the number of measurements of a node of which the median counts.
	keptDifferences = 5
)

// ErrClock means that this node's clock differs from those of most other nodes.
var ErrClock = errors.New("this node's clock is wrong, or those of the others are: keep all clocks by NTP (chrony)")

// clockProbe measures how far the clocks of the other nodes are from this one's: each probe of
// memberlist is acknowledged with the time.
type clockProbe Cluster

// AckPayload implements memberlist.PingDelegate.
func (p *clockProbe) AckPayload() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(p.cfg.Now().UnixNano()))
}

// NotifyPingComplete implements memberlist.PingDelegate.
func (p *clockProbe) NotifyPingComplete(other *memberlist.Node, roundTrip time.Duration, payload []byte) {
	if len(payload) != 8 || roundTrip > maxRoundTrip {
		return
	}
	theirs := time.Unix(0, int64(binary.BigEndian.Uint64(payload))).Add(roundTrip / 2)
	difference := theirs.Sub(p.cfg.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	id := events.NodeID(other.Name)
	all := append(p.differences[id], difference)
	p.differences[id] = all[max(0, len(all)-keptDifferences):]
}

// ClockDifferences returns how far the clock of each other node that is up is ahead of this
// node's. Nodes that have not been measured are missing.
func (c *Cluster) ClockDifferences() map[events.NodeID]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	median := map[events.NodeID]time.Duration{}
	for id, all := range c.differences {
		if _, up := c.alive[id]; up {
			sorted := slices.Sorted(slices.Values(all))
			median[id] = sorted[len(sorted)/2]
		}
	}
	return median
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
