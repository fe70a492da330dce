package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/history/historytest"
	"platen.dev/projections/table"
	"platen.dev/store"
)

// historyBench shows what months of jobs cost: disk and memory, the time to start a node with them,
// and the time to start a new node from only the snapshots and the rest of the journal.
func historyBench(s settings) error {
	dir, remove, err := historyDir(s.keep)
	if err != nil {
		return err
	}
	defer remove()
	if _, err := os.Stat(filepath.Join(dir, "log")); err != nil {
		fmt.Printf("history: %d jobs a month for %d months, snapshots, and what is left\n", s.jobs, s.months)
		if err := runOnce(s, dir); err != nil { // a directory that no node has begun lacks its secret and its stores
			return err
		}
		if err := writeMonths(s, dir); err != nil {
			return err
		}
	}
	if err := startWith(s, dir, "start with this history"); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "replica")); err != nil {
		return err
	}
	return startWith(s, dir, "a new node, from snapshots")
}

// historyDir returns the directory for a history, and a function that removes it unless it is to be
// kept.
func historyDir(keep string) (dir string, remove func(), err error) {
	if keep != "" {
		return keep, func() {}, os.MkdirAll(keep, 0o700)
	}
	dir, err = os.MkdirTemp("", "platen-bench-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

const (
	historyAccounts = 1024
	historyBatch    = 8
	daysOfMonth     = 30
)

// months are a log, a replica and snapshots in which simulated months pass.
type months struct {
	dir    string
	out    *results
	batch  int // of jobs in an envelope
	log    *embedded.Log
	rows   *projections.Replica
	keeper *history.Keeper
	writer *historytest.Writer
	now    time.Time
}

func writeMonths(s settings, dir string) (err error) {
	m := &months{dir: dir, out: s.out, batch: historyBatch, now: time.Now().Add(-time.Duration(s.months*daysOfMonth) * 24 * time.Hour)}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.open(s); err != nil {
		return err
	}
	for month := range s.months {
		began := time.Now()
		for half := range 2 {
			if err := m.days(daysOfMonth / 2); err != nil {
				return err
			}
			if month == s.months-1 && half == 1 {
				if err := m.writer.End(); err != nil {
					return err
				}
			}
			if s.trust {
				continue
			}
			if err := m.look(); err != nil {
				return err
			}
		}
		if s.trust && month == s.months-1 {
			if err := m.trust(); err != nil {
				return err
			}
		}
		m.report(month+1, time.Since(began))
	}
	return nil
}

// report adds the state after a month, which took the given time to write.
func (m *months) report(month int, took time.Duration) {
	sizes := []figure{{Name: "time", Unit: "s", Value: took.Seconds()}}
	for _, name := range []string{"log", "replica", "files"} {
		sizes = append(sizes, inMiB(name, m.bytes(name)))
	}
	line := fmt.Sprintf("  month %d: log %s, replica %s, snapshots %s; this process %s; it took %s", month, m.size("log"), m.size("replica"), m.size("files"),
		megabytes(residentBytes(os.Getpid())), took.Round(time.Second))
	m.out.add(fmt.Sprint("month ", month), line, sizes...)
}

func (m *months) open(s settings) (err error) {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if m.log, err = embedded.Open(embedded.Config{
		Dir: filepath.Join(m.dir, "log"), Partitions: events.DefaultPartitions, Logger: logger, Unbounded: []string{events.TopicJournal},
	}); err != nil {
		return err
	}
	if m.rows, err = projections.Open(context.Background(), projections.Config{Dir: filepath.Join(m.dir, "replica"), Log: m.log, Projections: folds(), Logger: logger}); err != nil {
		return err
	}
	m.rows.Start()
	files, err := store.OpenDir(filepath.Join(m.dir, "files", "snapshots"))
	if err != nil {
		return err
	}
	end := func(ctx context.Context, p int32) (int64, int64, error) {
		_, end, err := m.log.Bounds(ctx, events.TopicJournal, p)
		return end, 0, err
	}
	m.keeper = history.New(history.Config{
		Policy: history.Policy{Records: 1, Every: time.Hour, Keep: 2}, Files: files, Log: m.log, Replica: m.rows, Projections: folds(),
		Scratch: filepath.Join(m.dir, "scratch"), BytesPerSecond: 1 << 40, Owned: m.all, Published: end,
		Current: func() time.Time { return m.now.Add(time.Hour) }, Room: func() error { return nil },
		Node: "bench", Version: "bench", Now: func() time.Time { return m.now }, Logger: logger,
	})
	m.writer, err = historytest.New(historytest.Config{
		Log: m.log, Accounts: historyAccounts, JobsPerDay: s.jobs / daysOfMonth,
		Batch: m.batch, Begin: m.now, Young: s.trust, Durable: m.catchUp,
	})
	return err
}

// folds returns the projections of a node.
func folds() []table.Projection {
	return []table.Projection{account.States{}, projections.ReadModels{}}
}

func (m *months) all() (all []int32) {
	for p := range m.log.Partitions() {
		all = append(all, p)
	}
	return all
}

// days continues the log, and the replica after it, by some days.
func (m *months) days(n int) error {
	for range n {
		if err := m.writer.Day(); err != nil {
			return err
		}
		m.now = m.now.Add(24 * time.Hour)
	}
	return nil
}

// catchUp waits for the replica.
func (m *months) catchUp() error {
	for p := range m.log.Partitions() {
		if err := m.rows.CatchUp(context.Background(), p); err != nil {
			return err
		}
	}
	return nil
}

// look takes and verifies a snapshot of each partition, and trims.
func (m *months) look() error {
	before, _ := m.keeper.Figures()
	m.keeper.Look(context.Background())
	if after, _ := m.keeper.Figures(); after.Taken-before.Taken != int64(m.log.Partitions()) || after.Failed > 0 {
		return fmt.Errorf("snapshots: %+v, before %+v", after, before)
	}
	return nil
}

// trust trims the journal to its last record, and takes snapshots that nothing can confirm any more.
func (m *months) trust() error {
	began := time.Now()
	for _, p := range m.all() {
		if err := m.log.Trim(context.Background(), events.TopicJournal, p, m.rows.Cursor(p).Next-1); err != nil {
			return err
		}
		if _, _, err := m.keeper.Take(context.Background(), p, history.Trusted); err != nil {
			return err
		}
	}
	took := time.Since(began)
	m.out.add("snapshots without rebuilds", fmt.Sprintf("  snapshots of all partitions, without rebuilds: %s", took.Round(time.Second)), figure{Name: "time", Unit: "s", Value: took.Seconds()})
	return nil
}

func (m *months) close() (err error) {
	if m.rows != nil {
		err = m.rows.Close()
	}
	if m.log != nil {
		err = errors.Join(err, m.log.Close())
	}
	return err
}

// size returns the disk usage of a directory below the data directory.
func (m *months) size(name string) string { return megabytes(m.bytes(name)) }

func (m *months) bytes(name string) (total int64) {
	_ = filepath.WalkDir(filepath.Join(m.dir, name), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil // files deleted meanwhile do not count
	})
	return total
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// residentBytes returns the memory of a process, 0 if it has ended.
func residentBytes(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10
}

// startHeld starts a node on a data directory. Public events are held back, because the history has none.
func startHeld(s settings, dir string) (*process, error) {
	return startIn(dir, func(dir string) *exec.Cmd {
		cmd := platen(s.platen, nil)(dir)
		cmd.Env = append(os.Environ(), "PLATEN_HOLD_EVENTS=1")
		return cmd
	})
}

// runOnce starts a node on a data directory, and stops it.
func runOnce(s settings, dir string) error {
	p, err := startHeld(s, dir)
	if err != nil {
		return err
	}
	return errors.Join(p.cmd.Process.Signal(os.Interrupt), p.cmd.Wait())
}

// startWith measures the start of a node on a data directory: until its API is served and it decides commands.
func startWith(s settings, dir, what string) error {
	began := time.Now()
	p, err := startHeld(s, dir)
	if err != nil {
		return err
	}
	took, memory := time.Since(began), residentBytes(p.cmd.Process.Pid)
	s.out.add(what, fmt.Sprintf("  %s: serves after %.1f s, in %s", what, took.Seconds(), megabytes(memory)),
		figure{Name: "time", Unit: "s", Value: took.Seconds()}, inMiB("resident", memory))
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait() // the measurement does not depend on how it ended
	return nil
}
