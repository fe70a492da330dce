package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"platen.dev/cmd/platen/backup"
	"platen.dev/store"
)

// backups takes backups of a node's cluster, one at a time, and reads existing ones.
type backups struct {
	*base
	storage *storage
	busy    sync.Mutex
}

// Take implements admin.Backups.
func (b *backups) Take(ctx context.Context, place string, keep int, reread bool) (r backup.Report, err error) {
	secrets, err := b.cfg.sealSecrets()
	if err != nil {
		return r, err
	}
	if keep > 0 && b.clock.held() != 0 {
		b.logger.Warn("keeping all backups while the clock is held: their order is uncertain")
		keep = 0
	}
	s := b.storage
	return r, b.at(ctx, place, true, func(files store.Files) (err error) {
		r, err = backup.Take(ctx, backup.Config{
			Log: s.log, Replica: s.replica, Snapshots: s.snapshots, Results: s.files, Ledger: s.ledger, Secrets: secrets.Names(), Pace: b.cfg.History.pace,
			Published: published(s.log), Node: string(b.id), Version: b.version, Now: b.clock.Now, Logger: b.logger, Reread: reread,
		}, files, keep)
		if len(r.Ahead) > 0 {
			b.logger.Warn("earlier backups have names in the future: a clock was ahead; this ends when they are dropped or that time has passed",
				"place", place, "backups", len(r.Ahead), "newest", string(r.Ahead[0]))
		}
		if err == nil {
			b.logger.Info("backup taken", "backup", string(r.Ref), "place", place, "chunks", r.Sent.Chunks, "bytes", r.Sent.Bytes, "dropped", len(r.Dropped))
		}
		return err
	})
}

// List implements admin.Backups.
func (b *backups) List(ctx context.Context, place string) (all []backup.Listed, err error) {
	files, done, err := b.cfg.openPlace(ctx, place, false)
	if err != nil {
		return nil, err
	}
	defer done()
	return backup.DescribeAll(ctx, files)
}

// Verify implements admin.Backups.
func (b *backups) Verify(ctx context.Context, place, name string) (one backup.Listed, err error) {
	return one, b.at(ctx, place, false, func(files store.Files) error {
		ref, m, err := backup.Find(ctx, files, name)
		if err != nil {
			return err
		}
		one = backup.Describe(ref, m, nil)
		return backup.Verify(ctx, files, m, b.cfg.rebuilding(b.cfg.History.pace(ctx), b.logger))
	})
}

// Losses implements admin.Backups.
func (b *backups) Losses(ctx context.Context, place string) (lost []backup.Loss, err error) {
	return lost, b.at(ctx, place, false, func(files store.Files) (err error) {
		lost, err = backup.Losses(ctx, files, b.cfg.History.pace(ctx))
		return err
	})
}

// errBusy means that a backup is being taken or verified.
var errBusy = errors.New("a backup is being taken or verified: wait until that is done")

// at opens a place while do runs.
func (b *backups) at(ctx context.Context, place string, create bool, do func(store.Files) error) error {
	if !b.busy.TryLock() {
		return errBusy
	}
	defer b.busy.Unlock()
	files, done, err := b.cfg.openPlace(ctx, place, create)
	if err != nil {
		return err
	}
	defer done()
	return do(files)
}

// openPlace opens a place of backups. A missing directory is created only if it will be written to.
func (c StorageConfig) openPlace(ctx context.Context, place string, create bool) (files store.Files, done func(), err error) {
	if err := cmp.Or(check(place != "", "the place of backups is empty"), c.S3.checkPlace("the place of backups", place)); err != nil {
		return nil, nil, err
	}
	if err := c.notOurs(place); err != nil {
		return nil, nil, err
	}
	if !strings.HasPrefix(place, s3Scheme) && !create && !store.IsDir(place) {
		return nil, nil, fmt.Errorf("%w: %s is not a directory of backups", backup.ErrNone, place)
	}
	return c.open(ctx, place)
}

// open opens a place of files, which need not exist if it is a directory.
func (c StorageConfig) open(ctx context.Context, place string) (files store.Files, done func(), err error) {
	if strings.HasPrefix(place, s3Scheme) {
		s3, err := store.OpenS3(ctx, c.S3.at(place))
		if err != nil {
			return nil, nil, err
		}
		return s3, s3.Close, nil
	}
	files, err = store.OpenDir(place)
	return files, func() {}, err
}

// OpenSnapshots opens the store of snapshots of a node that does not run. done releases it.
func (c StorageConfig) OpenSnapshots(ctx context.Context) (files store.Files, done func(), err error) {
	return c.open(ctx, c.snapshotFiles())
}

// notOurs refuses a place in which the node keeps other files: the backups would be lost with them, or swept.
func (c StorageConfig) notOurs(place string) error {
	for _, ours := range []string{c.Data, c.Files, c.snapshotFiles()} {
		if inside(place, ours) {
			return fmt.Errorf("%s is inside %s and would be lost with it: choose another place", place, ours)
		}
	}
	return nil
}

// inside reports whether a place is another one, or inside it. If a store has no prefix, other prefixes of its bucket count as outside.
func inside(place, other string) bool {
	in, onS3 := strings.CutPrefix(place, s3Scheme)
	of, otherOnS3 := strings.CutPrefix(other, s3Scheme)
	if other == "" || onS3 != otherOnS3 {
		return false
	}
	if onS3 {
		in, of = strings.Trim(in, "/"), strings.Trim(of, "/")
		return in == of || strings.Contains(of, "/") && strings.HasPrefix(in, of+"/")
	}
	_, is := wayInto(of, in)
	return is
}

// wayInto returns the way from a directory to a path in it, "." to itself; false if the path is outside.
func wayInto(dir, path string) (way string, is bool) {
	path, pathErr := filepath.Abs(path)
	dir, dirErr := filepath.Abs(dir)
	way, err := filepath.Rel(dir, path)
	return way, errors.Join(pathErr, dirErr, err) == nil && way != ".." && !strings.HasPrefix(way, ".."+string(filepath.Separator))
}
