package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/logdump"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/salvage"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
)

func logCommand() *cobra.Command {
	return parent("log", "Read the log of commands and events", dumpCommand(), salvageCommand())
}

func dumpCommand() *cobra.Command {
	s, account, job, from, asJSON := newSettings(), "", "", "", false
	c := &cobra.Command{
		Use: "dump", Short: "Print commands and journal, without content",
		Long: `Print the commands and the journal, without content. A running node is asked; if none runs with this data directory, the log
itself is read.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.read(c.Flags())
			if err != nil {
				return err
			}
			filter := logdump.Filter{Account: events.AccountID(account), JSON: asJSON}
			if job != "" {
				if filter.Job, err = events.ParseJobID(job); err != nil {
					return fmt.Errorf("--job: %w", err)
				}
			}
			if filter.From, err = logdump.ParseFrom(from, time.Now()); err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			return dumpLog(cfg, filter, terminal.Escaped(c.OutOrStdout()))
		},
	}
	flags := c.Flags()
	flags.StringVar(&s.config, "config", "", "configuration `FILE` of the node")
	flags.StringVar(&s.cfg.Data, "data", s.cfg.Data, "data `DIR` of the node")
	flags.Var((*list)(&s.cfg.Kafka.Brokers), "kafka", "if no node runs, read the log on the Kafka cluster at `HOST:PORT,...`")
	flags.StringVar(&account, "account", "", "print only what concerns the account `ID`")
	flags.StringVar(&job, "job", "", "print only what concerns the job `ID`")
	flags.StringVar(&from, "from", "", "start at `TIME`: RFC 3339, or how long ago, such as 90m")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object per line")
	return c
}

// dumpLog asks the running node or, if there is none, reads the log itself.
func dumpLog(cfg node.Config, filter logdump.Filter, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := bufio.NewWriterSize(stdout, 64<<10)
	err := admin.NewClient(cfg.Data).DumpLog(ctx, filter, out)
	if errors.Is(err, admin.ErrNoNode) {
		err = dumpStopped(ctx, cfg, filter, out)
	}
	return errors.Join(err, out.Flush())
}

// dumpStopped reads the log of a stopped node.
func dumpStopped(ctx context.Context, cfg node.Config, filter logdump.Filter, out io.Writer) error {
	l, err := cfg.OpenLogReadOnly(ctx)
	if err != nil {
		return fmt.Errorf("no node runs with this --data, and its log cannot be read: %w", err)
	}
	return errors.Join(logdump.Write(ctx, l, filter, out), l.Close())
}

func salvageCommand() *cobra.Command {
	s, to, partitions := newSettings(), "", int32(0)
	c := &cobra.Command{
		Use: "salvage", Short: "Copy what is readable of a damaged embedded log",
		Long: `Copy what is readable of a damaged embedded log, and report what is lost. Where the journal has lost records, the copy continues from what
the replica has folded, by snapshots. The node must not be running.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.read(c.Flags())
			if err != nil {
				return err
			}
			from := cfg.LogDir()
			to = cmp.Or(to, from+".salvaged")
			err = salvageLog(salvage.Config{
				From: from, To: to, Partitions: partitions, Replica: cfg.ReplicaDir(), Snapshots: cfg.OpenSnapshots,
				Ledger: cfg.OpenLedger, Version: version(),
			}, terminal.Escaped(c.OutOrStdout()))
			return errors.Join(err, cfg.KeepOwner(to))
		},
	}
	flags := c.Flags()
	flags.StringVar(&s.config, "config", "", "configuration `FILE` of the node")
	flags.StringVar(&s.cfg.Data, "data", s.cfg.Data, "data `DIR` of the node")
	flags.StringVar(&to, "to", "", "copy to `DIR`, which must not exist (default: log.salvaged in the data directory)")
	flags.Int32Var(&partitions, "partitions", 0, "the `NUMBER` of partitions, if the log itself cannot tell")
	return c
}

func salvageLog(c salvage.Config, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := os.Stat(c.From); err != nil {
		return fmt.Errorf("there is no embedded log: %w", err)
	}
	return salvage.Run(ctx, c, stdout)
}
