package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
	ledgerfile "platen.dev/ledger/embedded"
	"platen.dev/projections"
)

const (
	// leavingJobs is the number of jobs, one per envelope, in the month whose rows are measured.
	leavingJobs = 200_000
	// leavingEntries is the number of ledger entries whose size is measured.
	leavingEntries = 50_000
)

// leavings prints what jobs leave behind: the rows of a month, their snapshots, the time to fold them
// from the journal, and the ledger entries.
func leavings(out *results) (err error) {
	dir, err := os.MkdirTemp("", "platen-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := leaveRows(out, dir); err != nil {
		return err
	}
	entry, err := leaveEntries(filepath.Join(dir, "ledger.db"))
	if err == nil {
		out.add("a job in the ledger", fmt.Sprintf("  a job leaves %.0f B in the ledger of SQLite", entry), figure{Name: "entry", Unit: "B", Value: entry})
	}
	return err
}

func leaveRows(out *results, dir string) (err error) {
	m := &months{dir: dir, batch: 1, now: time.Now().Add(-daysOfMonth * 24 * time.Hour)}
	defer func() { err = errors.Join(err, m.close()) }()
	if err = m.open(settings{jobs: leavingJobs}); err != nil {
		return err
	}
	if err = m.days(daysOfMonth); err == nil {
		err = m.catchUp()
	}
	if err != nil {
		return err
	}
	each, err := m.fold()
	if err == nil {
		err = m.look()
	}
	replica, snapshot := float64(m.bytes("refolded"))/leavingJobs, float64(m.bytes("files"))/leavingJobs
	out.add(
		"a job in replicas and snapshots",
		fmt.Sprintf("  a job leaves %.0f B in each replica, %.0f B in a snapshot; a record of the journal is folded in %.1f µs", replica, snapshot, 1000*each),
		figure{Name: "replica", Unit: "B", Value: replica}, figure{Name: "snapshot", Unit: "B", Value: snapshot}, figure{Name: "fold", Unit: "µs", Value: 1000 * each},
	)
	return err
}

// fold makes a second replica fold the whole journal, and returns the processor time per record in milliseconds.
func (m *months) fold() (each float64, err error) {
	var records int64
	for _, p := range m.all() {
		_, end, err := m.log.Bounds(context.Background(), events.TopicJournal, p)
		if err != nil {
			return 0, err
		}
		records += end
	}
	before, err := ownTime()
	if err != nil {
		return 0, err
	}
	r, err := projections.Open(context.Background(), projections.Config{
		Dir: filepath.Join(m.dir, "refolded"), Log: m.log, Projections: folds(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return 0, err
	}
	r.Start()
	for _, p := range m.all() {
		if err := r.CatchUp(context.Background(), p); err != nil {
			return 0, errors.Join(err, r.Close())
		}
	}
	if err := r.Close(); err != nil {
		return 0, err
	}
	after, err := ownTime()
	return 1000 * (after - before).Seconds() / float64(records), err
}

// ownTime returns the processor time of this process.
func ownTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// leaveEntries returns the bytes per entry in a ledger.
func leaveEntries(path string) (each float64, err error) {
	l, err := ledgerfile.Open(context.Background(), path)
	if err != nil {
		return 0, err
	}
	for lo := int64(0); lo < leavingEntries && err == nil; lo += ledger.MaxBatch {
		err = l.Append(context.Background(), entries(lo, min(lo+ledger.MaxBatch, leavingEntries)))
	}
	if err = errors.Join(err, l.Close()); err != nil { // closing moves the write-ahead log into the file
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / leavingEntries, nil
}

// entries makes a batch of entries of many accounts at the offsets from lo up to, not including,
// hi.
func entries(lo, hi int64) ledger.Batch {
	b := ledger.Batch{Topic: events.TopicEvents, Lo: lo, Hi: hi - 1}
	for offset := lo; offset < hi; offset++ {
		job := events.NewJobID().String()
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(offset) * time.Second)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: job + "/debit", Account: fmt.Sprintf("acc_%016d", offset%1000), Job: job, Kind: ledger.Debit, Key: "key_abcdefgh", Operation: string(events.HTMLToPDF),
			Tags:     []ledger.Tag{{Name: "project", Value: fmt.Sprint(offset % 100)}},
			Occurred: at, Window: at.Truncate(24 * time.Hour), Units: 1, Bytes: 50_000 + offset%1000, Source: ledger.Source{Topic: events.TopicEvents, Offset: offset},
		})
	}
	return b
}
