package history_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/history/historytest"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

const partitions = 2

// fixture is a log with a journal of jobs, a replica that has folded it, and a store of snapshots.
type fixture struct {
	t       *testing.T
	dir     string
	log     *embedded.Log
	files   store.Files
	replica *projections.Replica
	writer  *historytest.Writer
	now     time.Time
}

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir(), now: begin}
	var err error
	f.log, err = embedded.Open(embedded.Config{Dir: filepath.Join(f.dir, "log"), Partitions: partitions, Logger: testkit.Silent(), Unbounded: []string{events.TopicJournal}})
	must(t, err)
	t.Cleanup(func() { must(t, f.log.Close()) })
	f.files, err = store.OpenDir(filepath.Join(f.dir, "snapshots"))
	must(t, err)
	f.writer, err = historytest.New(historytest.Config{Log: f.log, Accounts: 6, JobsPerDay: 12, Batch: 2, Begin: begin})
	must(t, err)
	f.replica = f.open("replica", nil)
	t.Cleanup(func() { must(t, f.replica.Close()) })
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func folds() []table.Projection {
	return []table.Projection{account.States{}, projections.ReadModels{}}
}

// open starts a replica, with the snapshots unless they are nil, and waits until it has caught up.
func (f *fixture) open(name string, snapshots projections.Snapshots) *projections.Replica {
	f.t.Helper()
	r, err := f.tryOpen(name, snapshots)
	must(f.t, err)
	return r
}

func (f *fixture) tryOpen(name string, snapshots projections.Snapshots) (*projections.Replica, error) {
	f.t.Helper()
	r, err := projections.Open(f.t.Context(), projections.Config{
		Dir: filepath.Join(f.dir, name), Log: f.log, Logger: testkit.Silent(), Snapshots: snapshots, Projections: folds(),
	})
	must(f.t, err)
	r.Start()
	if err := catchUp(f.t, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func catchUp(t *testing.T, r *projections.Replica) (err error) {
	for p := range int32(partitions) {
		err = errors.Join(err, r.CatchUp(testkit.Context(t), p))
	}
	return err
}

// days writes some days, and has the clock follow.
func (f *fixture) days(n int) {
	f.t.Helper()
	for range n {
		must(f.t, f.writer.Day())
		f.now = f.now.Add(24 * time.Hour)
	}
	must(f.t, catchUp(f.t, f.replica))
}

func (f *fixture) source() *history.Source {
	return &history.Source{Files: f.files, Log: f.log, Logger: testkit.Silent()}
}

// keeper returns a keeper of all partitions.
func (f *fixture) keeper(change ...func(*history.Config)) *history.Keeper {
	cfg := history.Config{
		Policy: history.Policy{Records: 10, Every: 24 * time.Hour, Keep: 2, Events: 30 * 24 * time.Hour},
		Files:  f.files, Log: f.log, Replica: f.replica, Projections: folds(), Scratch: filepath.Join(f.dir, "scratch"), BytesPerSecond: 1 << 40,
		Owned:     func() []int32 { return []int32{0, 1} },
		Published: f.published,
		Consumed:  func(context.Context, int32) (int64, error) { return 1 << 40, nil },
		Current:   func() time.Time { return f.now.Add(time.Hour) },
		Room:      func() error { return nil },
		Node:      "n1", Version: "test", Now: func() time.Time { return f.now }, Logger: testkit.Silent(),
	}
	for _, c := range change {
		c(&cfg)
	}
	return history.New(cfg)
}

// published says that everything is published.
func (f *fixture) published(ctx context.Context, p int32) (int64, int64, error) {
	_, end, err := f.log.Bounds(ctx, events.TopicJournal, p)
	return end, 1 << 40, err
}

func (f *fixture) start(topic string, p int32) int64 {
	f.t.Helper()
	start, _, err := f.log.Bounds(f.t.Context(), topic, p)
	must(f.t, err)
	return start
}

func (f *fixture) refs(p int32) []snapshot.Ref {
	f.t.Helper()
	list, err := snapshot.List(f.t.Context(), f.files)
	must(f.t, err)
	return list.Refs[p]
}

// dump returns all rows of a replica.
func dump(t *testing.T, r *projections.Replica) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, r.Scan(nil, func(key, value []byte) bool {
		if key[0] != 0 { // what describes the store is no row
			all[string(key)] = string(value)
		}
		return true
	}))
	return all
}

// expectNewNode checks that a new node has, from what is there, what the old one has.
func (f *fixture) expectNewNode(name string) {
	f.t.Helper()
	r := f.open(name, f.source())
	if got, want := dump(f.t, r), dump(f.t, f.replica); !maps.Equal(got, want) {
		f.t.Errorf("%s: a new node has %d rows, the old one %d, and they differ", name, len(got), len(want))
	}
	must(f.t, r.Close())
}
