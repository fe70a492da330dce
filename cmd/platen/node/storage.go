package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/projections"
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
	found, err := makePrivate(data, files)
	n.tellPrivate("the data directory", data, found, err)
	if info, err := os.Stat(data); err != nil || info.Mode().Perm()&others != 0 {
		return fmt.Errorf("others can reach %s: %w", data, cmp.Or(err, fs.ErrPermission))
	}
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
	return errors.Join(os.MkdirAll(dir, 0o700), removeNewFiles(n.cfg.Data))
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
func (c Config) embeddedLog() bool { return len(c.Kafka.Brokers) == 0 }

func (c Config) logKind() string {
	if c.embeddedLog() {
		return "embedded"
	}
	return "kafka"
}

// OpenLog opens the log that a node of this configuration uses. The embedded log has one
// user at a time; to Kafka the name tells one from the other. Journal and events are unbounded:
// they are written by the owners of partitions only, which have a window under way. failed
// is called once, if the log fails for good.
func (c Config) OpenLog(ctx context.Context, name string, logger *slog.Logger, failed func(error)) (eventlog.Log, error) {
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{
			Dir: c.LogDir(), Partitions: c.Partitions, Logger: logger, Failed: failed, Unbounded: []string{events.TopicJournal, events.TopicEvents},
		})
	}
	return kafka.Open(ctx, c.kafkaConfig(name, logger))
}

// kafkaConfig is how the log on Kafka is opened. name tells one client from the other.
func (c Config) kafkaConfig(name string, logger *slog.Logger) kafka.Config {
	return kafka.Config{
		Brokers: c.Kafka.Brokers, Access: c.Kafka.access(), ClientID: name, Partitions: c.Partitions, ReplicationFactor: c.Kafka.ReplicationFactor,
		SessionTimeout: time.Duration(c.Kafka.SessionSeconds) * time.Second, Logger: logger,
		Topics: map[string]kafka.TopicConfig{
			events.TopicCommands: {Retention: time.Duration(c.Kafka.CommandsHours) * time.Hour},
			events.TopicJournal:  {Unbounded: true},
			events.TopicEvents:   {Unbounded: true, Compression: "gzip"}, // every client reads gzip
			events.TopicPoison:   {},
		},
	}
}

// OpenLogReadOnly opens the log of a stopped node without changing anything.
func (c Config) OpenLogReadOnly(ctx context.Context) (eventlog.Log, error) {
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
		found, err := makeFilesPrivate(dir)
		n.tellPrivate("the directory of "+part, dir, found, err)
		return files, nil
	}
	files, err := store.OpenS3(ctx, n.cfg.s3(place))
	if err != nil {
		return nil, err
	}
	n.onClose(part, func(context.Context) error { files.Close(); return nil })
	return files, n.tryFiles(ctx, files, []byte(n.id))
}

// probePrefix begins the names of files with which the store is tried.
const probePrefix = "probe-"

// tryFiles does with a file of its own all that is done with files.
func (n *Node) tryFiles(ctx context.Context, files store.Files, content []byte) error {
	return tryFiles(ctx, files, probePrefix+string(n.id), content)
}

func tryFiles(ctx context.Context, files store.Files, name string, content []byte) error {
	if _, err := files.Put(ctx, name, bytes.NewReader(content), int64(len(content))); err != nil {
		return err
	}
	if err := readProbe(ctx, files, name, content); err != nil {
		return errors.Join(err, files.Delete(ctx, name))
	}
	if err := files.Delete(ctx, name); err != nil {
		return err
	}
	f, err := files.Open(ctx, name)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return nil
	case err == nil:
		return errors.Join(fmt.Errorf("%s was deleted and is still there", name), f.Close())
	}
	return fmt.Errorf("%s was deleted: %w", name, err)
}

// readProbe checks that a file is there, and listed.
func readProbe(ctx context.Context, files store.Files, name string, want []byte) error {
	f, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("read %s: the content is not what was stored", name)
	}
	listed := errors.New("listed")
	err = files.Each(ctx, func(string, int64, time.Time) error { return listed })
	switch {
	case errors.Is(err, listed):
		return nil
	case err == nil:
		return fmt.Errorf("list files: %s is missing", name)
	}
	return err
}
