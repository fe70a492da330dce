package projections_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// counting is a projection of a new schema: it counts the envelopes of each account.
type counting struct{}

var counted = table.Table[int]{Name: 'x'}

func (counting) Apply(tx *table.Tx, p int32, e events.Envelope) {
	key := counted.Key(p, []byte(e.Account)...)
	n, _ := counted.Load(tx, key)
	counted.Put(tx, key, n+1)
}

// gate is a source of snapshots that holds whoever asks.
type gate struct {
	shelf
	open chan struct{}
}

func (g gate) Restore(ctx context.Context, p int32, after int64, load func(projections.Rows) error) error {
	select {
	case <-g.open:
		return g.shelf.Restore(ctx, p, after, load)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// offsets collects the offsets of the records that a watcher of a partition is told.
type offsets struct {
	mu  sync.Mutex
	all []int64
}

func (o *offsets) take(p projections.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range p.Steps {
		o.all = append(o.all, s.Offset)
	}
}

// The rows of a new schema are built while those of the old one serve and continue. Then they replace
// them: watchers are told nothing twice and miss nothing, and the next start has the new rows at once.
func TestANewSchemaIsBuiltBesideTheOld(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 30)
	closed(t, f.open("replica"))
	cfg := f.config("replica").WithSchema(projections.Schema + 1)
	g := gate{shelf{}, make(chan struct{})}
	cfg.Projections, cfg.Snapshots = append(cfg.Projections, counting{}), g
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var told offsets
	from := r.Cursor(0).Next
	r.Watch(0, told.take)
	r.Start()
	f.writeJobs(rand.New(rand.NewPCG(2, 0)), 30)
	f.catchUp(r)
	if _, known, err := r.Account("acc_a"); !r.Outdated() || !known || err != nil {
		t.Errorf("while the new rows are built: outdated %t, known %t (%v)", r.Outdated(), known, err)
	}
	if page, err := r.Jobs("acc_a", projections.Filter{}, nil, 1); err != nil || len(page.Jobs) != 1 {
		t.Errorf("while the new rows are built, %d jobs are listed (%v)", len(page.Jobs), err)
	}
	close(g.open)
	testkit.Eventually(t, "the new rows serve", func() bool { return !r.Outdated() })
	if page, err := r.Jobs("acc_a", projections.Filter{}, nil, 1); err != nil || len(page.Jobs) != 1 {
		t.Errorf("once they serve: %d jobs are listed (%v)", len(page.Jobs), err)
	}
	f.writeJobs(rand.New(rand.NewPCG(3, 0)), 30)
	f.catchUp(r)
	fresh := f.config("fresh").WithSchema(projections.Schema + 1)
	fresh.Projections = cfg.Projections
	want, err := projections.Open(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	want.Start()
	f.catchUp(want)
	if !maps.Equal(dump(t, r), dump(t, want)) {
		t.Error("the rows are not those of a new replica")
	}
	closed(t, want)
	closed(t, r)
	var all []int64
	for at := from; at < r.Cursor(0).Next; at++ {
		all = append(all, at)
	}
	if !slices.Equal(told.all, all) {
		t.Errorf("a watcher was told %d, want %d to %d", told.all, from, r.Cursor(0).Next)
	}
	if r, err = projections.Open(t.Context(), cfg); err != nil || r.Outdated() {
		t.Fatalf("the next start is outdated (%v)", err)
	}
	closed(t, r)
	if _, err := os.Stat(cfg.Dir); err == nil {
		t.Error("the rows of the old schema are still there")
	}
}

// Where the journal is trimmed, the new rows are migrated from those of a snapshot. Without a
// migration, the replica fails and says so; the old rows stay.
func TestMigratedSnapshots(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 30)
	old := f.open("replica")
	snapshots := shelf{}
	for p := range int32(2) {
		rows := listed(frozen(t, old, p)...)
		snapshots[p] = func(visit func(key, value []byte) error) error {
			migrated, err := projections.MigrateTo(projections.Schema, projections.Schema+1, rows)
			if err != nil {
				return err
			}
			return migrated(visit)
		}
		if err := f.log.Trim(t.Context(), events.TopicJournal, p, old.Cursor(p).Next-1); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, old)
	cfg := f.config("replica").WithSchema(projections.Schema + 1)
	cfg.Snapshots = snapshots
	failed := make(chan error, 1)
	cfg.Failed = func(err error) { failed <- err }
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	if err := testkit.Receive(t, failed, "the reason"); !strings.Contains(err.Error(), "start a version between them") {
		t.Errorf("without a migration: %v", err)
	}
	closed(t, r)
	defer projections.SetMigration(projections.Schema, func(rows projections.Rows) projections.Rows {
		return func(visit func(key, value []byte) error) error {
			var partition []byte
			err := rows(func(key, value []byte) error {
				if key[0] == 'c' {
					partition = bytes.Clone(key[1:3])
				}
				return visit(key, value)
			})
			return errors.Join(err, visit(append([]byte("z"), partition...), []byte{1}))
		}
	})()
	if r, err = projections.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	r.Start()
	testkit.Eventually(t, "the new rows serve", func() bool { return !r.Outdated() })
	got := dump(t, r)
	if got["z\x00\x00"] == "" || got["z\x00\x01"] == "" {
		t.Error("the rows were not migrated")
	}
	closed(t, r)
}
