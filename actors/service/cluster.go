package service

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"platen.dev/events"
)

// Node is the node on which an operator acts.
type Node interface {
	// Nodes lists those that are up, including this one.
	Nodes() []NodeLevel
	// Drain has the node hand its work over and report not ready, until Undrain. It returns why that is impossible.
	Drain() error
	Undrain()
	Drainage() Drainage
}

// Drainage is how far a node's drain has come.
type Drainage struct {
	Draining bool `json:"draining"`
	// Kept is set while the node keeps its share, because no other node is up that does not drain.
	Kept bool `json:"kept"`
	// Partitions is how many it still owns, Waiting how many of their jobs wait here, Running how many attempts are under way.
	Partitions int `json:"partitions"`
	Waiting    int `json:"waiting"`
	Running    int `json:"running"`
}

// Empty reports whether nothing is left that a stop of the node would interrupt or move.
func (d Drainage) Empty() bool { return d.Draining && !d.Kept && d.Partitions+d.Waiting+d.Running == 0 }

// NodeLevel is a node that is up, with what it can read.
type NodeLevel struct {
	Node    events.NodeID `json:"node"`
	Version string        `json:"version,omitempty"`
	Level   events.Level  `json:"level"`
	// Address is where its actors are; empty if the node is alone.
	Address string `json:"address,omitempty"`
}

// Levels lists those of the partitions, in order, and those of the nodes that are up, by node id.
type Levels struct {
	Partitions []events.Level `json:"partitions"`
	Nodes      []NodeLevel    `json:"nodes"`
}

// Highest returns the highest level that all nodes can read.
func (l Levels) Highest() events.Level {
	return slices.MinFunc(l.Nodes, func(a, b NodeLevel) int { return int(a.Level - b.Level) }).Level
}

// Lowest returns the highest level that all partitions have reached.
func (l Levels) Lowest() events.Level { return slices.Min(l.Partitions) }

// Behind names the nodes that cannot read more than others can.
func (l Levels) Behind() string {
	newest := slices.MaxFunc(l.Nodes, func(a, b NodeLevel) int { return int(a.Level - b.Level) }).Level
	var names []string
	for _, n := range l.Nodes {
		if n.Level < newest {
			names = append(names, string(n.Node))
		}
	}
	return strings.Join(names, ", ")
}

// Cluster are the actions of operators on the cluster and this node of it.
type Cluster struct{ *gate }

// Levels returns the levels of the cluster.
func (c Cluster) Levels() (l Levels, err error) {
	if err := c.Fresh.All(); err != nil {
		return l, err
	}
	for p := range c.Log.Partitions() {
		l.Partitions = append(l.Partitions, c.Replica.Cursor(p).Level())
	}
	l.Nodes = c.Node.Nodes()
	slices.SortFunc(l.Nodes, func(a, b NodeLevel) int { return strings.Compare(string(a.Node), string(b.Node)) })
	return l, nil
}

// RaiseLevel raises all partitions to the highest level that all live nodes can read. After ErrUnavailable some are raised, and the action may be
// repeated.
func (c Cluster) RaiseLevel() (Levels, error) {
	before, err := c.Levels()
	if err != nil {
		return before, err
	}
	highest := before.Highest()
	if behind := before.Behind(); highest <= before.Lowest() && behind != "" {
		return before, because(LevelStays, fmt.Errorf("the level stays %d, because these nodes cannot read more: %s; upgrade them first", highest, behind))
	}
	for p, level := range before.Partitions {
		if level >= highest {
			continue
		}
		if err := c.run(Operator(events.PartitionID(int32(p))), events.RaiseLevel{Level: highest}); err != nil {
			return before, fmt.Errorf("partition %d: %w", p, err)
		}
	}
	return c.Levels()
}

// Drain has this node hand its work over and report not ready. It refuses with NotDrained if nobody can take over.
func (c Cluster) Drain() (Drainage, error) {
	if err := c.Node.Drain(); err != nil {
		return Drainage{}, because(NotDrained, err)
	}
	return c.Node.Drainage(), nil
}

// Undrain has this node take its share again.
func (c Cluster) Undrain() Drainage {
	c.Node.Undrain()
	return c.Node.Drainage()
}

// Drainage says how far this node has come with draining.
func (c Cluster) Drainage() Drainage { return c.Node.Drainage() }

// Behind reports whether an error means that this node does not know the outcome yet: the request may be repeated.
func Behind(err error) bool { return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrBehind) }
