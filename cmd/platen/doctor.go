package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/doctor"
	"platen.dev/cmd/platen/node"
)

// doctorFlags are those of `platen serve`, and --json.
func doctorFlags(cfg *node.Config, asJSON *bool) *flag.FlagSet {
	flags := serveFlags(cfg)
	flags.Init("platen doctor", flag.ContinueOnError)
	flags.BoolVar(asJSON, "json", false, "print an object per finding and line")
	return flags
}

// examineHost runs `platen doctor`: it looks whether a node with the flags and the configuration of `platen serve` can run
// on this host. Its status is 1 if it cannot.
func examineHost(args []string, stdout, stderr io.Writer) error {
	cfg, err := fileConfig(args)
	if err != nil {
		return err
	}
	var asJSON bool
	if err := cli.ParseOnly(doctorFlags(&cfg, &asJSON), args, stderr); err != nil {
		return err
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var broken error
	worst := doctor.Examine(ctx, cfg.Checks(), func(f doctor.Finding) { broken = errors.Join(broken, writeFinding(stdout, f, asJSON)) })
	if broken == nil && worst == doctor.Failure {
		return cli.Exit(1)
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
