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
	var account, since string
	var asJSON bool
	var filter admin.EventFilter
	data := node.NewConfig().Data
	flags := flag.NewFlagSet("platen events tail", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&data, "data", data, "data `DIR` of the running node")
	flags.StringVar(&filter.Type, "type", "", "show events of one `TYPE` only, such as job.finished")
	flags.StringVar(&account, "account", "", "show events of the account `ID` only")
	flags.StringVar(&since, "since", "", "begin with what happened since `TIME`: RFC 3339, or how long ago, such as 90m (default: now)")
	flags.BoolVar(&filter.Once, "once", false, "stop after the last event so far")
	flags.BoolVar(&asJSON, "json", false, "print CloudEvents in their JSON format, one per line")
	plain, err := cli.Parse(flags, args[1:])
	if err != nil {
		return err
	}
	if len(plain) > 0 {
		return fmt.Errorf("events tail takes flags only, not %q", plain[0])
	}
	filter.Account = events.AccountID(account)
	if filter.Type, err = admin.EventType(filter.Type); err != nil {
		return fmt.Errorf("--type: %w", err)
	}
	if filter.Since, err = logdump.ParseFrom(since, time.Now()); err != nil {
		return fmt.Errorf("--since: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return admin.NewClient(data).Events(ctx, filter, func(e public.Received) error {
		if asJSON {
			return json.NewEncoder(stdout).Encode(e)
		}
		return admin.WriteEvent(stdout, e)
	})
}
