package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/node"
)

// restore runs `platen restore`.
func restore(args []string, stdout, stderr io.Writer) error {
	cfg, o, err := parseRestore(args, stderr)
	if err != nil {
		return err
	}
	if err := harden(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Version, o.Logger = version(), cfg.Logger(stderr)
	done, err := node.Restore(ctx, cfg, o)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "restored %s, taken at %s by %s: %d rows and %d files. Start the nodes: they go on from there.\n"+
		"What happened later at the original is not in it. See that none of its nodes runs again.\n", done.Ref, done.Taken.Format(time.RFC3339), done.Node, done.Rows, done.Files)
	return err
}

func parseRestore(args []string, stderr io.Writer) (cfg node.Config, o node.RestoreOptions, err error) {
	if cfg, err = fileConfig(args); err != nil {
		return cfg, o, err
	}
	flags := flag.NewFlagSet("platen restore", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.From, "from", "", "restore from the directory or s3://bucket/prefix `PLACE`, to which platen admin backup wrote")
	flags.StringVar(&o.Name, "backup", "", "restore the backup `NAME` (default: the newest)")
	flags.BoolVar(&o.WithoutSecrets, "without-secrets", false, "restore although secrets are missing that credentials are sealed under")
	nodeFlags(flags, &cfg)
	plain, err := cli.Parse(flags, args)
	switch {
	case err != nil:
		return cfg, o, err
	case len(plain) > 0:
		return cfg, o, fmt.Errorf("restore takes flags only, not %q", plain[0])
	case o.From == "":
		return cfg, o, fmt.Errorf("restore: --from must say where the backup is: a directory, or s3://bucket/prefix")
	}
	return cfg, o, cfg.Validate()
}
