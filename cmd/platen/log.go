package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/logdump"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/salvage"
	"platen.dev/events"
)

// runLog runs `platen log`.
func runLog(args []string, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch {
	case len(args) > 0 && args[0] == "dump":
		return dumpLog(ctx, args[1:], stdout, stderr)
	case len(args) > 0 && args[0] == "salvage":
		return salvageLog(ctx, args[1:], stdout, stderr)
	}
	fmt.Fprint(stderr, usage())
	return cli.ErrUsage
}

// dumpLog runs `platen log dump`. It asks the running node or, if there is none, reads
// the log itself.
func dumpLog(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	cfg, filter, err := parseDump(args, stderr)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(stdout, 64<<10)
	err = admin.NewClient(cfg.Data).DumpLog(ctx, filter, out)
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

// dumpOptions are what the flags of `platen log dump` say.
type dumpOptions struct {
	cfg                node.Config
	account, job, from string
	json               bool
}

func (o *dumpOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen log dump", flag.ContinueOnError)
	flags.String("config", "", "configuration `FILE` of the node")
	flags.StringVar(&o.cfg.Data, "data", o.cfg.Data, "data `DIR` of the node")
	flags.Var((*list)(&o.cfg.Kafka.Brokers), "kafka", "read the log on the Kafka cluster at `HOST:PORT[,…]`, if no node runs with this --data")
	flags.StringVar(&o.account, "account", "", "print only what concerns the account `ID`")
	flags.StringVar(&o.job, "job", "", "print only what concerns the job `ID`")
	flags.StringVar(&o.from, "from", "", "print from `TIME` on: RFC 3339, or how long ago, such as 90m")
	flags.BoolVar(&o.json, "json", false, "print JSON, an object per line")
	return flags
}

func parseDump(args []string, stderr io.Writer) (cfg node.Config, filter logdump.Filter, err error) {
	var o dumpOptions
	if o.cfg, err = fileConfig(args); err != nil {
		return cfg, filter, err
	}
	if err := cli.ParseOnly(o.flags(), args, stderr); err != nil {
		return cfg, filter, err
	}
	filter.Account, filter.JSON = events.AccountID(o.account), o.json
	if o.job != "" {
		if filter.Job, err = events.ParseJobID(o.job); err != nil {
			return cfg, filter, fmt.Errorf("--job: %w", err)
		}
	}
	if filter.From, err = logdump.ParseFrom(o.from, time.Now()); err != nil {
		return cfg, filter, fmt.Errorf("--from: %w", err)
	}
	return o.cfg, filter, nil
}

// salvageOptions are what the flags of `platen log salvage` say.
type salvageOptions struct {
	cfg        node.Config
	to         string
	partitions int
}

func (o *salvageOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen log salvage", flag.ContinueOnError)
	flags.String("config", "", "configuration `FILE` of the node")
	flags.StringVar(&o.cfg.Data, "data", o.cfg.Data, "data `DIR` of the node, which must not run")
	flags.StringVar(&o.to, "to", "", "copy to `DIR`, which must not exist; log.salvaged in the data directory if not given")
	flags.IntVar(&o.partitions, "partitions", 0, "the `NUMBER` of partitions, if the log cannot say so itself")
	return flags
}

// salvageLog runs `platen log salvage`.
func salvageLog(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o salvageOptions
	if o.cfg, err = fileConfig(args); err != nil {
		return err
	}
	if err := cli.ParseOnly(o.flags(), args, stderr); err != nil {
		return err
	}
	c := salvage.Config{From: o.cfg.LogDir(), To: cmp.Or(o.to, o.cfg.LogDir()+".salvaged"), Partitions: int32(o.partitions)}
	if _, err := os.Stat(c.From); err != nil {
		return fmt.Errorf("there is no embedded log: %w", err)
	}
	return salvage.Run(ctx, c, stdout)
}
