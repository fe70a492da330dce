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

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// startData makes the data directory, and makes private what others could reach in one that is there.
func (n *Node) startData(context.Context) error {
	if err := disk.MkdirAll(vfs.Default, n.cfg.Data, 0o700); err != nil {
		return err
	}
	if err := n.cfg.checkFinished(); err != nil {
		return err
	}
	data, err := filepath.EvalSymlinks(n.cfg.Data)
	if err != nil {
		return err
	}
	files, _ := n.cfg.filesDir()
	if real, err := filepath.EvalSymlinks(files); err == nil {
		files = real
	}
	found, err := disk.MakePrivate(data, files)
	n.tellPrivate("the data directory", data, found, err)
	if info, err := os.Stat(data); err != nil || info.Mode().Perm()&disk.Others != 0 {
		return fmt.Errorf("others can reach %s: %w", data, cmp.Or(err, fs.ErrPermission))
	}
	return nil
}

// tellPrivate says what others could reach, and what they still can.
func (n *Node) tellPrivate(what, dir string, found int, err error) {
	if found > 0 {
		n.logger.Warn(what+" could be reached by others and is private now", "dir", dir, "files", found)
	}
	if err != nil {
		n.logger.Error(what+" cannot be made private", "dir", dir, "error", err)
	}
}

// scrubInterval is the pause between two passes over the files of this node, and before the first; scrubRate is how many bytes a
// second are read: 100 GB in 4 hours, at less than a fiftieth of a core.
const (
	scrubInterval = 10 * time.Minute
	scrubRate     = 8 << 20
)

// startScrub has the databases of the node compared with their checksums all the time.
func (n *Node) startScrub(context.Context) error {
	n.scrubs = map[string]*disk.Scrubber{"replica": disk.NewScrubber("replica", n.replica.Dir, n.replica.Damaged, n.logger)}
	if n.cfg.embeddedLog() {
		n.scrubs["log"] = disk.NewScrubber("log", n.cfg.LogDir, func(error) {}, n.logger)
	}
	n.periodically("scrub", scrubInterval, func(ctx context.Context) {
		for _, of := range slices.Sorted(maps.Keys(n.scrubs)) {
			n.scrubs[of].Pass(ctx, snapshot.Paced(ctx, scrubRate))
		}
	})
	return nil
}

// startWork removes what a killed process left: the content of the work directory, and files
// that it was writing. By now the log or the replica is locked, so that no other process uses the
// data directory.
func (n *Node) startWork(context.Context) error {
	dir, err := filepath.Abs(filepath.Join(n.cfg.Data, "work"))
	if err != nil {
		return err
	}
	n.work = dir
	if err := os.RemoveAll(dir); err != nil { // a browser of the killed process may be in its last moments
		n.logger.Warn("the work directory could not be emptied", "dir", dir, "error", err)
	}
	return errors.Join(os.MkdirAll(dir, 0o700), disk.RemoveNewFiles(n.cfg.Data))
}

func (n *Node) startSeal(context.Context) (err error) {
	n.seal, err = sealKey(n.cfg)
	return err
}

func (n *Node) startLog(ctx context.Context) (err error) {
	if n.log, err = n.cfg.OpenLog(ctx, string(n.id), n.logger, n.fail); err != nil {
		return err
	}
	n.onClose("log", func(context.Context) error { return n.log.Close() })
	n.appends = &appends{observe: n.metrics.appended, failed: n.metrics.notAppended}
	n.log = measuredLog{n.log, n.appends}
	return nil
}

// embeddedLog reports whether the node has a log of its own, rather than one on Kafka.
func (c StorageConfig) embeddedLog() bool { return len(c.Kafka.Brokers) == 0 }

func (c StorageConfig) logKind() string {
	if c.embeddedLog() {
		return "embedded"
	}
	return "kafka"
}

// OpenLog opens the log that a node of this configuration uses. The embedded log has one
// user at a time; to Kafka the name tells one from the other. Journal and events are unbounded:
// they are written by the owners of partitions only, which have a window under way. failed
// is called once, if the log fails for good.
func (c StorageConfig) OpenLog(ctx context.Context, name string, logger *slog.Logger, failed func(error)) (eventlog.Log, error) {
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{
			Dir: c.LogDir(), Partitions: c.Partitions, Logger: logger, Failed: failed, Unbounded: []string{events.TopicJournal, events.TopicEvents},
		})
	}
	return kafka.Open(ctx, c.Kafka.client(name, c.Partitions, logger))
}

// OpenLogReadOnly opens the log of a stopped node without changing anything.
func (c StorageConfig) OpenLogReadOnly(ctx context.Context) (eventlog.Log, error) {
	logger := slog.New(slog.DiscardHandler)
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{Dir: c.LogDir(), ReadOnly: true, Logger: logger})
	}
	return kafka.Open(ctx, kafka.Config{
		Brokers: c.Kafka.Brokers, Access: c.Kafka.access(), ReadOnly: true, Logger: logger,
		Topics: map[string]kafka.TopicConfig{events.TopicCommands: {}, events.TopicJournal: {}},
	})
}

func (n *Node) startReplica(ctx context.Context) (err error) {
	n.replica, err = projections.Open(ctx, projections.Config{
		Dir: filepath.Join(n.cfg.Data, "replica"), Log: n.log, Logger: n.logger, Snapshots: n.source, Projections: folds(), Now: n.now,
		Failed: func(err error) { n.fail(fmt.Errorf("replica: %w", err)) },
	})
	if err != nil {
		return err
	}
	n.replica.Start()
	n.onClose("replica", func(context.Context) error { return n.replica.Close() })
	return n.catchUp(ctx)
}

// catchUp waits until the replica holds all that was durable when the node started: a
// replica that is behind would refuse valid keys.
func (n *Node) catchUp(ctx context.Context) error {
	for p := range n.log.Partitions() {
		if err := n.replica.CatchUp(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// startSpace watches the disks that the node writes to.
func (n *Node) startSpace(context.Context) error {
	n.space = &space{dirs: n.cfg.disks(), reserve: int64(n.cfg.ReserveMB) << 20, logger: n.logger}
	n.space.look()
	n.periodically("space", spaceInterval, func(context.Context) { n.space.look() })
	return nil
}

// startFiles opens the store of results. One on S3 has to work: what is set wrongly there would
// otherwise show as jobs that wait.
func (n *Node) startFiles(ctx context.Context) (err error) {
	n.files, err = n.openFiles(ctx, "results", n.cfg.Files)
	return err
}

// openFiles opens a store of files: a directory, the default one if place is empty, or one on S3.
func (n *Node) openFiles(ctx context.Context, part, place string) (store.Files, error) {
	if !strings.HasPrefix(place, s3Scheme) {
		dir := cmp.Or(place, filepath.Join(n.cfg.Data, "files"))
		files, err := store.OpenDir(dir)
		if err != nil {
			return nil, err
		}
		found, err := disk.MakeFilesPrivate(dir)
		n.tellPrivate("the directory of "+part, dir, found, err)
		return files, nil
	}
	files, err := store.OpenS3(ctx, n.cfg.S3.at(place))
	if err != nil {
		return nil, err
	}
	n.onClose(part, func(context.Context) error { files.Close(); return nil })
	return files, store.Probe(ctx, files, string(n.id), []byte(n.id))
}
