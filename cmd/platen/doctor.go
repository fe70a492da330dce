package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/doctor"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

func doctorCommand() *cobra.Command {
	s, asJSON := newSettings(), false
	c := &cobra.Command{
		Use: "doctor", Short: "Check whether a node can run on this host",
		Long: `Check whether a node with these flags and this configuration can run on this host, and say what to do if it cannot.
The exit status is 1 if a check failed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.valid(c.Flags())
			if err != nil {
				return err
			}
			return examineHost(cfg, asJSON, terminal.Escaped(c.OutOrStdout()))
		},
	}
	s.declare(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per finding")
	return c
}

func examineHost(cfg node.Config, asJSON bool, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var broken error
	worst := doctor.Examine(ctx, cfg.Checks(), func(f doctor.Finding) { broken = errors.Join(broken, writeFinding(stdout, f, asJSON)) })
	if broken == nil && worst == doctor.Failure {
		return exitStatus(1)
	}
	return broken
}

func writeFinding(to io.Writer, f doctor.Finding, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(to).Encode(f)
	}
	line := fmt.Sprintf("%-8s %s: %s\n", f.Verdict, f.Check, f.Text)
	if f.Do != "" {
		line += fmt.Sprintf("%-8s -> %s\n", "", f.Do)
	}
	_, err := io.WriteString(to, line)
	return err
}
