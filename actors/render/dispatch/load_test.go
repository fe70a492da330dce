package dispatch

import (
	"testing"

	"platen.dev/events"
)

// The least loaded node that fits gets a job.
func TestChoose(t *testing.T) {
	quick := Index(events.Quick)
	load := func(slots, quick, slow, queued int) Load {
		return Load{Slots: slots, Running: [Lanes]int{quick, slow}, Queued: [Lanes]int{queued}}
	}
	draining := load(4, 0, 0, 0)
	draining.Draining = true
	for name, tc := range map[string]struct {
		in    int
		loads map[events.NodeID]Load
		given map[events.NodeID]int
		want  events.NodeID
	}{
		"nobody there":                     {quick, nil, nil, ""},
		"the idle one":                     {quick, map[events.NodeID]Load{"a": load(2, 1, 0, 0), "b": load(2, 0, 0, 0)}, nil, "b"},
		"the least loaded by its size":     {quick, map[events.NodeID]Load{"a": load(2, 1, 0, 0), "b": load(8, 3, 0, 0)}, nil, "b"},
		"of even ones the larger":          {quick, map[events.NodeID]Load{"a": load(2, 1, 0, 0), "b": load(4, 2, 0, 0)}, nil, "b"},
		"of equal ones always the same":    {quick, map[events.NodeID]Load{"b": load(2, 0, 0, 0), "a": load(2, 0, 0, 0)}, nil, "a"},
		"no slot free":                     {quick, map[events.NodeID]Load{"a": load(2, 2, 0, 0), "b": load(2, 1, 1, 0)}, nil, ""},
		"who has jobs waiting has none":    {quick, map[events.NodeID]Load{"a": load(2, 0, 1, 1)}, nil, ""},
		"who drains takes none":            {quick, map[events.NodeID]Load{"a": draining}, nil, ""},
		"who told nothing takes none":      {quick, map[events.NodeID]Load{"a": {}}, nil, ""},
		"what it was given counts":         {quick, map[events.NodeID]Load{"a": load(2, 0, 0, 0), "b": load(2, 1, 0, 0)}, map[events.NodeID]int{"a": 2}, "b"},
		"slow ones have half of the slots": {slow, map[events.NodeID]Load{"a": load(3, 0, 1, 0), "b": load(4, 0, 1, 0)}, nil, "b"},
		"and no more":                      {slow, map[events.NodeID]Load{"a": load(4, 0, 2, 0)}, nil, ""},
		"the rest is for quick ones":       {quick, map[events.NodeID]Load{"a": load(2, 0, 1, 0)}, nil, "a"},
		"the only slot is for either lane": {slow, map[events.NodeID]Load{"a": load(1, 0, 0, 0)}, nil, "a"},
	} {
		var peers []Peer
		for id, l := range tc.loads {
			peers = append(peers, Peer{Node: id, Load: l})
		}
		got, ok := choose(tc.in, peers, func(n events.NodeID) int { return tc.given[n] })
		if got.Node != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: chose %q, want %q", name, got.Node, tc.want)
		}
	}
}

// A load survives encoding, and a load that no node can have is refused.
func TestLoadOfOthers(t *testing.T) {
	full := Load{Slots: maxSlots, Running: [Lanes]int{maxJobs, maxJobs}, Queued: [Lanes]int{maxJobs, maxJobs}, Draining: true, Taken: 1 << 62}
	for _, want := range []Load{{}, {Slots: 2, Running: [Lanes]int{1, 2}, Queued: [Lanes]int{3, 4}}, full} {
		if got, err := DecodeLoad(want.Encode()); err != nil || got != want {
			t.Errorf("%+v was decoded as %+v, %v", want, got, err)
		}
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte("127.0.0.1:7000"), "too long": append(full.Encode(), make([]byte, maxLoad)...),
		"slots": Load{Slots: -1}.Encode(), "many slots": Load{Slots: maxSlots + 1}.Encode(),
		"negative jobs": Load{Running: [Lanes]int{0, -1}}.Encode(), "many jobs": Load{Queued: [Lanes]int{maxJobs + 1}}.Encode(),
	} {
		if got, err := DecodeLoad(b); err == nil || got != (Load{}) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
