// Package capacity estimates what a cluster needs for so many jobs: from what one job costs, as `go run ./cmd/bench -only capacity`
// measures it, and from how long things are kept. docs/CAPACITY.md says how far that can be trusted.
package capacity

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Costs are what things cost on one kind of machine. Times are of one processor, in milliseconds.
type Costs struct {
	// Machine and Date say where and when they were measured.
	Machine string `json:"machine"`
	Date    string `json:"date"`
	// Poll is a GET of a job's status, Webhook the delivery of a webhook.
	Poll    float64 `json:"poll_ms"`
	Webhook float64 `json:"webhook_ms"`
	// Fold is what each node pays for each record of the journal, whichever node wrote it.
	Fold float64 `json:"fold_ms"`
	// RowBytes is what a job leaves in the replica of each node, SnapshotBytes what it leaves in a snapshot, and
	// EntryBytes what its entry takes in the usage ledger.
	RowBytes      float64 `json:"row_bytes"`
	SnapshotBytes float64 `json:"snapshot_bytes"`
	EntryBytes    float64 `json:"entry_bytes"`
	// NodeBytes is the memory of a node without work, with its idle browsers.
	NodeBytes float64 `json:"node_bytes"`
	// Kinds are the kinds of jobs that were measured, by name.
	Kinds map[string]Kind `json:"kinds"`
}

// Kind is what a job of one kind costs, from its request to its file in the hands of the client.
type Kind struct {
	// Node is the time of the node itself, Browser that of its browsers and other tools.
	Node    float64 `json:"node_ms"`
	Browser float64 `json:"browser_ms"`
	// The bytes that are appended to the topics of the log, before compression and replication.
	CommandBytes float64 `json:"command_bytes"`
	JournalBytes float64 `json:"journal_bytes"`
	EventBytes   float64 `json:"event_bytes"`
	// Records are those of the journal.
	Records float64 `json:"records"`
	// FileBytes is the size of the file; 0 of a test job, which all share one.
	FileBytes float64 `json:"file_bytes"`
	// CoreBytes is the most memory that the browsers take for each core when all slots are at work, beyond NodeBytes.
	CoreBytes float64 `json:"core_bytes"`
	// Charged says that the job has an entry in the usage ledger.
	Charged bool `json:"charged"`
}

//go:embed costs.json
var measured []byte

// Measured returns the costs that Platen comes with.
func Measured() Costs {
	c, err := Parse(measured)
	if err != nil {
		panic(err) // cannot happen: it is tested
	}
	return c
}

// Parse reads costs as the benchmark writes them, and checks them.
func Parse(text []byte) (c Costs, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("costs: %w", err)
	}
	if len(c.Kinds) == 0 {
		return c, errors.New("costs: there are no kinds")
	}
	figures := []float64{c.Poll, c.Webhook, c.Fold, c.RowBytes, c.SnapshotBytes, c.EntryBytes, c.NodeBytes}
	for _, k := range c.Kinds {
		figures = append(figures, k.Node, k.Browser, k.CommandBytes, k.JournalBytes, k.EventBytes, k.Records, k.FileBytes, k.CoreBytes)
	}
	if slices.ContainsFunc(figures, func(f float64) bool { return f < 0 || math.IsInf(f, 0) || math.IsNaN(f) }) {
		return c, errors.New("costs: a figure is negative")
	}
	return c, nil
}

// names lists the kinds in order.
func (c Costs) names() string {
	var all []string
	for name := range c.Kinds {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
