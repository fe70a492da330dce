// Package cluster tells which nodes are up, and carries actor messages between
// them. It never says who owns what: that is the log's assignment and the epoch
// protocol of actors/shard. Gossip is encrypted when a secret is given; actor
// messages travel in the clear until mutual TLS comes, so their port belongs on a
// private network. They are small by design: content goes through the log.
package cluster

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"github.com/fxamacker/cbor/v2"
	"github.com/hashicorp/memberlist"
	"google.golang.org/grpc"

	"platen.dev/events"
)

// Config says how a node meets the others.
type Config struct {
	Node events.NodeID
	// Gossip is host:port for memberlist, TCP and UDP; port 0 picks one.
	Gossip string
	// Join lists gossip addresses of other nodes; unreachable ones are tried again.
	Join []string
	// Actors is where this node's actors are reached, host:port; the others are told.
	Actors string
	// Secret encrypts gossip: 16, 24 or 32 bytes, or none.
	Secret []byte
	// Gone is told of every node that left or died. It must not block.
	Gone func(events.NodeID)
	// Changed is told that a node came or has another note; nil for nobody. It must not block.
	Changed func()
	Logger  *slog.Logger
}

const (
	// A node that answers nothing for about a second is down (measured: 1 s with
	// these two, 5.6 s with memberlist's own defaults).
	probeInterval = 200 * time.Millisecond
	suspicion     = 3
	leaveTimeout  = time.Second
	// noteEvery is how often at most the others are told another note, and noteLimit
	// how long that may take.
	noteEvery = 250 * time.Millisecond
	noteLimit = time.Second
	joinAgain = 2 * time.Second
	// maxMessage lets the remote writer's batches of up to 1000 envelopes through;
	// gRPC's own 4 MiB would break the stream and lose them silently.
	maxMessage = 64 << 20
)

// StartRemote lets actors of other nodes reach those of system, at host:port;
// port 0 picks one. It must run before the first actor is spawned, because an
// actor's address contains the node's.
func StartRemote(system *actor.ActorSystem, address string) (stop func(), err error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	defer func() { // the library panics when it cannot listen
		if r := recover(); r != nil {
			err = fmt.Errorf("listen for actors on %s: %v", address, r)
		}
	}()
	r := remote.NewRemote(system, remote.Configure(host, port,
		remote.WithServerOptions(grpc.MaxRecvMsgSize(maxMessage))))
	r.Start()
	return func() { r.Shutdown(false) }, nil
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w", address, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: port must be 0 to 65535", address)
	}
	return host, port, nil
}

// Cluster is this node's view of the members.
type Cluster struct {
	cfg     Config
	list    *memberlist.Memberlist
	stop    chan struct{}
	stopped sync.WaitGroup

	noted chan struct{} // has room for one: the note is another

	mu    sync.Mutex
	alive map[events.NodeID]Member
	note  []byte // of this node
}

// Member is a node that is up.
type Member struct {
	Node events.NodeID
	// Actors is where its actors are reached, host:port, and Gossip from where it gossips.
	Actors string
	Gossip netip.Addr
	// Note is what it has to say for itself; see Cluster.Note.
	Note []byte
}

// Join starts to gossip. It succeeds alone too, and keeps looking for the others.
func Join(cfg Config) (*Cluster, error) {
	c := &Cluster{cfg: cfg, stop: make(chan struct{}), noted: make(chan struct{}, 1), alive: map[events.NodeID]Member{}}
	conf, err := c.memberlistConfig()
	if err != nil {
		return nil, err
	}
	if c.list, err = memberlist.Create(conf); err != nil {
		return nil, fmt.Errorf("start gossip on %s: %w", cfg.Gossip, err)
	}
	c.join()
	c.stopped.Go(c.keepJoining)
	c.stopped.Go(c.keepTelling)
	return c, nil
}

func (c *Cluster) memberlistConfig() (*memberlist.Config, error) {
	host, port, err := splitAddress(c.cfg.Gossip)
	if err != nil {
		return nil, err
	}
	conf := memberlist.DefaultLANConfig()
	conf.Name = string(c.cfg.Node)
	conf.BindAddr, conf.BindPort, conf.AdvertisePort = host, port, port
	conf.ProbeInterval, conf.SuspicionMult = probeInterval, suspicion
	conf.SecretKey = c.cfg.Secret
	conf.Events, conf.Delegate = (*watcher)(c), (*meta)(c)
	conf.LogOutput = io.Discard
	return conf, nil
}

// join meets the configured nodes, as far as they are there.
func (c *Cluster) join() {
	if len(c.cfg.Join) == 0 {
		return
	}
	if _, err := c.list.Join(c.cfg.Join); err != nil {
		c.cfg.Logger.Debug("not every node could be joined", "error", err)
	}
}

// keepJoining ends loneliness: a node that started first, or was cut off, meets
// the others when they are there.
func (c *Cluster) keepJoining() {
	ticker := time.NewTicker(joinAgain)
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

// Address is where this node gossips.
func (c *Cluster) Address() string { return c.list.LocalNode().Address() }

// Alive tells whether a node is up, as far as this one knows.
func (c *Cluster) Alive(node events.NodeID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, up := c.alive[node]
	return up
}

// Actors is where the actors of a node are reached; false for a node that is not up.
func (c *Cluster) Actors(node events.NodeID) (address string, up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, up := c.alive[node]
	return m.Actors, up
}

// Members lists the nodes that are up, this one included, in no order.
func (c *Cluster) Members() []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.alive))
}

// Note has the others told something small, up to MaxNote bytes, that changes often.
// It returns at once; of several notes in short order, the others hear of the last.
func (c *Cluster) Note(note []byte) {
	c.mu.Lock()
	c.note = note
	c.mu.Unlock()
	select {
	case c.noted <- struct{}{}:
	default: // will be told with the one before
	}
}

// keepTelling gossips this node's note, not too often.
func (c *Cluster) keepTelling() {
	for {
		select {
		case <-c.stop:
			return
		case <-c.noted:
		}
		if err := c.list.UpdateNode(noteLimit); err != nil {
			c.cfg.Logger.Debug("the others may not have heard", "error", err)
		}
		select {
		case <-c.stop:
			return
		case <-time.After(noteEvery):
		}
	}
}

// Nodes is how many nodes are up, this one included.
func (c *Cluster) Nodes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alive)
}

// Close says good-bye to the others, so that they need not find out.
func (c *Cluster) Close() error {
	close(c.stop)
	c.stopped.Wait()
	return errors.Join(c.list.Leave(leaveTimeout), c.list.Shutdown())
}

// watcher is Cluster as memberlist sees it. Its methods run under memberlist's
// lock and therefore call nothing of memberlist.
type watcher Cluster

func (w *watcher) NotifyJoin(n *memberlist.Node) {
	w.cfg.Logger.Info("node up", "node", n.Name, "address", n.Address())
	w.NotifyUpdate(n)
}

func (w *watcher) NotifyLeave(n *memberlist.Node) {
	w.mu.Lock()
	delete(w.alive, events.NodeID(n.Name))
	w.mu.Unlock()
	w.cfg.Logger.Info("node down", "node", n.Name)
	w.cfg.Gone(events.NodeID(n.Name))
}

func (w *watcher) NotifyUpdate(n *memberlist.Node) {
	gossip, _ := netip.AddrFromSlice(n.Addr)
	told := readCard(n.Meta)
	w.mu.Lock()
	w.alive[events.NodeID(n.Name)] = Member{Node: events.NodeID(n.Name), Actors: told.Actors, Gossip: gossip.Unmap(), Note: told.Note}
	w.mu.Unlock()
	if w.cfg.Changed != nil {
		w.cfg.Changed()
	}
}

// card is what the others are told of this node with its being up.
type card struct {
	Actors string `cbor:"1,keyasint"`
	Note   []byte `cbor:"2,keyasint,omitempty"`
}

const (
	// MaxNote bounds a note in bytes; memberlist carries 512 of everything.
	MaxNote    = 128
	maxAddress = 255
)

// readCard reads what another node told. What no node of this version tells is nothing.
func readCard(b []byte) (c card) {
	if cbor.Unmarshal(b, &c) != nil || len(c.Note) > MaxNote || len(c.Actors) > maxAddress {
		return card{}
	}
	if _, _, err := splitAddress(c.Actors); err != nil {
		return card{}
	}
	return c
}

// meta is Cluster as memberlist asks it what to tell the others.
type meta Cluster

func (m *meta) NodeMeta(limit int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := cbor.Marshal(card{m.cfg.Actors, m.note})
	if err != nil || len(b) > limit {
		return nil // cannot be: neither is long
	}
	return b
}

func (*meta) NotifyMsg([]byte)                {}
func (*meta) GetBroadcasts(int, int) [][]byte { return nil }
func (*meta) LocalState(bool) []byte          { return nil }
func (*meta) MergeRemoteState([]byte, bool)   {}

// Single is the cluster of a node that has no others.
type Single events.NodeID

// Alive tells whether node is this start of this node.
func (s Single) Alive(node events.NodeID) bool { return node == events.NodeID(s) }
