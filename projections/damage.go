package projections

import (
	"context"
	"errors"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
)

// The files of a replica may be damaged. Everything in them follows from the journal and the snapshots, so they are removed, and the replica begins
// like that of a new node. A running replica ends the node first: its readers may have read anything.

// damageMark is the name of the file that records the damage, beside the directory of the store.
func (c Config) damageMark() string { return c.Dir + ".damaged" }

// Dir is the directory of the rows that serve.
func (r *Replica) Dir() string { return r.store.Load().cfg.Dir }

// Damaged tells the replica that a file of Dir is damaged. It stops, and the next start rebuilds it.
func (r *Replica) Damaged(why error) { r.guard().Damage(why) }

// noteDamage makes the next start remove the files, if why means that they are damaged.
func (r *Replica) noteDamage(why error) {
	if disk.Damaged(why) && !r.cfg.KeepDamaged {
		r.noted.Do(func() { r.writeDamageMark(why) })
	}
}

func (r *Replica) writeDamageMark(why error) {
	fs := r.cfg.FS
	f, err := fs.Create(r.cfg.damageMark(), vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), disk.SyncDir(fs, fs.PathDir(r.cfg.Dir)))
	}
	r.cfg.Logger.Error("the replica's files are damaged; the next start rebuilds it: check the disk", "error", why)
	if err != nil {
		r.cfg.Logger.Error("this cannot be noted: remove "+r.cfg.Dir+" before the next start", "error", err)
	}
}

// openMarked opens a replica, unless its files are known to be damaged.
func openMarked(ctx context.Context, cfg Config) (*Replica, error) {
	switch _, err := cfg.FS.Stat(cfg.damageMark()); {
	case err == nil:
		return nil, disk.ErrDamaged
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return open(ctx, cfg)
}

// removeDamaged removes all stores.
func (c Config) removeDamaged() error {
	return errors.Join(c.removeOthers(""), c.FS.RemoveAll(c.damageMark()))
}
