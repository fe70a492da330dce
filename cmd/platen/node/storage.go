package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/actors/account"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

// storage holds the parts of a node that keep its data.
type storage struct {
	keys      *keyring
	log       measuredLog
	ledger    ledger.Ledger
	stalls    *ingest.Stalls // of the ledger
	snapshots *history.Source
	replica   *projections.Replica
	scrubbers map[string]*disk.Scrubber // by what they scrub
	work      string                    // an absolute directory, whose contents only this process needs
	files     store.Files
	space     *space
}

// prepareData prepares the data directory for a node.
func prepareData(b *base) error {
	if err := b.cfg.checkFinished(); err != nil {
		return err
	}
	return makeData(b)
}

// makeData makes the data directory, or an existing one private if others could reach it, and locks it.
func makeData(b *base) error {
	if err := disk.MkdirAll(vfs.Default, b.cfg.Data, 0o700); err != nil {
		return err
	}
	data, err := filepath.EvalSymlinks(b.cfg.Data)
	if err != nil {
		return err
	}
	files, _ := b.cfg.filesDir()
	if resolved, err := filepath.EvalSymlinks(files); err == nil {
		files = resolved
	}
	found, cause := disk.MakePrivate(data, files)
	tellPrivate(b.logger, "the data directory", data, found, cause)
	if info, err := os.Stat(data); err != nil || info.Mode().Perm()&disk.Others != 0 {
		return fmt.Errorf("others can reach %s: %w", data, cmp.Or(err, cause, fs.ErrPermission))
	}
	lock, err := disk.Lock(b.cfg.Data)
	if err != nil {
		return err
	}
	b.onClose("data directory", func(context.Context) error { return lock.Close() })
	return nil
}

// tellPrivate logs what others could reach, and what they still can.
func tellPrivate(logger *slog.Logger, what, dir string, found int, err error) {
	if found > 0 {
		logger.Warn(what+" could be reached by others and is private now", "dir", dir, "files", found)
	}
	if err != nil {
		logger.Error(what+" cannot be made private", "dir", dir, "error", err)
	}
}

// emptyWork removes what a killed process left: the contents of the work directory, and files that it was writing. No other process has the data
// directory.
func emptyWork(b *base) (dir string, err error) {
	if dir, err = filepath.Abs(filepath.Join(b.cfg.Data, "work")); err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil { // a browser of the killed process may still be exiting
		b.logger.Warn("the work directory could not be emptied", "dir", dir, "error", err)
	}
	return dir, errors.Join(os.MkdirAll(dir, 0o700), disk.RemoveNewFiles(b.cfg.Data))
}

// openFiles opens a store of files: a directory, the default one if place is empty, or one on S3, which must work: a wrong setting there would
// otherwise only show as waiting jobs.
func openFiles(ctx context.Context, b *base, part, place string) (store.Files, error) {
	if !strings.HasPrefix(place, s3Scheme) {
		dir := cmp.Or(place, filepath.Join(b.cfg.Data, "files"))
		files, err := store.OpenDir(dir)
		if err != nil {
			return nil, err
		}
		found, err := disk.MakeFilesPrivate(dir)
		tellPrivate(b.logger, "the directory of "+part, dir, found, err)
		return files, nil
	}
	files, err := store.OpenS3(ctx, b.cfg.S3.at(place))
	if err != nil {
		return nil, err
	}
	b.onClose(part, func(context.Context) error { files.Close(); return nil })
	return files, store.Probe(ctx, files, string(b.id), []byte(b.id))
}

// openSnapshots opens the store of snapshots, with which a replica may have to begin.
func openSnapshots(ctx context.Context, b *base, log measuredLog) (*history.Source, error) {
	files, err := openFiles(ctx, b, "snapshots", b.cfg.snapshotFiles())
	return &history.Source{Files: files, Log: log, Logger: b.logger}, err
}

func folds() []table.Projection {
	return []table.Projection{account.States{}, projections.ReadModels{}}
}

// openReplica opens the replica, and waits until it holds everything durable at the node's start: a replica that is behind would refuse valid keys.
func openReplica(ctx context.Context, b *base, s *storage) (*projections.Replica, error) {
	replica, err := projections.Open(ctx, projections.Config{
		Dir: b.cfg.ReplicaDir(), Log: s.log, KeepsEnd: b.cfg.embeddedLog(), Logger: b.logger, Snapshots: s.snapshots, Projections: folds(), Now: b.clock.Now,
		Failed: func(err error) { b.fail(fmt.Errorf("replica: %w", err)) },
	})
	switch {
	case errors.Is(err, projections.ErrDiverged):
		err = fmt.Errorf("%w: %w", embedded.ErrDamaged, err)
	case b.cfg.embeddedLog() && (errors.Is(err, projections.ErrOtherJournal) || errors.Is(err, eventlog.ErrBeyondEnd)):
		err = logLost(err)
	}
	if err != nil {
		return nil, err
	}
	replica.Start()
	b.onClose("replica", func(context.Context) error { return replica.Close() })
	for p := range s.log.Partitions() {
		if err := replica.CatchUp(ctx, p); err != nil {
			return nil, err
		}
	}
	return replica, nil
}

// logLost adds to an error about a replica that is ahead of the embedded log what to do.
func logLost(err error) error {
	return fmt.Errorf("%w (if the files of the log were lost, `platen log salvage` continues from the replica: docs/RUNBOOK.md)", err)
}

// scrubInterval is the pause between two passes over the files of this node, and before the first; scrubRate is how many bytes are read per second:
// 100 GB in 4 hours, at less than a fiftieth of a core.
const (
	scrubInterval = 10 * time.Minute
	scrubRate     = 8 << 20
)

// startScrub begins to verify the checksums of the node's databases continually.
func startScrub(b *base, replica *projections.Replica) map[string]*disk.Scrubber {
	all := map[string]*disk.Scrubber{"replica": disk.NewScrubber("replica", replica.Dir, replica.Damaged, b.logger)}
	if b.cfg.embeddedLog() {
		all["log"] = disk.NewScrubber("log", b.cfg.LogDir, func(error) {}, b.logger)
	}
	b.periodically("scrub", scrubInterval, func(ctx context.Context) {
		for _, of := range slices.Sorted(maps.Keys(all)) {
			all[of].Pass(ctx, snapshot.Paced(ctx, scrubRate))
		}
	})
	return all
}
