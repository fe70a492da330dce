package cluster

import (
	"net/netip"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/hashicorp/memberlist"

	"platen.dev/events"
)

const (
	// MaxMetadata bounds the metadata of a node in bytes. memberlist has room for 512 bytes, including
	// the address of the actors.
	MaxMetadata = 128
	maxAddress  = 255
	maxVersion  = 64
	maxSecret   = 16
	// publishInterval is the least time between two publications of metadata, and
	// publishTimeout bounds one publication.
	publishInterval = 250 * time.Millisecond
	publishTimeout  = time.Second
)

// SetMetadata publishes up to MaxMetadata bytes to the other nodes, replacing earlier metadata. It
// returns at once. Of several calls within a quarter of a second, the others may see only the last.
// The caller must not change metadata afterwards.
func (c *Cluster) SetMetadata(metadata []byte) {
	c.mu.Lock()
	c.metadata = metadata
	c.mu.Unlock()
	c.publishSoon()
}

func (c *Cluster) publishSoon() {
	select {
	case c.changed <- struct{}{}:
	default: // the publication that is due will include it
	}
}

// SetCurrent tells the other nodes the time up to which this one has folded the journal.
func (c *Cluster) SetCurrent(at time.Time) {
	c.mu.Lock()
	c.current = 0
	if !at.IsZero() {
		c.current = at.Unix()
	}
	c.mu.Unlock()
	c.publishSoon()
}

// unix returns the time of a Unix second, the zero time for none.
func unix(second int64) time.Time {
	if second <= 0 {
		return time.Time{}
	}
	return time.Unix(second, 0)
}

// keepPublishing gossips this node's metadata after each change, at most once in
// publishInterval.
func (c *Cluster) keepPublishing() {
	for {
		select {
		case <-c.stop:
			return
		case <-c.changed:
		}
		if err := c.list.UpdateNode(publishTimeout); err != nil {
			c.cfg.Logger.Debug("some nodes may not have this node's metadata yet", "error", err)
		}
		select {
		case <-c.stop:
			return
		case <-time.After(publishInterval):
		}
	}
}

// nodeMeta is the metadata that memberlist carries for each node.
type nodeMeta struct {
	Actors   string `cbor:"1,keyasint"`
	Metadata []byte `cbor:"2,keyasint,omitempty"`
	// Current is a Unix second.
	Current int64        `cbor:"3,keyasint,omitempty"`
	Level   events.Level `cbor:"4,keyasint,omitempty"`
	Version string       `cbor:"5,keyasint,omitempty"`
	// Protocol is that of the messages between nodes.
	Protocol int64 `cbor:"6,keyasint,omitempty"`
	Leaving  bool  `cbor:"7,keyasint,omitempty"`
	// Secret is the name of the node's oldest secret.
	Secret string `cbor:"8,keyasint,omitempty"`
}

// decodeNodeMeta decodes what another node has published. It returns the zero value for
// anything that no node of this version publishes.
func decodeNodeMeta(b []byte) (m nodeMeta) {
	if cbor.Unmarshal(b, &m) != nil || m.isTooLong() || min(int64(m.Level), m.Protocol) < 0 {
		return nodeMeta{}
	}
	if _, _, err := splitAddress(m.Actors); err != nil {
		return nodeMeta{}
	}
	return m
}

func (m nodeMeta) isTooLong() bool {
	return len(m.Metadata) > MaxMetadata || len(m.Actors) > maxAddress || len(m.Version) > maxVersion || len(m.Secret) > maxSecret
}

// watcher receives memberlist's events. Its methods are called with memberlist's lock held,
// so they must not call memberlist.
type watcher Cluster

func (w *watcher) NotifyJoin(n *memberlist.Node) {
	w.cfg.Logger.Info("node up", "node", n.Name, "address", n.Address())
	w.NotifyUpdate(n)
}

func (w *watcher) NotifyLeave(n *memberlist.Node) {
	w.mu.Lock()
	w.noteDown(events.NodeID(n.Name), gossipAddress(n))
	delete(w.alive, events.NodeID(n.Name))
	delete(w.measured, events.NodeID(n.Name))
	w.mu.Unlock()
	w.cfg.Logger.Info("node down", "node", n.Name)
	w.cfg.Gone(events.NodeID(n.Name))
}

func (w *watcher) NotifyUpdate(n *memberlist.Node) {
	gossip := gossipAddress(n)
	meta := decodeNodeMeta(n.Meta)
	w.mu.Lock()
	w.met = w.met || events.NodeID(n.Name) != w.cfg.Node
	w.noteUp(events.NodeID(n.Name), gossip)
	w.alive[events.NodeID(n.Name)] = Member{
		Node: events.NodeID(n.Name), Actors: meta.Actors, Gossip: gossip.Addr(), Metadata: meta.Metadata,
		Level: max(meta.Level, events.FirstLevel), Version: meta.Version, Current: unix(meta.Current), Protocol: meta.Protocol, Leaving: meta.Leaving, OldestSecret: meta.Secret,
	}
	w.mu.Unlock()
	if w.cfg.Changed != nil {
		w.cfg.Changed()
	}
}

// gossipAddress returns the address that a node gossips from.
func gossipAddress(n *memberlist.Node) netip.AddrPort {
	address, _ := netip.AddrFromSlice(n.Addr)
	return netip.AddrPortFrom(address.Unmap(), n.Port)
}

// delegate gives memberlist this node's metadata, and no other state to gossip.
type delegate Cluster

func (d *delegate) NodeMeta(limit int) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := cbor.Marshal(nodeMeta{
		Actors: d.cfg.Actors, Metadata: d.metadata, Current: d.current, Level: events.NewestLevel,
		Version: d.cfg.Version[:min(len(d.cfg.Version), maxVersion)], Protocol: Protocol, Leaving: d.leaving, Secret: d.cfg.OldestSecret,
	})
	if err != nil || len(b) > limit {
		return nil // cannot happen: both are short
	}
	return b
}

func (*delegate) NotifyMsg([]byte)                {}
func (*delegate) GetBroadcasts(int, int) [][]byte { return nil }
func (*delegate) LocalState(bool) []byte          { return nil }
func (*delegate) MergeRemoteState([]byte, bool)   {}
