package events

import "testing"

// A partition's id is placed in that partition. An id that only resembles one is an account's.
func TestPartitionID(t *testing.T) {
	for _, n := range []int32{1, 12, 64} {
		for p := range n {
			if got := Partition(PartitionID(p), n); got != p {
				t.Errorf("of %d partitions, the id of %d leads to %d", n, p, got)
			}
		}
	}
	for _, id := range []AccountID{"partition-", "partition--1", "partition-x", "partition-12", "acc_1"} {
		if got := Partition(id, 12); got < 0 || got >= 12 {
			t.Errorf("%q leads to partition %d of 12", id, got)
		}
	}
}
