package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/node"
)

// holdEvents is the environment variable of node.Options.HoldEvents, for cmd/bench.
const holdEvents = "PLATEN_HOLD_EVENTS"

func serveCommand(o node.Options) *cobra.Command {
	s := newSettings()
	c := &cobra.Command{
		Use: "serve", Short: "Run a node", Args: cobra.NoArgs,
		Long: `Run a node, which serves the HTTP API until it is told to stop. Flags override the configuration file.

SIGTERM and SIGINT stop the node: it accepts no more requests, finishes what is in progress within drain_seconds, and ends. A second
signal ends it at once. SIGHUP has it read its certificates again, and log which other settings have changed: those need a restart.

Under systemd, the node reports that it is ready, alive, reloading or stopping.`,
		RunE: func(c *cobra.Command, _ []string) error {
			reread := func() (node.Config, error) { return s.valid(c.Flags()) }
			cfg, err := reread()
			if err != nil {
				return err
			}
			o.Logger, o.Version = cfg.Logger(c.ErrOrStderr()), version()
			return runNode(cfg, reread, o, c.OutOrStdout())
		},
	}
	s.declare(c.Flags())
	return c
}

// runNode runs a node until it is told to stop, or cannot continue. reread rereads its configuration.
func runNode(cfg node.Config, reread func() (node.Config, error), o node.Options, stdout io.Writer) error {
	if err := harden(); err != nil {
		return err
	}
	uuid.EnableRandPool() // every request needs ids, and none of them is a secret
	s := unit{cfg: cfg, reread: reread, logger: o.Logger}
	outliveReader()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hangup := make(chan os.Signal, 1) // from now on, so that one during the start does not end the process
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	n, err := node.Start(ctx, cfg, o)
	if err != nil {
		return err
	}
	announce(stdout, cfg, o.Version, n)
	err = s.run(ctx, n, hangup)
	stop() // a second signal ends the process at once
	err = errors.Join(err, n.Close())
	if err == nil {
		o.Logger.Info("stopped")
	}
	return err
}

// outliveReader lets writes to a log that nobody reads any more fail, instead of ending the process. The signal is taken and dropped, not ignored:
// the programs that the node runs would inherit that.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// announce tells people where the node is.
func announce(stdout io.Writer, cfg node.Config, version string, n *node.Node) {
	fmt.Fprintf(stdout, "platen %s listens on %s\n", version, n.URL())
	if address := n.OpsAddress(); address != "" {
		fmt.Fprintf(stdout, "metrics for operators: http://%s/metrics\n", address)
	}
	if address := n.GotenbergAddress(); address != "" {
		fmt.Fprintf(stdout, "Gotenberg's routes: %s\n", address)
	}
	if cfg.Dev {
		fmt.Fprintf(stdout, "API keys of the demo accounts: %s\n", node.DevKeysPath(cfg.Data))
		fmt.Fprintf(stdout, "dashboard: %s (on this machine, sign in to a demo account with one click)\n", n.DashboardURL())
	}
}
