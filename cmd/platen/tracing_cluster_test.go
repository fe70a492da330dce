package main

import (
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing/tracingtest"
)

// A job is one trace whichever nodes take part: the one that takes the request, the owner of its
// shard, and the one that renders it. Each makes the spans of its own work.
func TestTraceOverNodes(t *testing.T) {
	testkit.Long(t)
	collector := tracingtest.Start(t)
	c := startLocalClusterOf(t, 3, func(_ int, c *node.Config) { c.Tracing.Endpoint = collector.URL })
	account, key := c.customer(t)
	partition := events.Partition(events.AccountID(account), clusterPartitions)
	owner := c.ownerOf(t, partition)
	c.nodes[owner].Retire() // the owner hands over what it does not render itself
	from := (owner + 1) % 3
	id, status, err := client{key}.postWith(c.address(from)+"/html-to-pdf", map[string]any{"html": "<p>x</p>"},
		map[string]string{"traceparent": "00-" + clientTrace + "-" + clientSpan + "-01"})
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	spans := awaitSpans(t, collector, id, "request", "decide", "queue", "attempt", "render", "load", "make", "finish", "store")
	by := func(name string) string { return spans[name].Resource["service.instance.id"] }
	if by("request") != string(c.nodes[from].ID()) || by("decide") != string(c.nodes[owner].ID()) || by("attempt") == by("decide") || by("store") != by("attempt") {
		t.Errorf("request by %s, decided by %s, rendered by %s", by("request"), by("decide"), by("attempt"))
	}
	for name, s := range spans {
		if s.Trace != clientTrace || s.Attributes["platen.job.id"] != id.String() {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// customer opens an account that all nodes know, and returns its id and a key.
func (c *localCluster) customer(t *testing.T) (account, key string) {
	t.Helper()
	account = strings.Fields(c.machines[0].admin(t, "account", "create", "--plan", "business"))[2]
	key = strings.Fields(c.machines[0].admin(t, "key", "create", account))[0]
	for _, n := range c.nodes {
		if err := n.Replica().CatchUp(testkit.Context(t), events.Partition(events.AccountID(account), clusterPartitions)); err != nil {
			t.Fatal(err)
		}
	}
	return account, key
}

// ownerOf waits until a partition has an owner, and returns its number.
func (c *localCluster) ownerOf(t *testing.T, partition int32) (owner int) {
	t.Helper()
	testkit.Eventually(t, "the nodes share the shards evenly", func() bool {
		s := c.share()
		return s[0] == 2 && s[1] == 2 && s[2] == 2
	})
	for i, n := range c.nodes {
		if n.ID() == c.nodes[0].Replica().Owner(partition) {
			return i
		}
	}
	t.Fatal("the partition has no owner")
	return 0
}
