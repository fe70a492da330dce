package shard_test

import (
	"testing"

	"platen.dev/events"
)

// A host that ends while a page of its jobs is being read waits for that: otherwise closing the replica would leave it reading a closed store.
func TestAHostEndsAfterItsPage(t *testing.T) {
	c := newCluster(t)
	for range 8 {
		n := c.start("n1")
		for p := range int32(2) { // both are owned
			if _, err := n.Do(events.PartitionID(p), events.RaiseLevel{Level: events.FirstLevel}); err != nil {
				t.Fatal(err)
			}
		}
		for range 500 {
			n.shards.NodeGone("gone") // which begins a pass
		}
		n.shards.Lost([]int32{0, 1})
		n.stop()
	}
}
