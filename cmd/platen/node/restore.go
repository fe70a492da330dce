package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// RestoreOptions say what is restored.
type RestoreOptions struct {
	// From is the place of the backup: a directory, or s3://bucket/prefix. Name is the backup's; empty means the newest.
	From, Name string
	// WithoutSecrets restores even if the secrets that seal the backup's credentials are not here.
	WithoutSecrets bool
	// KeepRevoked keeps all access valid, as at the cut, although some may have been revoked since.
	KeepRevoked bool
	Version     string
	Logger      *slog.Logger
}

// Restored describes what was restored.
type Restored struct {
	backup.Listed
	// Access is the access to the accounts at the cut. It was revoked, unless KeepRevoked was set.
	Access backup.Access
}

// Restore writes a backup into the log and the stores of a configuration, which must all be empty. It writes nothing before it has read all of the
// backup and rebuilt its rows. A node of that configuration then continues from the backup's cut, with access as o says.
func Restore(ctx context.Context, cfg Config, o RestoreOptions) (r Restored, err error) {
	from, done, err := cfg.openPlace(ctx, o.From, false)
	if err != nil {
		return r, err
	}
	defer done()
	ref, m, err := backup.Find(ctx, from, o.Name)
	if err != nil {
		return r, err
	}
	if !o.WithoutSecrets {
		if err := cfg.checkSecrets(m.Secrets); err != nil {
			return r, err
		}
	}
	mark, err := cfg.beginRestore()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, mark.lapse()) }()
	target, opened, err := openTarget(ctx, cfg, o)
	if err != nil {
		return r, err
	}
	r.Listed = backup.Describe(ref, m, nil)
	if !o.KeepRevoked {
		target.Revoke = &r.Access
	}
	err = restore(ctx, cfg, mark, from, ref, m, target, &r.Access, o.Logger)
	return r, errors.Join(err, opened.close(cfg.Drain(), cfg.StopLimit()))
}

// restore checks the target and the backup, notes the access, and then writes the backup.
func restore(ctx context.Context, cfg Config, mark *mark, from store.Files, ref backup.Ref, m backup.Manifest, to backup.Target, access *backup.Access, logger *slog.Logger) error {
	if err := to.CheckEmpty(ctx, int32(len(m.Partitions))); err != nil {
		return err
	}
	logger.Info("the backup is read, and its rows are rebuilt", "backup", string(ref), "taken", m.Taken)
	with := cfg.rebuilding(snapshot.Unpaced, logger)
	with.Access = access
	if err := backup.Verify(ctx, from, m, with); err != nil {
		return err
	}
	logger.Info("the backup is whole, and is written", "backup", string(ref))
	if err := mark.set(string(ref)); err != nil {
		return err
	}
	if err := backup.Restore(ctx, from, m, to); err != nil {
		return fmt.Errorf("%w (%w)", err, errUnfinished)
	}
	return mark.remove()
}

// openTarget opens the target of a restore, as a node does. The caller closes the parts that it returns.
func openTarget(ctx context.Context, cfg Config, o RestoreOptions) (backup.Target, *parts, error) {
	var s storage
	b := newBase(cfg, Options{Logger: o.Logger, Version: o.Version, Now: time.Now})
	b.id = events.NodeID("restore-" + events.NewJobID().String())
	err := startAll(b.logger, []part{
		{"data directory", func() error { return makeData(b) }},
		{"log", func() (err error) { s.log, err = openLog(ctx, b); return err }},
		{"usage ledger", func() (err error) { s.ledger, err = openLedger(ctx, b, s.log); return err }},
		{"snapshots", func() (err error) { s.snapshots, err = openSnapshots(ctx, b, s.log); return err }},
		{"files", func() (err error) { s.files, err = openFiles(ctx, b, "results", cfg.Files); return err }},
	})
	if err != nil {
		return backup.Target{}, nil, errors.Join(err, b.close(cfg.Drain(), cfg.StopLimit()))
	}
	return backup.Target{Log: s.log, Snapshots: s.snapshots.Files, Results: s.files, Ledger: s.ledger, Version: o.Version, Now: time.Now}, &b.parts, nil
}

// checkNew refuses a data directory that a node has used: its rows belong to another journal.
func (c StorageConfig) checkNew() error {
	used, err := c.used()
	if err == nil && used != "" {
		err = fmt.Errorf("%w: a node has used the data directory: there is %s", backup.ErrNotEmpty, used)
	}
	return err
}

// used returns what shows that a node has used the data directory, its replica; "" if nothing does. A restore makes a log, but no replica.
func (c StorageConfig) used() (string, error) {
	names, err := os.ReadDir(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, entry := range names {
		if strings.HasPrefix(entry.Name(), "replica") {
			return filepath.Join(c.Data, entry.Name()), nil
		}
	}
	return "", err
}

// checkSecrets returns which of the named secrets are neither configured nor in the data directory. It makes none.
func (c Config) checkSecrets(names []string) error {
	var have []string
	if _, err := os.Stat(c.sealPath()); err == nil || c.Cluster.Secret != "" {
		secrets, err := c.sealSecrets()
		if err != nil {
			return err
		}
		have = secrets.Names()
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(have, name) })
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("credentials, and the secrets that sign webhooks, are sealed under secrets that are not here: %s. Copy the original's seal.key to %s, or configure cluster.secret, "+
		"cluster.former_secrets and cluster.seal_key as they were. --without-secrets restores all the same: jobs with credentials then fail, and accounts get other webhook secrets",
		strings.Join(missing, ", "), c.sealPath())
}

// rebuilding configures the rebuild of a backup's rows.
func (c StorageConfig) rebuilding(pace snapshot.Pace, logger *slog.Logger) backup.Rebuilding {
	return backup.Rebuilding{Scratch: c.backupScratch(), Projections: folds(), Pace: pace, Logger: logger}
}
