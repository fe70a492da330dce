//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger, which is a race
// among nodes that share a process, as they do in tests only.

package status

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/cluster/pki"
	"platen.dev/events"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

// TestDesk asks two nodes, and learns of one that is too old to be asked and one that is down.
func TestDesk(t *testing.T) {
	var members []cluster.Member
	open := func(id events.NodeID) (*Desk, cluster.Member, func()) {
		system := testkit.NewSystem()
		identity, err := pki.FromSecrets([]secret.Root{{}})
		if err != nil {
			t.Fatal(err)
		}
		remote, err := cluster.StartRemote(system, cluster.RemoteConfig{Address: "127.0.0.1:0", Identity: identity, Targets: []string{DeskName}, Logger: testkit.Silent()})
		if err != nil {
			t.Fatal(err)
		}
		d, err := Open(DeskConfig{
			Node: id, System: system, Members: func() []cluster.Member { return members },
			Down: func() []cluster.Down {
				return []cluster.Down{{Node: "dead", Gossip: netip.MustParseAddrPort("10.0.0.9:7946"), Since: time.Now().Add(-time.Minute)}}
			},
			Describe: func(context.Context) Node {
				return Node{ID: "another", State: Serving, Version: "another", Lag: 7, Lanes: map[string]Jobs{"quick": {1, 2}}}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		m := cluster.Member{Node: id, Actors: system.Address(), Version: "1.0", Level: 2, Protocol: cluster.Protocol}
		return d, m, func() { d.Close(); remote.Close(); system.Shutdown() }
	}
	a, first, stopA := open("a")
	defer stopA()
	_, second, stopB := open("b")
	defer stopB() // before the one that it has answered
	members = []cluster.Member{first, second, {Node: "d", Actors: "127.0.0.1:1", Level: 1}}

	byID := map[events.NodeID]Node{}
	for _, n := range a.Nodes() {
		byID[n.ID] = n
	}
	for _, id := range []events.NodeID{"a", "b"} {
		if n := byID[id]; n.State != Serving || n.Lag != 7 || n.Version != "1.0" || n.Lanes["quick"] != (Jobs{1, 2}) {
			t.Errorf("node %s: got %+v", id, n)
		}
	}
	if n := byID["d"]; n.State != Older || n.Reason == "" {
		t.Errorf("the older node: got %+v", n)
	}
	if n := byID["dead"]; n.State != Gone || n.Address != "10.0.0.9:7946" || n.DownSeconds < 59 {
		t.Errorf("the dead node: got %+v", n)
	}
	if len(byID) != 4 {
		t.Errorf("got %d nodes", len(byID))
	}
}

// A node that does not answer in time is listed as such, even if it is the one that was asked.
func TestSilence(t *testing.T) {
	m := cluster.Member{Node: "a", Version: "1.0", Level: 2}
	d, err := Open(DeskConfig{
		Node: "a", System: testkit.System(t), Members: func() []cluster.Member { return []cluster.Member{m} }, Down: func() []cluster.Down { return nil },
		Describe: func(ctx context.Context) Node { <-ctx.Done(); <-t.Context().Done(); return Node{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := d.Nodes(); len(all) != 1 || all[0].State != Silent || !strings.Contains(all[0].Reason, "not within 1s") || all[0].Version != "1.0" {
		t.Errorf("got %+v", all)
	}
}
