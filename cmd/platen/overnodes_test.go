package main

import (
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// TestOverNodes checks what holds per account over three nodes: all nodes together share
// one request rate, and a revoked key is refused everywhere within a second.
func TestOverNodes(t *testing.T) {
	testkit.Long(t)
	c := startLocalCluster(t, 3)
	testkit.Eventually(t, "the nodes share the shards evenly", func() bool {
		s := c.share()
		return s[0] == 2 && s[1] == 2 && s[2] == 2
	})
	owners := map[events.NodeID]bool{}
	for try := 0; len(owners) < 3; try++ { // an account of each node's
		if try == maxOverNodes {
			t.Fatalf("after %d accounts, only %d nodes had one", try, len(owners))
		}
		account := strings.Fields(c.machines[0].admin(t, "account", "create", "--plan", "free"))[2]
		owner := c.nodes[0].Replica().Owner(events.Partition(events.AccountID(account), clusterPartitions))
		if owners[owner] {
			continue
		}
		secret := strings.Fields(c.machines[0].admin(t, "key", "create", account))[0]
		if !c.checkRate(t, secret, account) {
			continue // a node was silent for 100 ms, as it may be on a busy machine, and is not asked for a second
		}
		owners[owner] = true
		c.checkRevoked(t, account, secret)
	}
	c.checkRefused(t)
}

// maxOverNodes is how many accounts are tried: a third of them have an owner that does not exist yet.
const maxOverNodes = 100

// checkRate sends three times as many requests as the plan allows, to each node in turn. It
// returns false if nodes may have counted by themselves, because an owner did not answer in time.
func (c *localCluster) checkRate(t *testing.T, secret, account string) bool {
	t.Helper()
	for _, n := range c.nodes { // wait for every node: one that lags would not know the key
		if err := n.Replica().CatchUp(t.Context(), events.Partition(events.AccountID(account), clusterPartitions)); err != nil {
			t.Fatal(err)
		}
	}
	answers := map[int]int{}
	for i := range 30 {
		answers[authenticated(c.address(i%3), secret)]++
	}
	switch {
	case answers[404] == 10 && answers[429] == 20:
		return true
	case strings.Contains(c.log.Text(), "requests are counted on this node alone"):
		return false
	}
	t.Errorf("30 requests over three nodes on a plan with 10 per minute were answered %v", answers)
	return true
}

// checkRevoked revokes an account's key at one node and tries it at all.
func (c *localCluster) checkRevoked(t *testing.T, account, secret string) {
	t.Helper()
	id := strings.Fields(strings.Split(c.machines[0].admin(t, "key", "list", account), "\n")[1])[0]
	c.machines[0].admin(t, "key", "revoke", account, id)
	revoked := time.Now()
	for i := range c.nodes {
		testkit.Eventually(t, "a revoked key is refused", func() bool { return authenticated(c.address(i), secret) == 401 })
	}
	if took := time.Since(revoked); took > time.Second {
		t.Errorf("the revoked key was valid for %s", took)
	}
}
