package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/node"
)

func restoreCommand() *cobra.Command {
	s, o := newSettings(), node.RestoreOptions{}
	c := &cobra.Command{
		Use: "restore --from PLACE", Short: "Restore a backup into an empty log and empty stores", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.From == "" {
				return errors.New("restore: --from must say where the backup is: a directory, or s3://bucket/prefix")
			}
			cfg, err := s.valid(c.Flags())
			if err != nil {
				return err
			}
			o.Version, o.Logger = version(), cfg.Logger(c.ErrOrStderr())
			return restore(cfg, o, c.OutOrStdout())
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.From, "from", "", "restore from `PLACE`, the directory or s3://BUCKET/PREFIX of the backups")
	flags.StringVar(&o.Name, "backup", "", "restore the backup `NAME` (default: the newest)")
	flags.BoolVar(&o.WithoutSecrets, "without-secrets", false, "restore even if secrets are missing under which credentials are sealed")
	flags.BoolVar(&o.KeepRevoked, "keep-revoked", false, "keep all API keys, sessions and one-time links of the backup valid, even if they were revoked later (default: revoke all)")
	s.declare(flags)
	return c
}

func restore(cfg node.Config, o node.RestoreOptions, stdout io.Writer) error {
	if err := harden(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done, err := node.Restore(ctx, cfg, o)
	err = errors.Join(err, cfg.KeepOwner())
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return reportRestored(stdout, done, o.KeepRevoked)
}
