//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger, which is a race
// among nodes that share a process, as they do in tests only.

package rate

import (
	"testing"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/cluster/pki"
	"platen.dev/events"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

// Two nodes count together as long as the owner replies.
func TestTwoNodes(t *testing.T) {
	start := func(self events.NodeID, address func(events.NodeID) (string, bool)) (*Limiter, func()) {
		system := testkit.NewSystem()
		identity, err := pki.FromSecrets([]secret.Root{{}})
		if err != nil {
			t.Fatal(err)
		}
		remote, err := cluster.StartRemote(system, cluster.RemoteConfig{Address: "127.0.0.1:0", Identity: identity, Targets: []string{ActorName}, Logger: testkit.Silent()})
		if err != nil {
			t.Fatal(err)
		}
		l, err := Start(Config{
			Self: self, System: system, Address: address, Logger: testkit.Silent(), Now: time.Now,
			Owner: func(events.AccountID) events.NodeID { return "owner" },
		})
		if err != nil {
			t.Fatal(err)
		}
		return l, func() { l.Close(); remote.Close(); system.Shutdown() }
	}
	owner, stopOwner := start("owner", nil)
	other, stopOther := start("other", func(events.NodeID) (string, bool) { return owner.cfg.System.Address(), true })
	defer stopOther()
	other.timeout = testkit.Patience // a busy machine takes its time to connect them
	allowed := 0
	for range 20 {
		for _, l := range []*Limiter{owner, other} {
			if l.Take("acc", 10).Allowed {
				allowed++
			}
		}
	}
	if allowed != 10 {
		t.Errorf("%d of 40 requests over two nodes were allowed, want 10", allowed)
	}
	stopOwner()
	other.timeout = replyTimeout
	if r := other.Take("acc", 10); !r.Allowed || r.Remaining != 4 {
		t.Errorf("without its owner: got %+v, want the count to go on from the 5 that passed here", r)
	}
}
