package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/logdump"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/events/public"
)

func eventsCommand() *cobra.Command {
	return parent("events", "Follow the public events", tailCommand())
}

// tail holds the flags of `platen events tail`.
type tail struct {
	data, kind, account, since string
	once, json                 bool
}

func tailCommand() *cobra.Command {
	t := tail{data: node.NewConfig().Data}
	c := &cobra.Command{
		Use: "tail", Short: "Show public events as they happen", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.show(terminal.Escaped(c.OutOrStdout())) },
	}
	flags := c.Flags()
	dataFlag(c, &t.data)
	flags.StringVar(&t.kind, "type", "", "show only events of `TYPE`, such as job.finished")
	flags.StringVar(&t.account, "account", "", "show only events of the account `ID`")
	flags.StringVar(&t.since, "since", "", "start with what happened since `TIME`: RFC 3339, or how long ago, such as 90m (default: now)")
	flags.BoolVar(&t.once, "once", false, "stop after the latest event instead of waiting for more")
	flags.BoolVar(&t.json, "json", false, "print one CloudEvent per line, in the JSON format")
	return c
}

func (t tail) show(stdout io.Writer) error {
	filter, err := t.filter(time.Now())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return admin.NewClient(t.data).Events(ctx, filter, func(e public.Received) error {
		if t.json {
			return json.NewEncoder(stdout).Encode(e)
		}
		return admin.WriteEvent(stdout, e)
	})
}

func (t tail) filter(now time.Time) (f admin.EventFilter, err error) {
	f.Account, f.Once = events.AccountID(t.account), t.once
	if f.Type, err = admin.EventType(t.kind); err != nil {
		return f, fmt.Errorf("--type: %w", err)
	}
	if f.Since, err = logdump.ParseFrom(t.since, now); err != nil {
		return f, fmt.Errorf("--since: %w", err)
	}
	return f, nil
}
