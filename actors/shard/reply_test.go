//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger, which is a race
// among nodes that share a process, as they do in tests only.

package shard

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A reply of one node completes a request of another, and one of its own; what answers
// nothing that is waited for changes nothing.
func TestRepliesCrossNodes(t *testing.T) {
	newSystem := func() *actor.ActorSystem {
		system := testkit.System(t)
		stop, err := cluster.StartRemote(system, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
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
				deliver(ctx, *r.address, Answer{other, events.Reply{Code: events.Stale}})
				deliver(ctx, *r.address, Answer{id, events.Reply{Code: events.Accepted}})
			}
		})
		from.Root.Spawn(props)
		if reply := testkit.Receive(t, arrived, "a reply"); reply.Code != events.Accepted {
			t.Errorf("got %+v", reply)
		}
	}
	if len(r.waiting) != 0 {
		t.Errorf("%d requests wait still", len(r.waiting))
	}
	if _, err := registerReplies(here); err == nil {
		t.Error("a system has two gateways")
	}
}
