package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/cmd/platen/doctor"
	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/seal"
	ledgerfile "platen.dev/ledger/embedded"
	"platen.dev/projections"
	"platen.dev/store"
)

// This file examines what is stored on the host. On Kafka, no check compares the log with replica and results: a node that starts does.

// haveOpen is what a check finds if a running node has something open.
const haveOpen = "a node has it open"

func (c Config) storedChecks() []doctor.Check {
	all := []doctor.Check{doctor.Start("data directory", c.tryData), doctor.Start("key for credentials", c.tryKeys), doctor.Secret(c.oldestSecrets)}
	if c.embeddedLog() {
		all = append(all, doctor.Start("log", c.tryLog), doctor.Start("replica and results", c.tryReplica))
	}
	if c.ClickHouse == "" {
		all = append(all, doctor.Start("usage ledger", c.tryLedger))
	}
	return all
}

// tryData looks for an unfinished restore, and for files that this process may not use.
func (c StorageConfig) tryData(context.Context) (is string, err error) {
	if err := c.checkFinished(); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return "the node will make it", nil
	}
	for _, e := range entries {
		if isOurs(e.Name()) {
			err = cmp.Or(err, usable(filepath.Join(c.Data, e.Name()), true))
		}
	}
	for _, dir := range []string{cmp.Or(c.Files, filepath.Join(c.Data, "files")), c.snapshotFiles()} {
		if !strings.HasPrefix(dir, s3Scheme) {
			err = cmp.Or(err, usable(dir, false))
		}
	}
	return "this user may use what is in it", err
}

// usable returns the first file or directory at or below a path that this process may not use. Of a store of files only the directories are looked at.
func usable(root string, files bool) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // as in the data directory of a running node
				return nil
			}
			return err
		}
		mode := uint32(unix.R_OK | unix.W_OK)
		switch {
		case e.IsDir():
			mode |= unix.X_OK
		case !files || !e.Type().IsRegular():
			return nil
		}
		if err := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS); errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%s: %w: give it to the node's user (chown)", path, err)
		}
		if e.IsDir() && !files && filepath.Dir(path) == filepath.Clean(root) { // what is in it has no directories
			return fs.SkipDir
		}
		return nil
	})
}

// tryKeys reads the secrets.
func (c Config) tryKeys(context.Context) (is string, err error) {
	if first, err := c.needsFirstSecret(); err != nil || first {
		return "the node will make it", err
	}
	s, err := c.sealSecrets()
	return fmt.Sprintf("there are %d secrets", len(s.Names())), err
}

// oldestSecrets returns the name of the oldest secret, of the one before, "" if that is not known, and what to do if they differ.
func (c Config) oldestSecrets() (now, before, do string, err error) {
	if before, err = c.formerOldest(); err != nil || before == "" {
		return "", "", "", err
	}
	s, err := c.sealSecrets()
	if err != nil {
		return "", "", "", err
	}
	return seal.NewKey(s).OldestName(), before, c.findSecret(), nil
}

// tryLog opens the embedded log for reading, as far as there is one that no node has open, and says how it is.
func (c StorageConfig) tryLog(context.Context) (is string, err error) {
	l, err := c.logToRead()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		used, err := c.used()
		if err == nil && used != "" {
			err = logLost(fmt.Errorf("%s is not there, and a node has used the data directory: there is %s", c.LogDir(), used))
		}
		return "the node will make it", err
	case errors.Is(err, embedded.ErrInUse):
		return haveOpen, nil
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("it can be read, and has %d partitions", l.Partitions()), l.Close()
}

// logToRead opens the embedded log for reading.
func (c StorageConfig) logToRead() (eventlog.Log, error) {
	if _, err := os.Stat(c.LogDir()); err != nil {
		return nil, err
	}
	return embedded.Open(embedded.Config{Dir: c.LogDir(), Partitions: c.Partitions, ReadOnly: true, Logger: slog.New(slog.DiscardHandler)})
}

// tryReplica compares the replica and the results of a stopped node with its log.
func (c StorageConfig) tryReplica(ctx context.Context) (is string, err error) {
	log, err := c.logToRead()
	switch {
	case errors.Is(err, embedded.ErrInUse):
		return haveOpen, nil
	case err != nil:
		return "the log cannot be read, so they were not compared with it", nil
	}
	defer log.Close()
	unread := ""
	err = projections.ReadStopped(c.ReplicaDir(), func(rows *projections.Frozen, journal string) error {
		if err := projections.CheckJournal(journal, log.TopicID(events.TopicJournal)); err != nil {
			return logLost(err)
		}
		if err := c.checkClaim(ctx, log, keptResults(rows, log.Partitions(), time.Now())); err != nil {
			return err
		}
		unread, err = readable(ctx, log, rows.CursorOf)
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := c.checkClaim(ctx, log, func() ([]string, error) { return nil, nil }); err != nil {
			return "", err
		}
		unread, err := readable(ctx, log, func(int32) (projections.Cursor, error) { return projections.Origin(), nil })
		return "the node will make the replica" + unread, err
	case disk.Damaged(err):
		return "the replica is damaged: the node will make it again", nil
	}
	return "they are of this log" + unread, err
}

// readable returns an error if the journal, from cursors on, has something that a newer version wrote. It reads as far as ctx lets it, and leaves to the
// node what it cannot read, as a replica may begin with a snapshot; unread says how far it came, "" if to the end.
func readable(ctx context.Context, log eventlog.Log, cursorOf func(partition int32) (projections.Cursor, error)) (unread string, err error) {
	for p := range log.Partitions() {
		cursor, err := cursorOf(p)
		if err != nil {
			return "", err
		}
		_, end, err := log.Bounds(ctx, events.TopicJournal, p)
		if err == nil {
			err = readableTo(ctx, log, p, &cursor, end)
		}
		if errors.Is(err, events.ErrNewer) {
			return "", err
		}
		if err != nil {
			return fmt.Sprintf("; of the journal, partition %d of %d was read to offset %d only: %s", p, log.Partitions(), cursor.Next, err), nil
		}
	}
	return "", nil
}

func readableTo(ctx context.Context, log eventlog.Log, partition int32, cursor *projections.Cursor, end int64) error {
	reader := log.Read(events.TopicJournal, partition, cursor.Next)
	defer reader.Close()
	for cursor.Next < end {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for _, record := range records {
			if _, _, err := cursor.Read(partition, record); errors.Is(err, events.ErrNewer) {
				return err
			}
		}
	}
	return nil
}

// checkClaim checks whether results in a directory are those of a log. Those on S3 are left to the node.
func (c StorageConfig) checkClaim(ctx context.Context, log eventlog.Log, kept func() ([]string, error)) error {
	dir, found := c.filesDir()
	if !found {
		return nil
	}
	_, err := claimantOf(c, store.DirToRead(dir), log).check(ctx, kept)
	return err
}

// tryLedger looks into the embedded ledger.
func (c StorageConfig) tryLedger(ctx context.Context) (is string, err error) {
	if c.running() {
		return haveOpen, nil
	}
	return "nothing is wrong with its file", ledgerfile.Examine(ctx, c.ledgerPath())
}
