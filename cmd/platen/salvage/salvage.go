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
	"platen.dev/events/eventlog/embedded"
)

// Config says what to salvage.
type Config struct {
	// From is the directory of the log, To that of the copy, which must not exist.
	From, To string
	// Partitions is the log's number of partitions, in case it cannot say so itself.
	Partitions int32
}

// progressEvery is the pause between two lines of progress.
const progressEvery = 5 * time.Second

// Run salvages the log of a stopped node, and writes to out what is lost and what to do next.
func Run(ctx context.Context, c Config, out io.Writer) error {
	last := time.Now()
	found, err := embedded.Salvage(ctx, embedded.SalvageConfig{
		From: c.From, To: c.To, Partitions: c.Partitions, Logger: slog.New(slog.DiscardHandler),
		Topics: []string{events.TopicCommands, events.TopicJournal, events.TopicEvents, events.TopicPoison},
		Bridge: func(topic string, _ int32) embedded.Bridge {
			if topic == events.TopicJournal {
				return newBridge()
			}
			return nil
		},
		Progress: func(done, all int64) {
			if time.Since(last) >= progressEvery {
				last = time.Now()
				fmt.Fprintf(out, "%d of %d MiB read\n", done>>20, all>>20)
			}
		},
	})
	if errors.Is(err, embedded.ErrNoPartitions) {
		err = fmt.Errorf("%w: remove %s and give --partitions, as in the configuration of the node (%d unless that says otherwise)", err, c.To, events.DefaultPartitions)
	}
	if err != nil {
		return fmt.Errorf("salvage %s: %w", c.From, err)
	}
	return report(c, found, out)
}

// report writes the result.
func report(c Config, found embedded.Salvaged, out io.Writer) error {
	fmt.Fprintf(out, "%d records copied to %s\n", found.Records, c.To)
	for _, name := range slices.Sorted(maps.Keys(found.Damaged)) {
		fmt.Fprintf(out, "damaged: %s: %v\n", name, found.Damaged[name])
	}
	if err := reportLost(found, out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `
Whether the newest records of a partition are lost, too, cannot be told.
To continue with the copy, while no node runs:

    mv %s %s.damaged
    mv %s %s

Keep the replica beside it: it has what was folded of the lost records. See "platen log salvage" in docs/RUNBOOK.md.
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
