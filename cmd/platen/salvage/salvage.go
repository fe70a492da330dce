package salvage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/ledger"
	"platen.dev/projections"
	"platen.dev/store"
)

// Config says what to salvage.
type Config struct {
	// From is the directory of the log, To that of the copy, which must not exist.
	From, To string
	// Partitions is the log's number of partitions, in case it cannot say so itself.
	Partitions int32
	// Replica is the directory of the node's replica, which has what was folded of the lost records.
	Replica string
	// Snapshots opens the node's store of snapshots. done releases it.
	Snapshots func(ctx context.Context) (files store.Files, done func(), err error)
	// Ledger opens the node's usage ledger, for the topics of log.
	Ledger func(ctx context.Context, log eventlog.Log) (ledger.Ledger, error)
	// Version is this program's.
	Version string
}

// progressEvery is the pause between two lines of progress.
const progressEvery = 5 * time.Second

// Run salvages the log of a stopped node, and writes to out what is lost and what to do next.
func Run(ctx context.Context, c Config, out io.Writer) error {
	folded, err := projections.ReadFolded(c.Replica)
	if err != nil {
		fmt.Fprintf(out, "without the replica: %s: %v\n", c.Replica, err)
	}
	found, bridges, err := c.copy(ctx, folded, out)
	if errors.Is(err, embedded.ErrNoPartitions) {
		err = fmt.Errorf("%w: remove %s and give --partitions, as in the configuration of the node (%d unless that says otherwise)", err, c.To, events.DefaultPartitions)
	}
	if err != nil {
		return fmt.Errorf("salvage %s: %w", c.From, err)
	}
	if err := reportCopy(c, found, out); err != nil {
		return err
	}
	kept, err := c.carryOver(ctx, found, folded, bridges)
	if err != nil {
		return fmt.Errorf("%s cannot be used yet: %w. When that is mended, remove it and salvage again", c.To, err)
	}
	reportStale(kept, out)
	return reportKept(c, kept, out)
}

// copy copies the log. It returns the bridges of its journals.
func (c Config) copy(ctx context.Context, folded projections.Folded, out io.Writer) (found embedded.Salvaged, bridges map[int32]*bridge, err error) {
	last := time.Now()
	bridges = map[int32]*bridge{}
	found, err = embedded.Salvage(ctx, embedded.SalvageConfig{
		From: c.From, To: c.To, Partitions: c.Partitions, ID: folded.Journal, Logger: slog.New(slog.DiscardHandler),
		Topics: []string{events.TopicCommands, events.TopicJournal, events.TopicEvents, events.TopicPoison},
		Bridge: func(topic string, partition int32) embedded.Bridge {
			if topic != events.TopicJournal {
				return nil
			}
			bridges[partition] = newBridge(folded.Cursors[partition])
			return bridges[partition]
		},
		Progress: func(done, all int64) {
			if time.Since(last) >= progressEvery {
				last = time.Now()
				fmt.Fprintf(out, "%d of %d MiB read\n", done>>20, all>>20)
			}
		},
	})
	return found, bridges, err
}

// reportCopy writes what was copied, and what is lost between the records found.
func reportCopy(c Config, found embedded.Salvaged, out io.Writer) error {
	fmt.Fprintf(out, "%d records copied to %s\n", found.Records, c.To)
	for _, name := range slices.Sorted(maps.Keys(found.Damaged)) {
		fmt.Fprintf(out, "damaged: %s: %v\n", name, found.Damaged[name])
	}
	return reportLost(found, out)
}

// reportStale writes which partitions of the replica are of no use.
func reportStale(kept []carried, out io.Writer) {
	for _, one := range kept {
		if one.stale {
			fmt.Fprintf(out, "partition %d: the replica ends at offset %d, before what is left of the journal: what it lost is lost\n", one.partition, one.cursor.Next-1)
		}
	}
}

// reportKept writes what the replica has replaced, and what to do next.
func reportKept(c Config, kept []carried, out io.Writer) error {
	if kept = slices.DeleteFunc(kept, func(one carried) bool { return one.stale }); len(kept) > 0 {
		err := terminal.Table(out, func(w terminal.Lines) {
			w.Text("\nPARTITION\tLOST AT ITS END\tTHE REPLICA HAS IT UP TO\n")
			for _, one := range kept {
				w.Printf("%d\t%d\t%d\n", one.partition, one.missing, one.cursor.Next-1)
			}
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "\nThese partitions begin with snapshots of the replica. Nothing that it had is lost.")
	}
	_, err := fmt.Fprintf(out, `
Newer records, which no node had folded, may be lost too: there is no way to tell.
To continue with the copy, while no node runs:

    mv %s %s.damaged
    mv %s %s

See "A damaged embedded log" in docs/RUNBOOK.md.
`, c.From, c.From, c.To, c.From)
	return err
}

func reportLost(found embedded.Salvaged, out io.Writer) error {
	if len(found.Lost) == 0 {
		_, err := fmt.Fprintln(out, "no record is lost between others")
		return err
	}
	return terminal.Table(out, func(w terminal.Lines) {
		w.Text("\nTOPIC\tPARTITION\tLOST FROM\tUP TO\tRECORDS\tTHE PARTITION ENDS AT\n")
		for _, lost := range found.Lost {
			w.Printf("%s\t%d\t%d\t%d\t%d\t%d\n", lost.Topic, lost.Partition, lost.From, lost.To-1, lost.To-lost.From, found.Ends[lost.Topic][lost.Partition])
		}
	})
}
