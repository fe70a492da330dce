package status

import (
	"cmp"
	"slices"
	"time"

	"platen.dev/actors/shard"
	"platen.dev/events"
)

// Seen holds what the asked node knows without the others.
type Seen struct {
	At   time.Time
	Node events.NodeID
	Log  string
	// Owners and Levels are those of the partitions, in order.
	Owners []events.NodeID
	Levels []events.Level
}

// Assemble combines the descriptions of all nodes.
func Assemble(seen Seen, nodes []Node) Report {
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	r := Report{At: seen.At, Node: seen.Node, Log: seen.Log, Nodes: nodes, Accounts: accounts(nodes), Partitions: []Partition{}, Attention: []Finding{}}
	byID := map[events.NodeID]Node{}
	for _, n := range nodes {
		byID[n.ID] = n
	}
	for p, owner := range seen.Owners {
		part := Partition{Partition: int32(p), Owner: owner, Level: seen.Levels[p]}
		part.State, part.Reason = stateOf(int32(p), byID, owner)
		r.Partitions = append(r.Partitions, part)
	}
	r.Attention = append(r.Attention, Findings(r)...)
	return r
}

// stateOf returns the state of a partition as reported by its owner.
func stateOf(p int32, nodes map[events.NodeID]Node, owner events.NodeID) (state, reason string) {
	n, known := nodes[owner]
	switch {
	case !known, n.State == Gone:
		return noOwner, ""
	case !n.answered():
		return "unknown", ""
	}
	if !n.holds(p) { // the next owner has not written its marker yet
		return noOwner, ""
	}
	if i := slices.IndexFunc(n.Unserved, func(u Unserved) bool { return u.Partition == p }); i >= 0 {
		return n.Unserved[i].State, n.Unserved[i].Reason
	}
	return "serving", ""
}

const (
	noOwner = "no owner"
	halted  = string(shard.Halted)
)

// Hold notes that a node owns a partition.
func (n *Node) Hold(p int32) {
	if missing := int(p)/8 + 1 - len(n.Held); missing > 0 {
		n.Held = append(n.Held, make([]byte, missing)...)
	}
	n.Held[p/8] |= 1 << (p % 8)
}

// holds reports whether a node owns a partition.
func (n Node) holds(p int32) bool { return int(p)/8 < len(n.Held) && n.Held[p/8]&(1<<(p%8)) != 0 }

// answered reports whether a node has described itself.
func (n Node) answered() bool { return n.State != Silent && n.State != Older && n.State != Gone }

// accounts adds up the nodes' reports of accounts.
func accounts(nodes []Node) []Account {
	sums := map[events.AccountID]Account{}
	for _, n := range nodes {
		for _, a := range n.Accounts {
			sum := sums[a.Account]
			sums[a.Account] = Account{a.Account, sum.Waiting + a.Waiting, sum.Running + a.Running}
		}
	}
	all := []Account{}
	for _, a := range sums {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Account) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(b.Running, a.Running), cmp.Compare(a.Account, b.Account))
	})
	return all
}
