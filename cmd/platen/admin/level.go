package admin

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"platen.dev/events"
)

// This file shows and raises the feature level of a cluster, from both ends.

// NodeLevel is a node that is up, with what it can read.
type NodeLevel struct {
	Node    events.NodeID `json:"node"`
	Version string        `json:"version,omitempty"`
	Level   events.Level  `json:"level"`
	// Address is where its actors are; empty if the node is alone.
	Address string `json:"address,omitempty"`
}

// levels are those of the partitions, in their order, and of the nodes that are up.
type levels struct {
	Partitions []events.Level `json:"partitions"`
	Nodes      []NodeLevel    `json:"nodes"`
}

// highest is the level that all nodes can read.
func (l levels) highest() events.Level {
	return slices.MinFunc(l.Nodes, func(a, b NodeLevel) int { return int(a.Level - b.Level) }).Level
}

// lowest is the level that all partitions have.
func (l levels) lowest() events.Level { return slices.Min(l.Partitions) }

// behind names the nodes that cannot read more than others can.
func (l levels) behind() string {
	newest := slices.MaxFunc(l.Nodes, func(a, b NodeLevel) int { return int(a.Level - b.Level) }).Level
	var names []string
	for _, n := range l.Nodes {
		if n.Level < newest {
			names = append(names, string(n.Node))
		}
	}
	return strings.Join(names, ", ")
}

func (s *Server) levels() (l levels) {
	for p := range s.Log.Partitions() {
		l.Partitions = append(l.Partitions, s.Replica.Cursor(p).Level())
	}
	l.Nodes = s.Nodes()
	slices.SortFunc(l.Nodes, func(a, b NodeLevel) int { return strings.Compare(string(a.Node), string(b.Node)) })
	return l
}

func (s *Server) showLevel(w http.ResponseWriter, r *http.Request) {
	if s.catchUpAll(w, r) {
		respond(w, 200, s.levels())
	}
}

// raiseLevel raises all partitions to the highest level that all nodes that are up can read.
func (s *Server) raiseLevel(w http.ResponseWriter, r *http.Request) {
	if !s.catchUpAll(w, r) {
		return
	}
	before := s.levels()
	highest := before.highest()
	if behind := before.behind(); highest <= before.lowest() && behind != "" {
		refuse(w, 409, fmt.Sprintf("the level stays %d, because these nodes cannot read more: %s; upgrade them first", highest, behind))
		return
	}
	for p, level := range before.Partitions {
		if level >= highest {
			continue
		}
		reply, err := s.Commands.Do(events.PartitionID(int32(p)), events.RaiseLevel{Level: highest})
		if err != nil || reply.Code != events.Accepted {
			refuse(w, 503, fmt.Sprintf("partition %d has not answered, and those before it are raised; try again: %v %s", p, err, reply.Code))
			return
		}
	}
	if s.catchUpAll(w, r) {
		respond(w, 200, s.levels())
	}
}

// RaiseLevel raises all partitions to the highest level that all nodes can read.
func (c Client) RaiseLevel() error { return c.do("POST", "/level", nil, nil) }

func (c call) level() error {
	method := "GET"
	if c.raise {
		method = "POST"
	}
	var l levels
	err := c.client.do(method, "/level", nil, &l)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "NODE\tVERSION\tREADS UP TO LEVEL")
		for _, n := range l.Nodes {
			fmt.Fprintf(w, "%s\t%s\t%d\n", n.Node, n.Version, n.Level)
		}
		fmt.Fprint(w, l.advice())
	})
}

// advice says what the levels mean for the operator.
func (l levels) advice() string {
	lowest, highest := l.lowest(), l.highest()
	text := fmt.Sprintf("\nThe cluster writes level %d", lowest)
	if most := slices.Max(l.Partitions); most > lowest {
		text += fmt.Sprintf(", and level %d in some partitions: `platen admin cluster level --raise` raises the others", most)
		return text + ".\n"
	}
	switch behind := l.behind(); {
	case highest > lowest:
		text += fmt.Sprintf(". All nodes can read level %d: `platen admin cluster level --raise` has them write it. Older versions cannot come back then", highest)
	case behind != "":
		text += ". It can be raised once these nodes are upgraded: " + behind
	default:
		text += ", the highest that these versions know"
	}
	return text + ".\n"
}
