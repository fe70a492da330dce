package node

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"platen.dev/actors/cluster"
	"platen.dev/browserpool/egress"
)

// A document may go to no node of the cluster, from when it joins until it leaves, even
// where the operator allows its network.
func TestNodeAddresses(t *testing.T) {
	g := newGuard(Config{})
	addresses := &g.nodes
	policy := egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("8.8.0.0/16"), netip.MustParsePrefix("10.0.0.0/8")}, Refuses: g.refuses}
	blocked := func(address string) bool {
		_, err := policy.Resolve(t.Context(), address, 80)
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
		{members, map[string]bool{"8.8.1.1": true, "8.8.1.2": true, "8.8.1.3": false, "10.1.1.1": true, "10.1.1.2": false, "2606:4700::1": true, "2606:4700::2": true, "2606:4700::3": false}},
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

// Where the operator allows loopback addresses, as tests do, the node's own ports are refused;
// where he allows any that are not public, those of Kafka and ClickHouse.
func TestOwnPorts(t *testing.T) {
	cfg := Config{StorageConfig: StorageConfig{ClickHouse: "clickhouse:19000,10.0.0.3:19001", Kafka: KafkaConfig{Brokers: []string{"kafka-1:19092", "[::1]:19093"}}}}
	cfg.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	g := newGuard(cfg)
	g.own.add("127.0.0.1:18080", "[::]:18081", "node-1:17946", "nonsense", ":0", ":http")
	for at, want := range map[string]bool{
		"127.0.0.1:18080": false, "127.0.0.1:18081": false, "127.9.9.9:17946": false, "127.0.0.1:18082": true, "10.0.0.1:18080": true,
		"127.0.0.1:19000": false, "10.0.0.1:19000": false, "10.0.0.1:19001": false, "10.0.0.1:19092": false, "10.0.0.1:19093": false, "10.0.0.1:19094": true,
		"8.8.8.8:19000": true, "8.8.8.8:18080": true,
	} {
		if got := g.policy().Permits(netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s is permitted: %t", at, got)
		}
	}
}

// A flag that has an address instead of a range says how to write the range of that address.
func TestRangesOfAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"192.168.1.5": "write 192.168.1.5/32", "fe80::1": "write fe80::1/128", "10.0.0.0/8,10.1": `"10.1" is not an address range; write it as 10.0.0.0/8`,
	} {
		var r Ranges
		if err := r.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
