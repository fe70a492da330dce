package node

import (
	"context"
	"slices"
	"sync"
	"time"

	"platen.dev/actors/cluster"
	"platen.dev/actors/shard"
	"platen.dev/events"
)

// groupLog is a log whose consumer groups know which of their members are alive.
type groupLog interface {
	Members(ctx context.Context, group string) ([]string, error)
}

// liveness knows which nodes are up: those that gossip, and those that the log's brokers hear from
// as members of the group. A node that cannot gossip, or that this one cannot hear, may well be
// rendering. So a node is gone only when both are silent.
type liveness struct {
	cluster *cluster.Cluster
	log     groupLog
	gone    func(events.NodeID)

	mu      sync.Mutex
	members []string // as last reported by the brokers; guarded by mu
}

const (
	// membersInterval is how often the brokers are asked, membersLimit how long they may take.
	membersInterval = 2 * time.Second
	membersLimit    = 5 * time.Second
)

// Alive implements shard.Nodes.
func (l *liveness) Alive(id events.NodeID) bool {
	l.mu.Lock()
	member := slices.Contains(l.members, string(id))
	l.mu.Unlock()
	return member || l.cluster.Alive(id)
}

// look asks the brokers once. While they do not answer, their silence says nothing about the nodes.
func (l *liveness) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, membersLimit)
	defer cancel()
	now, err := l.log.Members(ctx, shard.Group)
	if err != nil {
		return
	}
	l.mu.Lock()
	before := l.members
	l.members = now
	l.mu.Unlock()
	for _, name := range before {
		if id := events.NodeID(name); !slices.Contains(now, name) && !l.cluster.Alive(id) {
			l.gone(id)
		}
	}
}
