package admin

import (
	"strings"
	"testing"

	"platen.dev/actors/service"
	"platen.dev/events"
)

// The operator reads whether the level can be raised, and what prevents it.
func TestAdvice(t *testing.T) {
	for name, tc := range map[string]struct {
		partitions []events.Level
		nodes      []events.Level
		want       string
	}{
		"all the newest":        {[]events.Level{2, 2}, []events.Level{2, 2}, "writes level 2, the highest"},
		"may be raised":         {[]events.Level{1, 1}, []events.Level{2, 2}, "All nodes can read level 2: `platen admin cluster level --raise`"},
		"an old node is up":     {[]events.Level{1, 1}, []events.Level{2, 1}, "once these nodes are upgraded: b."},
		"raising was cut short": {[]events.Level{2, 1}, []events.Level{2, 2}, "level 2 in some partitions"},
	} {
		l := service.Levels{Partitions: tc.partitions}
		for i, level := range tc.nodes {
			l.Nodes = append(l.Nodes, service.NodeLevel{Node: events.NodeID(rune('a' + i)), Level: level})
		}
		if got := advice(l); !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q lacks %q", name, got, tc.want)
		}
	}
}
