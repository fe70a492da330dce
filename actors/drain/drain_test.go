package drain

import (
	"testing"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

func peer(id events.NodeID, draining bool) dispatch.Peer {
	return dispatch.Peer{Node: id, Load: dispatch.Load{Draining: draining}}
}

// A node that was told to drain keeps its share while nobody else would own it. Of several, one does.
func TestLook(t *testing.T) {
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
		if got := (State{Told: true}).Look("m", tc.others); got != (State{Told: true, Keeps: tc.keeps}) {
			t.Errorf("%s: the node that was told is %+v", name, got)
		}
		if got := (State{}).Look("m", tc.others); got != (State{}) {
			t.Errorf("%s: the node that was told nothing is %+v", name, got)
		}
		if got, err := (State{}).Begin(tc.others); (err == nil) != tc.heir || got.Told != tc.heir {
			t.Errorf("%s: the node that is told now is %+v, %v", name, got, err)
		}
		if got, err := (State{Told: true, Keeps: true}).Begin(tc.others); err != nil || !got.Keeps {
			t.Errorf("%s: the node that is told again is %+v, %v", name, got, err)
		}
	}
}

// However many nodes drain, and whatever each has heard of the others, once they know the same, exactly one keeps
// its share.
func TestOneKeepsTheShare(t *testing.T) {
	all := []events.NodeID{"a", "b", "c", "d"}
	for stale := range 1 << len(all) { // which of them keep their share at first
		states := map[events.NodeID]State{}
		for i, id := range all {
			states[id] = State{Told: true, Keeps: stale>>i&1 == 1}
		}
		for range 3 {
			next := map[events.NodeID]State{}
			for _, self := range all {
				var others []dispatch.Peer
				for _, id := range all {
					if id != self {
						others = append(others, peer(id, states[id].Left()))
					}
				}
				next[self] = states[self].Look(self, others)
			}
			states = next
		}
		for _, id := range all {
			if states[id].Left() == (id == "a") {
				t.Errorf("after a beginning of %04b, %s is %+v", stale, id, states[id])
			}
		}
	}
}
