package backup_test

import (
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// manyGone is the number of commands that a partition had before and nobody needs any more.
const manyGone = 10_000_000

// counted counts the records that are appended to a log.
type counted struct {
	eventlog.Log
	appended atomic.Int64
}

func (c *counted) Append(topic string, p int32, r eventlog.Record, done func(int64, error)) {
	c.appended.Add(1)
	c.Log.Append(topic, p, r, done)
}

// restorePast restores a backup of a cluster whose partitions have lost earlier commands. It checks that everything keeps its offset, and returns how
// many records were written, and the time taken.
func restorePast(t *testing.T, gone int64, to *cluster) (records int64, took time.Duration) {
	t.Helper()
	w := newWorldAt(t, 1, gone)
	w.steps(100)
	w.settled()
	place := newFiles()
	m := w.take(place, 0).Manifest
	must(t, verify(t, place, m))
	log, began := &counted{Log: to.log}, time.Now()
	target := to.target()
	target.Log = log
	must(t, backup.Restore(t.Context(), place, m, target))
	took = time.Since(began)
	to.check(m)
	for p, one := range m.Partitions {
		if start, end, err := to.log.Bounds(t.Context(), events.TopicCommands, int32(p)); err != nil || start < gone || end != one.Cursor.Cause+1 {
			t.Errorf("the commands of partition %d are from %d to %d (%v)", p, start, end, err)
		}
	}
	return log.appended.Load(), took
}

// A partition's past costs a restore nothing: it writes as many records as without.
func TestPastOffsets(t *testing.T) {
	t.Parallel()
	without, _ := restorePast(t, 0, newCluster(t))
	with, took := restorePast(t, manyGone, newCluster(t))
	if t.Logf("%d records in %s", with, took); with > without+2*partitions { // the gaps
		t.Errorf("behind %d commands, a restore writes %d records, and without them %d", manyGone, with, without)
	}
}
