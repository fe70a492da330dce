// Package cluster knows which nodes are up, and carries actor messages between them. It does not
// know who owns a partition: the log's assignment and the epoch protocol of actors/shard decide
// that.
//
// Gossip is encrypted if a secret is configured. Actor messages travel over mutual TLS, and an
// actor receives only the kinds of message that nodes send (docs/decisions/0033). They are small
// by design, because content goes through the log.
package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"platen.dev/events"
	"platen.dev/events/secret"
)

// Config says how a node finds the others, and what it tells them.
type Config struct {
	Node events.NodeID
	// Gossip is the address of memberlist, host:port, TCP and UDP; port 0 picks a free one.
	Gossip string
	// Join lists the gossip addresses of other nodes. Unreachable ones are tried again.
	Join []string
	// Actors is the address of this node's actors, host:port, as the other nodes reach it.
	Actors string
	// Version is this node's build. The others see its first 64 bytes.
	Version string
	// Secrets are those accepted for gossip. The first one encrypts it; none means no encryption.
	Secrets []secret.Root
	// OldestSecret names the oldest secret, in up to 16 bytes. A node whose oldest secret differs from those of most others may own nothing.
	OldestSecret string
	// Now is the clock that the node goes by, System its machine's. Both are compared with those of
	// the other nodes.
	Now, System func() time.Time
	// Gone is called with every node that has left or died. It must not block.
	Gone func(events.NodeID)
	// Changed is called when a node has joined or has new metadata; it may be nil. It must
	// not block.
	Changed func()
	Logger  *slog.Logger
}

const (
	// A node that does not answer for about a second is down (measured: 1 s with these two, 5.6 s with
	// memberlist's defaults).
	probeInterval  = 200 * time.Millisecond
	suspicionMult  = 3
	leaveTimeout   = time.Second
	rejoinInterval = 2 * time.Second
)

// Cluster is this node's view of the cluster. Its methods may be called from any goroutine,
// Close once.
type Cluster struct {
	cfg       Config
	transport *transport
	list      *memberlist.Memberlist
	stop      chan struct{}
	stopped   sync.WaitGroup

	changed chan struct{} // buffered for one signal: metadata has changed

	mu       sync.Mutex
	alive    map[events.NodeID]Member // guarded by mu
	down     map[events.NodeID]Down   // guarded by mu
	leaving  bool                     // of this node; guarded by mu
	metadata []byte                   // of this node; guarded by mu
	current  int64                    // a Unix second, of this node; guarded by mu
	// measured are the last measurements of the other nodes' clocks; guarded by mu.
	measured map[events.NodeID][]clocks
	// begun is when this node began to gossip; met is set once it has met another node.
	begun time.Time
	met   bool // guarded by mu
}

// Member is a node that is up.
type Member struct {
	Node events.NodeID
	// Actors is the address of its actors, host:port; empty if this node does not know that node's
	// version. Gossip is the address that it gossips from.
	Actors string
	Gossip netip.Addr
	// Metadata is set by the node, with SetMetadata.
	Metadata []byte
	// Level is the highest feature level that the node can read. Version is its build.
	Level   events.Level
	Version string
	// Current is the time up to which it has folded the journal, as set by SetCurrent; zero if unset.
	Current time.Time
	// Protocol is the highest version of the messages between nodes that it knows.
	Protocol int64
	// Leaving is set on a node that is about to leave.
	Leaving bool
	// OldestSecret names its oldest secret; empty if it does not say.
	OldestSecret string
}

// Protocol is the version of the messages between nodes that this build knows. A node is never sent
// a message that it does not know, because it would refuse it and close the connection.
//
//	1  asks for the status of a node
const Protocol = 1

// Join starts to gossip. It succeeds even if no other node can be reached, and keeps trying
// to reach them until Close.
func Join(cfg Config) (*Cluster, error) {
	cfg.Join = slices.DeleteFunc(slices.Clone(cfg.Join), func(address string) bool { return address == cfg.Gossip })
	c := &Cluster{
		cfg: cfg, stop: make(chan struct{}), changed: make(chan struct{}, 1), begun: time.Now(),
		alive: map[events.NodeID]Member{}, down: map[events.NodeID]Down{}, measured: map[events.NodeID][]clocks{},
	}
	if err := c.gossip(); err != nil {
		return nil, err
	}
	c.join()
	c.stopped.Go(c.keepJoining)
	c.stopped.Go(c.keepPublishing)
	return c, nil
}

// gossip begins to tell others of this node, and to be told of them.
func (c *Cluster) gossip() error {
	host, port, err := splitAddress(c.cfg.Gossip)
	if err != nil {
		return err
	}
	conf := memberlist.DefaultLANConfig()
	if conf.Keyring, err = keyring(c.cfg.Secrets); err != nil {
		return err
	}
	if c.transport, err = listen(host, port); err != nil {
		return fmt.Errorf("start gossip on %s: %w", c.cfg.Gossip, err)
	}
	port = c.transport.GetAutoBindPort()
	conf.Name, conf.Transport = string(c.cfg.Node), c.transport
	conf.BindAddr, conf.BindPort, conf.AdvertisePort = host, port, port
	conf.ProbeInterval, conf.SuspicionMult = probeInterval, suspicionMult
	conf.Events, conf.Delegate, conf.Ping = (*watcher)(c), (*delegate)(c), (*clockProbe)(c)
	conf.LogOutput = &gossipLog{logger: c.cfg.Logger, now: time.Now, told: map[string]time.Time{}}
	if c.list, err = memberlist.Create(conf); err != nil {
		return fmt.Errorf("start gossip on %s: %w", c.cfg.Gossip, errors.Join(err, c.transport.Shutdown()))
	}
	return nil
}

// keyring returns the keys of gossip, nil without secrets.
func keyring(secrets []secret.Root) (*memberlist.Keyring, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	var keys [][]byte
	for _, s := range secrets {
		key := s.Key("platen gossip v1")
		keys = append(keys, key[:])
	}
	return memberlist.NewKeyring(keys, keys[0])
}

// join contacts those of the configured nodes that can be reached.
func (c *Cluster) join() {
	if len(c.cfg.Join) == 0 {
		return
	}
	if _, err := c.list.Join(c.cfg.Join); err != nil {
		c.cfg.Logger.Debug("some nodes could not be joined, retrying later", "error", err)
	}
}

// keepJoining contacts the configured nodes again while some may be missing: they may have started
// later, or been cut off.
func (c *Cluster) keepJoining() {
	ticker := time.NewTicker(rejoinInterval)
	defer ticker.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-ticker.C:
			if c.list.NumMembers() <= len(c.cfg.Join) {
				c.join()
			}
		}
	}
}

// joinGrace is how long a node that knows of others waits for the first of them, and then to
// compare clocks with it.
const joinGrace = 5 * time.Second

// ErrAlone means that this node has not met another one yet, although it knows of some.
var ErrAlone = errors.New("no other node has been reached yet")

// MayOwn returns why this node should own no partitions now, nil if it may: it has met the other
// nodes, or waited for them in vain, and their clocks do not contradict its own. owning says
// whether it owns partitions already.
func (c *Cluster) MayOwn(owning bool) error {
	differences := c.ClockDifferences()
	if err := checkClock(differences, owning); err != nil || owning {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkSecret(); err != nil {
		return err
	}
	if len(c.cfg.Join) == 0 || c.met && len(differences) > 0 || time.Since(c.begun) > joinGrace {
		return nil
	}
	return ErrAlone
}

// ErrSecret means that this node's oldest secret differs from those of most other nodes: neither side could open what the other one has sealed.
var ErrSecret = errors.New("this node's oldest secret differs from the others': give all nodes the same cluster.secret, cluster.former_secrets and cluster.seal_key")

// checkSecret returns ErrSecret if this node should own nothing because of its secrets. The caller holds the lock.
func (c *Cluster) checkSecret() error {
	var others []string
	for id, m := range c.alive {
		if id != c.cfg.Node && m.OldestSecret != c.cfg.OldestSecret && m.OldestSecret != "" {
			others = append(others, string(id))
		}
	}
	if 2*len(others) <= len(c.alive)-1 {
		return nil
	}
	return fmt.Errorf("%w; %s has another one", ErrSecret, slices.Min(others))
}

// Address returns the gossip address of this node, host:port.
func (c *Cluster) Address() string { return c.list.LocalNode().Address() }

// Alive reports whether this node believes a node to be up.
func (c *Cluster) Alive(node events.NodeID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, up := c.alive[node]
	return up
}

// Actors returns the address of a node's actors, host:port; false for a node that is down.
func (c *Cluster) Actors(node events.NodeID) (address string, up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, up := c.alive[node]
	return m.Actors, up
}

// Members returns the nodes that are up, including this one, in no particular order.
func (c *Cluster) Members() []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.alive))
}

// Nodes returns the number of nodes that are up, including this one.
func (c *Cluster) Nodes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alive)
}

// Close leaves the cluster: the others learn at once that this node is gone on purpose. If they are leaving too,
// there may be nobody left to tell; a node that is not told notices the silence.
func (c *Cluster) Close() error {
	close(c.stop)
	c.stopped.Wait()
	c.mu.Lock()
	c.leaving = true
	c.mu.Unlock()
	if err := errors.Join(c.list.UpdateNode(leaveTimeout), c.list.Leave(leaveTimeout)); err != nil {
		c.cfg.Logger.Warn("the other nodes may not know that this one has left", "error", err)
	}
	return c.list.Shutdown()
}

// Single is the cluster of one node.
type Single events.NodeID

// Alive reports whether node is the id of this node. Earlier starts had other ids.
func (s Single) Alive(node events.NodeID) bool { return node == events.NodeID(s) }
