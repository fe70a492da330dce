package admin

import (
	"fmt"
	"slices"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/terminal"
)

// This file shows and raises the feature level of a cluster.

func runLevel(c call) error {
	var l service.Levels
	var err error
	if c.raise {
		err = c.client.wait("/level", nil, &l)
	} else {
		err = c.client.do("GET", "/level", nil, &l)
	}
	return c.print(err, func(w terminal.Lines) {
		w.Text("NODE\tVERSION\tREADS UP TO LEVEL\n")
		for _, n := range l.Nodes {
			w.Printf("%s\t%s\t%d\n", n.Node, n.Version, n.Level)
		}
		w.Text(advice(l))
	})
}

// advice explains the levels to the operator.
func advice(l service.Levels) string {
	lowest, highest := l.Lowest(), l.Highest()
	text := fmt.Sprintf("\nThe cluster writes level %d", lowest)
	if most := slices.Max(l.Partitions); most > lowest {
		text += fmt.Sprintf(", and level %d in some partitions: `platen admin cluster level --raise` raises the others", most)
		return text + ".\n"
	}
	switch behind := l.Behind(); {
	case highest > lowest:
		text += fmt.Sprintf(". All nodes can read level %d: `platen admin cluster level --raise` has them write it. Older versions cannot come back then", highest)
	case behind != "":
		text += ". It can be raised once these nodes are upgraded: " + behind
	default:
		text += ", the highest that these versions know"
	}
	return text + ".\n"
}
