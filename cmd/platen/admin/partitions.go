package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"platen.dev/actors/service"
	"platen.dev/actors/shard"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
)

// This file shows partitions and lets them continue after a loss, on the server and the client
// side.

// Shards are the partitions that the node owns; shard.Shards implements it.
type Shards interface {
	Status() []shard.Status
	Continue(partition int32)
}

// partitionInfo describes a partition as one node sees it.
type partitionInfo struct {
	Partition int32         `json:"partition"`
	Owner     events.NodeID `json:"owner"`
	// State is the state of the ownership on this node; empty if another node owns the partition.
	State shard.State `json:"state,omitempty"`
	Error string      `json:"error,omitempty"`
	// Folded is how far this node's replica has read the journal, Decided the last command whose
	// outcome it knows.
	Folded   int64  `json:"folded"`
	Decided  int64  `json:"decided"`
	Journal  bounds `json:"journal"`
	Commands bounds `json:"commands"`
}

// bounds are the oldest offset of a topic's partition and the next offset.
type bounds struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

func (b bounds) String() string { return fmt.Sprintf("%d-%d", b.Start, b.End) }

func (s *Server) listPartitions(w http.ResponseWriter, r *http.Request) {
	owned := s.Shards.Status()
	var all []partitionInfo
	for p := range s.Log.Partitions() {
		cursor := s.Replica.Cursor(p)
		info := partitionInfo{Partition: p, Owner: cursor.Owner, Folded: cursor.Next, Decided: cursor.Cause}
		if i := slices.IndexFunc(owned, func(o shard.Status) bool { return o.Partition == p }); i >= 0 {
			info.State = owned[i].State
			if owned[i].Err != nil {
				info.Error = owned[i].Err.Error()
			}
		}
		for topic, into := range map[string]*bounds{events.TopicJournal: &info.Journal, events.TopicCommands: &info.Commands} {
			var err error
			if into.Start, into.End, err = s.Log.Bounds(r.Context(), topic, p); err != nil {
				refuse(w, 503, err.Error())
				return
			}
		}
		all = append(all, info)
	}
	respond(w, 200, all)
}

// continuePartition lets a halted partition of this node continue.
func (s *Server) continuePartition(w http.ResponseWriter, r *http.Request) {
	p, ok := s.partition(w, r)
	if !ok {
		return
	}
	owned := s.Shards.Status()
	switch i := slices.IndexFunc(owned, func(o shard.Status) bool { return o.Partition == p }); {
	case i < 0:
		refuse(w, 409, fmt.Sprintf("partition %d is not on this node; its owner is %s: run the command there", p, s.where(s.Replica.Owner(p))))
		return
	case owned[i].State != shard.Halted:
		refuse(w, 409, fmt.Sprintf("partition %d is not halted: there is nothing to continue", p))
		return
	}
	if err := s.Replica.Halted(p); err != nil {
		refuse(w, 409, fmt.Sprintf("partition %d cannot continue: %v: report it, and start a version that can fold the record", p, err))
		return
	}
	s.Shards.Continue(p)
	respond(w, 200, struct{}{})
}

// where names a node, with its address if it is up.
func (s *Server) where(id events.NodeID) string {
	all := s.Services.Cluster.Node.Nodes()
	i := slices.IndexFunc(all, func(n service.NodeLevel) bool { return n.Node == id })
	switch {
	case i < 0:
		return fmt.Sprintf("%s, which is not up", id)
	case all[i].Address == "":
		return string(id)
	}
	return fmt.Sprintf("%s at %s", id, all[i].Address)
}

func runListPartitions(c call) error {
	var all []partitionInfo
	err := c.client.do("GET", "/partitions", nil, &all)
	return c.print(err, func(w terminal.Lines) {
		w.Text("PARTITION\tOWNER\tHERE\tJOURNAL\tFOLDED\tCOMMANDS\tDECIDED\tERROR\n")
		for _, p := range all {
			w.Printf("%d\t%s\t%s\t%s\t%d\t%s\t%d\t%s\n", p.Partition, p.Owner, p.State, p.Journal, p.Folded, p.Commands, p.Decided, p.Error)
		}
	})
}

func runContinuePartition(c call) error {
	err := c.client.wait("/partitions/"+url.PathEscape(c.args[0])+"/continue", nil, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("partition %s continues; jobs whose content is lost end with CONTENT_LOST\n", c.args[0])
	})
}
