package node

import (
	"testing"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

func peer(id events.NodeID, draining bool) dispatch.Peer {
	return dispatch.Peer{Node: id, Load: dispatch.Load{Draining: draining}}
}

// A node that was told to drain keeps its share while nobody else would own it. Of several, one does.
func TestKeepsShare(t *testing.T) {
	draining, serving := func(id events.NodeID) dispatch.Peer { return peer(id, true) }, func(id events.NodeID) dispatch.Peer { return peer(id, false) }
	for name, tc := range map[string]struct {
		others      []dispatch.Peer
		keeps, heir bool
	}{
		"alone":                             {nil, true, false},
		"another serves":                    {[]dispatch.Peer{serving("z")}, false, true},
		"another serves, which comes first": {[]dispatch.Peer{serving("a")}, false, true},
		"a later one drains":                {[]dispatch.Peer{draining("z")}, true, false},
		"an earlier one drains":             {[]dispatch.Peer{draining("a")}, false, false},
		"all drain, some earlier":           {[]dispatch.Peer{draining("z"), draining("a")}, false, false},
		"a later one drains, one serves":    {[]dispatch.Peer{draining("z"), serving("y")}, false, true},
		"the one that keeps serves again":   {[]dispatch.Peer{draining("z"), serving("a")}, false, true},
	} {
		if got := keepsShare("m", tc.others); got != tc.keeps {
			t.Errorf("%s: keeps its share: %t", name, got)
		}
		if got := hasHeirs(tc.others); got != tc.heir {
			t.Errorf("%s: has heirs: %t", name, got)
		}
	}
}

// However many drain, and whatever each has heard of the others, those that know the same come to one that keeps.
func TestOneKeepsTheShare(t *testing.T) {
	all := []events.NodeID{"a", "b", "c", "d"}
	for stale := range 1 << len(all) { // which of them keep their share at first
		keeps := map[events.NodeID]bool{}
		for i, id := range all {
			keeps[id] = stale>>i&1 == 1
		}
		for range 3 {
			next := map[events.NodeID]bool{}
			for _, self := range all {
				var others []dispatch.Peer
				for _, id := range all {
					if id != self {
						others = append(others, peer(id, !keeps[id]))
					}
				}
				next[self] = keepsShare(self, others)
			}
			keeps = next
		}
		if !keeps["a"] || keeps["b"] || keeps["c"] || keeps["d"] {
			t.Errorf("after a beginning of %04b, %v keep their share", stale, keeps)
		}
	}
}
