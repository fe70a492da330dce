package node

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// group is a groupLog with the given members.
type group struct {
	members []string
	err     error
}

func (g *group) Members(context.Context, string) ([]string, error) { return g.members, g.err }

// A node is gone when neither the gossip nor the brokers hear from it. Brokers that do not
// answer say nothing.
func TestLiveness(t *testing.T) {
	c, err := cluster.Join(cluster.Config{Node: "self", Gossip: "127.0.0.1:0", Now: time.Now, Gone: func(events.NodeID) {}, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var gone []events.NodeID
	brokers := &group{members: []string{"self", "unheard"}}
	l := &liveness{cluster: c, log: brokers, gone: func(id events.NodeID) { gone = append(gone, id) }}
	l.look(t.Context())
	if !l.Alive("self") || !l.Alive("unheard") || l.Alive("other") {
		t.Error("a member that does not gossip counts as gone, or a stranger as up")
	}
	brokers.members, brokers.err = nil, errors.New("no broker answers")
	l.look(t.Context())
	if !l.Alive("unheard") || len(gone) > 0 {
		t.Errorf("while no broker answers, %v are gone", gone)
	}
	brokers.err = nil
	l.look(t.Context())
	if l.Alive("unheard") || !l.Alive("self") || !slices.Equal(gone, []events.NodeID{"unheard"}) {
		t.Errorf("when the brokers have lost all members, %v are gone", gone)
	}
}
