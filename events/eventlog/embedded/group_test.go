package embedded

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// counter counts the partitions that move.
type counter struct{ assigned, revoked int }

func (c *counter) Assigned(partitions []int32) { c.assigned += len(partitions) }
func (c *counter) Revoked(partitions []int32)  { c.revoked += len(partitions) }
func (c *counter) Lost(partitions []int32)     {}

// TestBalance lets members come and go at random: shares differ by one at most,
// every partition has one holder, and a join revokes no more than the newcomer gets.
func TestBalance(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	g := &group{}
	for p := range int32(64) {
		g.free = append(g.free, p)
	}
	for range 500 {
		moved := &counter{}
		if len(g.members) == 0 || random.IntN(2) == 0 {
			for _, m := range g.members {
				m.owner = moved
			}
			newcomer := &counter{}
			g.join(&member{group: g, owner: newcomer})
			if moved.revoked > newcomer.assigned || moved.assigned > 0 {
				t.Fatalf("a join moved %+v, the newcomer got %d", *moved, newcomer.assigned)
			}
		} else {
			g.leave(g.members[random.IntN(len(g.members))])
			for _, m := range g.members {
				m.owner = moved
			}
			g.balance()
			if moved.revoked > 0 {
				t.Fatalf("a leave revoked %d", moved.revoked)
			}
		}
		checkShares(t, g)
	}
}

func checkShares(t *testing.T, g *group) {
	t.Helper()
	held := slices.Clone(g.free)
	for _, m := range g.members {
		held = append(held, m.held...)
		if low := 64 / len(g.members); len(m.held) < low || len(m.held) > low+1 {
			t.Fatalf("one of %d members holds %d", len(g.members), len(m.held))
		}
	}
	slices.Sort(held)
	if len(held) != 64 || len(slices.Compact(held)) != 64 || len(g.members) > 0 && len(g.free) > 0 {
		t.Fatalf("%d partitions are held or free, %d free", len(held), len(g.free))
	}
}
