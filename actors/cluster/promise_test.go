//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger, which is a race
// among nodes that share a process, as they do in tests only.

package cluster

import (
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A promise of one node is completed from another.
func TestPromisesCrossNodes(t *testing.T) {
	newSystem := func() *actor.ActorSystem {
		system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
		stop, err := StartRemote(system, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(); system.Shutdown() })
		return system
	}
	here, there := newSystem(), newSystem()
	promise := actor.NewFuture(here, 20*time.Second)
	there.Root.Send(actor.NewPID(promise.PID().Address, promise.PID().Id), wrapperspb.Bytes([]byte("reply")))
	result, err := promise.Result()
	if b, ok := result.(*wrapperspb.BytesValue); err != nil || !ok || string(b.Value) != "reply" {
		t.Errorf("got %v, %v", result, err)
	}
}
