package node

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"platen.dev/events/disk"
	"platen.dev/projections/snapshot"
)

const (
	// scrubInterval is the pause between two passes over the files of this node, and before the first.
	scrubInterval = 10 * time.Minute
	// scrubRate is how many bytes a second are read: 100 GB in 4 hours, at less than a fiftieth of a core.
	scrubRate = 8 << 20
)

// scrubbed is what is compared with its checksums all the time, since damage that nobody reads is found too late otherwise.
type scrubbed struct {
	name string
	dir  func() string
	// found is called with the damage of a file.
	found   func(error)
	passed  atomic.Pointer[time.Time] // the end of the last pass, or the start of the node
	damaged atomic.Int64              // files, at the last pass
}

func (s *scrubbed) pass() {
	now := time.Now()
	s.passed.Store(&now)
}

// age returns how long ago the last pass has ended.
func (s *scrubbed) age() time.Duration { return time.Since(*s.passed.Load()) }

// startScrub has the databases of the node scrubbed.
func (n *Node) startScrub(context.Context) error {
	n.scrubs = []*scrubbed{{name: "replica", dir: n.replica.Dir, found: n.replica.Damaged}}
	if n.cfg.embeddedLog() {
		n.scrubs = append(n.scrubs, &scrubbed{name: "log", dir: n.cfg.LogDir, found: func(error) {}})
	}
	for _, s := range n.scrubs {
		s.pass()
	}
	n.periodically("scrub", scrubInterval, func(ctx context.Context) {
		for _, s := range n.scrubs {
			n.scrub(ctx, s, snapshot.Paced(ctx, scrubRate))
		}
	})
	return nil
}

// scrubbed returns a figure of what has a name, 0 if this node has none.
func (n *Node) scrubbed(name string, figure func(*scrubbed) float64) float64 {
	for _, s := range n.scrubs {
		if s.name == name {
			return figure(s)
		}
	}
	return 0
}

// scrub makes one pass over a database.
func (n *Node) scrub(ctx context.Context, s *scrubbed, pace snapshot.Pace) {
	damaged, err := disk.Scrub(ctx, s.dir(), pace)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		n.logger.Warn("files cannot be compared with their checksums", "of", s.name, "error", err)
		return
	}
	for _, file := range slices.Sorted(maps.Keys(damaged)) {
		path := filepath.Join(s.dir(), file)
		n.logger.Error("a file is damaged: check the disk (docs/RUNBOOK.md, PlatenFilesDamaged)", "of", s.name, "file", path, "error", damaged[file])
		s.found(fmt.Errorf("%s: %w", path, damaged[file]))
	}
	s.damaged.Store(int64(len(damaged)))
	s.pass()
}
