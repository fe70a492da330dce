package node

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
)

// HistoryConfig is the section [history]: how much of the past is kept.
type HistoryConfig struct {
	// Files is where snapshots are kept: a directory, or s3://bucket/prefix; empty means beside the
	// results. The nodes of a cluster must share it.
	Files string `toml:"files"`
	// Snapshots is how many are kept per partition. 0 means that none are taken, and that nothing is
	// trimmed.
	Snapshots int `toml:"snapshots"`
	// Records is the number of journal records, and Hours the longest time, after which a partition
	// gets its next snapshot.
	Records int64 `toml:"records"`
	Hours   int   `toml:"hours"`
	// MBPerSecond bounds the work for snapshots.
	MBPerSecond int `toml:"mb_per_second"`
	// EventsDays is how long public events are kept; 0 means forever.
	EventsDays int `toml:"events_days"`
}

func (h HistoryConfig) validate() error {
	return errors.Join(
		check(h.Snapshots >= 0, "history.snapshots: must not be negative"),
		check(h.Records >= 1 && h.Hours >= 1 && h.MBPerSecond >= 1, "history.records, history.hours, history.mb_per_second: must be at least 1"),
		check(h.EventsDays >= 0, "history.events_days: must not be negative"),
	)
}

func (h HistoryConfig) policy() history.Policy {
	return history.Policy{
		Records: h.Records, Every: time.Duration(h.Hours) * time.Hour, Keep: h.Snapshots,
		Events: time.Duration(h.EventsDays) * 24 * time.Hour,
	}
}

// pace bounds work on history.
func (h HistoryConfig) pace(ctx context.Context) snapshot.Pace {
	return snapshot.Paced(ctx, h.bytesPerSecond())
}

func (h HistoryConfig) bytesPerSecond() int64 { return int64(h.MBPerSecond) << 20 }

// snapshotsBeside is the last part of the default place of snapshots. On S3 it is its own prefix, not
// below that of the results, whose lifecycle rule deletes objects after two days.
const snapshotsBeside = "snapshots"

// snapshotFiles returns where snapshots are kept.
func (c StorageConfig) snapshotFiles() string {
	if c.History.Files != "" {
		return c.History.Files
	}
	if !strings.HasPrefix(c.Files, s3Scheme) {
		return filepath.Join(cmp.Or(c.Files, filepath.Join(c.Data, "files")), snapshotsBeside)
	}
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(c.Files, s3Scheme), "/")
	if prefix = strings.Trim(prefix, "/"); prefix == "" {
		return s3Scheme + path.Join(bucket, snapshotsBeside)
	}
	return s3Scheme + path.Join(bucket, prefix+"-"+snapshotsBeside)
}

// scratchDir is where snapshots are rebuilt to verify them.
func (c StorageConfig) scratchDir() string { return filepath.Join(c.Data, "scratch") }

// backupScratch is where backups are rebuilt to verify them, and before they are restored.
func (c StorageConfig) backupScratch() string { return filepath.Join(c.Data, "scratch-backup") }
