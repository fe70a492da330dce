package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/cluster"
	"platen.dev/events"
)

const (
	// DeskName is the name of the actor that answers other nodes.
	DeskName = "status"
	// Patience is how long a node may take to answer.
	Patience = time.Second
	// protocol is the lowest cluster.Protocol of a node that can be asked.
	protocol = 1
)

// DeskConfig configures a Desk.
type DeskConfig struct {
	Node   events.NodeID
	System *actor.ActorSystem
	// Describe describes the node. It is called by one goroutine at a time.
	Describe func(context.Context) Node
	// Members and Down return the nodes of the cluster, as gossip knows them.
	Members func() []cluster.Member
	Down    func() []cluster.Down
}

// Desk answers requests for its node's status, and asks the other nodes.
type Desk struct {
	cfg DeskConfig
	pid *actor.PID
}

// Open starts the actor that answers.
func Open(cfg DeskConfig) (d *Desk, err error) {
	d = &Desk{cfg: cfg}
	d.pid, err = cfg.System.Root.SpawnNamed(actor.PropsFromFunc(d.receive), DeskName)
	return d, err
}

// Close stops the actor.
func (d *Desk) Close() { d.cfg.System.Root.Stop(d.pid) }

// receive answers any message of bytes: later versions may put more into it.
func (d *Desk) receive(ctx actor.Context) {
	if _, is := ctx.Message().(*wrapperspb.BytesValue); !is || ctx.Sender() == nil {
		return
	}
	within, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	ctx.Respond(wrapperspb.Bytes(encode(d.cfg.Describe(within))))
}

// Nodes asks all nodes, including this one, and returns within little more than Patience.
func (d *Desk) Nodes() []Node {
	members, down := d.cfg.Members(), d.cfg.Down()
	nodes := make([]Node, len(members), len(members)+len(down))
	var asking sync.WaitGroup
	for i, m := range members {
		asking.Go(func() { nodes[i] = d.ask(m) })
	}
	asking.Wait()
	for _, m := range down {
		nodes = append(nodes, Node{ID: m.Node, State: Gone, Address: m.Gossip.String(), Reason: "it went down without leaving", DownSeconds: int64(time.Since(m.Since).Seconds())})
	}
	return nodes
}

// ask returns a node's description of itself. Where gossip says otherwise, gossip wins.
func (d *Desk) ask(m cluster.Member) Node {
	known := Node{ID: m.Node, Version: m.Version, Level: m.Level, Address: m.Actors}
	if m.Protocol < protocol && m.Node != d.cfg.Node {
		known.State, known.Reason = Older, "it runs a version that cannot be asked"
		return known
	}
	n, err := d.request(m)
	if err != nil {
		known.State, known.Reason = Silent, err.Error()
		return known
	}
	n.ID, n.Version, n.Level, n.Address = known.ID, known.Version, known.Level, known.Address
	return n
}

func (d *Desk) request(m cluster.Member) (n Node, err error) {
	to := d.pid
	if m.Node != d.cfg.Node {
		to = actor.NewPID(m.Actors, DeskName)
	}
	reply, err := d.cfg.System.Root.RequestFuture(to, wrapperspb.Bytes(nil), Patience).Result()
	if err != nil {
		return n, fmt.Errorf("not within %s (%w)", Patience, err)
	}
	bytes, is := reply.(*wrapperspb.BytesValue)
	if !is {
		return n, fmt.Errorf("its answer is a %T", reply)
	}
	return decode(bytes.Value)
}

// maxText bounds a text in a message, in bytes.
const maxText = 200

func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// encode encodes a description in at most cluster.MaxMessage bytes: it truncates texts and, if that
// is not enough, lists.
func encode(n Node) []byte {
	for _, text := range []*string{&n.Reason, &n.JobsRefused, &n.AppendFailure, &n.AppendPending, &n.API, &n.Store.Place, &n.Ledger.Place, &n.Ledger.StallReason} {
		*text = shorten(*text)
	}
	n.Unserved = slices.Clone(n.Unserved)
	for i := range n.Unserved {
		n.Unserved[i].Reason = shorten(n.Unserved[i].Reason)
	}
	n.Certificates = slices.Clone(n.Certificates)
	for i := range n.Certificates {
		n.Certificates[i].Unusable = shorten(n.Certificates[i].Unusable)
	}
	for {
		b, err := cbor.Marshal(n)
		if err != nil {
			panic(err) // cannot happen: the fields are plain
		}
		if len(b) <= cluster.MaxMessage || len(n.Accounts)+len(n.Unserved) == 0 {
			return b
		}
		n.Accounts, n.Unserved = n.Accounts[:len(n.Accounts)/2], n.Unserved[:len(n.Unserved)/2]
	}
}

// decode decodes the description of another node. An impossible description is an error.
func decode(b []byte) (n Node, err error) {
	if err := cbor.Unmarshal(b, &n); err != nil {
		return Node{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	n.State = cmp.Or(n.State, Serving)
	return n, nil
}
