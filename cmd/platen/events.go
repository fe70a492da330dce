package main

import (
	"context"
	"encoding/json"
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
	"platen.dev/events"
	"platen.dev/events/public"
)

// tailEvents runs `platen events tail`. It asks a running node.
func tailEvents(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || args[0] != "tail" {
		fmt.Fprint(stderr, usage())
		return cli.ErrUsage
	}
	o := tailOptions{data: node.NewConfig().Data}
	if err := cli.ParseOnly(o.flags(), args[1:], stderr); err != nil {
		return err
	}
	var err error
	filter := admin.EventFilter{Account: events.AccountID(o.account), Once: o.once}
	if filter.Type, err = admin.EventType(o.kind); err != nil {
		return fmt.Errorf("--type: %w", err)
	}
	if filter.Since, err = logdump.ParseFrom(o.since, time.Now()); err != nil {
		return fmt.Errorf("--since: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return admin.NewClient(o.data).Events(ctx, filter, func(e public.Received) error {
		if o.json {
			return json.NewEncoder(stdout).Encode(e)
		}
		return admin.WriteEvent(stdout, e)
	})
}

// tailOptions are what the flags of `platen events tail` say.
type tailOptions struct {
	data, kind, account, since string
	once, json                 bool
}

func (o *tailOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen events tail", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", o.data, "data `DIR` of the running node")
	flags.StringVar(&o.kind, "type", "", "show events of one `TYPE` only, such as job.finished")
	flags.StringVar(&o.account, "account", "", "show events of the account `ID` only")
	flags.StringVar(&o.since, "since", "", "begin with what happened since `TIME`: RFC 3339, or how long ago, such as 90m (default: now)")
	flags.BoolVar(&o.once, "once", false, "stop after the last event so far")
	flags.BoolVar(&o.json, "json", false, "print CloudEvents in their JSON format, one per line")
	return flags
}
