//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger. That is a data race
// between nodes in one process, which only tests have.

package shard

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/cluster/pki"
	"platen.dev/events"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

// A reply completes a request of another node or of its own. A reply that no request is
// waiting for changes nothing.
func TestRepliesCrossNodes(t *testing.T) {
	newSystem := func() *actor.ActorSystem {
		system := testkit.System(t)
		identity, err := pki.FromSecrets([]secret.Root{{}})
		if err != nil {
			t.Fatal(err)
		}
		remote, err := cluster.StartRemote(system, cluster.RemoteConfig{Address: "127.0.0.1:0", Identity: identity, Targets: []string{RepliesName}, Logger: testkit.Silent()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(remote.Close)
		return system
	}
	here, there := newSystem(), newSystem()
	r, err := registerReplies(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []*actor.ActorSystem{here, there} {
		id, other := events.NewCommandID(), events.NewCommandID()
		arrived := r.expect(id)
		props := actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				deliver(ctx, *r.address, CommandReply{other, events.Reply{Code: events.Stale}})
				deliver(ctx, *r.address, CommandReply{id, events.Reply{Code: events.Accepted}})
			}
		})
		from.Root.Spawn(props)
		if reply := testkit.Receive(t, arrived, "a reply"); reply.Code != events.Accepted {
			t.Errorf("got %+v", reply)
		}
	}
	if len(r.waiting) != 0 {
		t.Errorf("%d requests are still waiting", len(r.waiting))
	}
	if _, err := registerReplies(here); err == nil {
		t.Error("a system has two gateways")
	}
}
