package node

import (
	"errors"
	"net/netip"
	"testing"

	"platen.dev/actors/cluster"
	"platen.dev/browserpool/egress"
)

// A document may go to no node of the cluster, from when it joins until it leaves, even
// where the operator allows its network; private addresses are the operator's
// responsibility.
func TestPublicAddresses(t *testing.T) {
	var addresses publicAddresses
	policy := egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("8.8.0.0/16"), netip.MustParsePrefix("10.0.0.0/8")}, Refuses: addresses.has}
	blocked := func(address string) bool {
		_, err := policy.Resolve(t.Context(), address)
		return errors.Is(err, egress.ErrBlocked)
	}
	members := []cluster.Member{
		{Node: "a", Gossip: netip.MustParseAddr("8.8.1.1"), Actors: "8.8.1.2:7000"},
		{Node: "b", Gossip: netip.MustParseAddr("10.1.1.1"), Actors: "10.1.1.1:7000"},
		{Node: "c", Actors: "a-name:7000"},
		{Node: "d", Gossip: netip.MustParseAddr("2606:4700::1"), Actors: "[2606:4700::2]:7000"},
	}
	for _, tc := range []struct {
		members []cluster.Member
		want    map[string]bool
	}{
		{nil, map[string]bool{"8.8.1.1": false, "8.8.1.2": false}},
		{members, map[string]bool{"8.8.1.1": true, "8.8.1.2": true, "8.8.1.3": false, "10.1.1.1": false, "2606:4700::1": true, "2606:4700::2": true, "2606:4700::3": false}},
		{members[1:], map[string]bool{"8.8.1.1": false, "8.8.1.2": false}},
	} {
		addresses.set(tc.members)
		for address, want := range tc.want {
			if got := blocked(address); got != want {
				t.Errorf("with %d members, %s is blocked: %t", len(tc.members), address, got)
			}
		}
	}
}
