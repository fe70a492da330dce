package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

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
	return reportRestored(stdout, done, o.KeepRevoked)
}

// restoreOptions are what the flags of `platen restore` say.
type restoreOptions struct {
	cfg node.Config
	node.RestoreOptions
}

func (o *restoreOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen restore", flag.ContinueOnError)
	flags.StringVar(&o.From, "from", "", "restore from `PLACE`, the directory or s3://bucket/prefix to which platen admin backup wrote")
	flags.StringVar(&o.Name, "backup", "", "restore the backup `NAME` (default: the newest)")
	flags.BoolVar(&o.WithoutSecrets, "without-secrets", false, "restore although secrets are missing that credentials are sealed under")
	flags.BoolVar(&o.KeepRevoked, "keep-revoked", false, "keep API keys, sessions and one-time links valid as they were in the backup, even those that were revoked after it was taken (default: revoke all)")
	nodeFlags(flags, &o.cfg)
	return flags
}

func parseRestore(args []string, stderr io.Writer) (cfg node.Config, _ node.RestoreOptions, err error) {
	var o restoreOptions
	if o.cfg, err = fileConfig(args); err != nil {
		return cfg, o.RestoreOptions, err
	}
	if err := cli.ParseOnly(o.flags(), args, stderr); err != nil {
		return cfg, o.RestoreOptions, err
	}
	if o.From == "" {
		return cfg, o.RestoreOptions, fmt.Errorf("restore: --from must say where the backup is: a directory, or s3://bucket/prefix")
	}
	return o.cfg, o.RestoreOptions, o.cfg.Validate()
}
