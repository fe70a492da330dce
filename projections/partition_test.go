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
	"sync/atomic"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// shelf has one snapshot of each partition.
type shelf map[int32]projections.Rows

func (s shelf) Restore(_ context.Context, p int32, _ int64, load func(projections.Rows) error) error {
	if s[p] == nil {
		return projections.ErrNoSnapshot
	}
	return load(s[p])
}

// row is one row.
type row struct{ key, value []byte }

func listed(rows ...row) projections.Rows {
	return func(visit func(key, value []byte) error) error {
		for _, r := range rows {
			if err := visit(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	}
}

// frozen copies the rows of a partition.
func frozen(t *testing.T, r *projections.Replica, p int32) (all []row) {
	t.Helper()
	f, err := r.Freeze(p)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Rows(t.Context())(func(key, value []byte) error {
		all = append(all, row{bytes.Clone(key), bytes.Clone(value)})
		return nil
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

// The rows of all partitions together are all rows. They are those of one cursor, even while the replica
// continues.
func TestFreeze(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 40)
	r := f.open("replica")
	defer closed(t, r)
	before, err := r.Freeze(0)
	if err != nil {
		t.Fatal(err)
	}
	want, all := frozen(t, r, 0), map[string]string{}
	for _, one := range slices.Concat(want, frozen(t, r, 1)) {
		all[string(one.key)] = string(one.value)
	}
	everything := dump(t, r)
	maps.DeleteFunc(everything, func(key, _ string) bool { return strings.HasPrefix(key, "\x00") })
	if !maps.Equal(all, everything) {
		t.Errorf("the partitions have %d rows, the replica %d", len(all), len(everything))
	}
	f.writeJobs(rand.New(rand.NewPCG(2, 0)), 40)
	f.catchUp(r)
	var got []row
	if err := before.Rows(t.Context())(func(key, value []byte) error {
		got = append(got, row{bytes.Clone(key), bytes.Clone(value)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, sameRow) || before.Cursor.Next >= r.Cursor(0).Next {
		t.Errorf("%d rows at %d, there were %d", len(got), before.Cursor.Next, len(want))
	}
	if err := before.Close(); err != nil {
		t.Error(err)
	}
}

func sameRow(a, b row) bool { return bytes.Equal(a.key, b.key) && bytes.Equal(a.value, b.value) }

// A replica whose journal is trimmed begins with snapshots, whether it is new or has fallen behind, and
// has then what one has that has folded everything. API keys that were revoked meanwhile are gone.
func TestRestore(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 40)
	ids := []events.AccountID{"acc_a", "acc_b", "acc_c"}
	for i, id := range ids {
		f.write(id, events.KeyIssued{Key: events.Key{ID: "key_9", Hash: [32]byte{9, byte(i)}}})
	}
	closed(t, f.open("behind"))
	for i, id := range ids {
		f.write(id, events.KeyRevoked{Key: "key_9", Hash: [32]byte{9, byte(i)}})
	}
	f.writeJobs(rand.New(rand.NewPCG(2, 0)), 40)
	whole := f.open("whole")
	defer closed(t, whole)
	snapshots := shelf{0: listed(frozen(t, whole, 0)...), 1: listed(frozen(t, whole, 1)...)}
	cursors := []projections.Cursor{whole.Cursor(0), whole.Cursor(1)}
	f.writeJobs(rand.New(rand.NewPCG(3, 0)), 40)
	f.catchUp(whole)
	for p := range int32(2) {
		if err := f.log.Trim(t.Context(), events.TopicJournal, p, cursors[p].Next); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"new", "behind"} {
		cfg := f.config(name)
		cfg.Snapshots = snapshots
		r, err := projections.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		restored := make(chan projections.Progress, 9)
		r.Watch(0, func(p projections.Progress) {
			if p.Restored {
				restored <- p
			}
		})
		r.Start()
		f.catchUp(r)
		if got, want := dump(t, r), dump(t, whole); !maps.Equal(got, want) {
			t.Errorf("%s: %d rows, %d are right", name, len(got), len(want))
		}
		if p := <-restored; p.Cursor != cursors[0] {
			t.Errorf("%s: restored at %+v, the snapshot is at %+v", name, p.Cursor, cursors[0])
		}
		for i := range ids {
			if _, known, err := r.Caller([32]byte{9, byte(i)}); known || err != nil {
				t.Errorf("%s: a revoked key is known (%v)", name, err)
			}
		}
		closed(t, r)
		closed(t, f.open(name)) // it needs no snapshot again
	}
}

// Without a snapshot, a replica that cannot fold the journal says what to do. One that can folds it.
func TestNoSnapshot(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 10)
	cfg := f.config("whole")
	cfg.Snapshots = shelf{}
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	f.catchUp(r)
	closed(t, r)
	if err := f.log.Trim(t.Context(), events.TopicJournal, 0, 2); err != nil {
		t.Fatal(err)
	}
	r = f.openOnly("trimmed")
	defer closed(t, r)
	r.Start()
	err = r.CatchUp(testkit.Context(t), 0)
	if !errors.Is(err, projections.ErrNoSnapshot) || !strings.Contains(err.Error(), "begins at offset 2") || !strings.Contains(err.Error(), "[history]") {
		t.Errorf("%v", err)
	}
}

// Rows that cannot be those of a partition are refused, and nothing changes.
func TestRowsThatAreRefused(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 10)
	whole := f.open("whole")
	defer closed(t, whole)
	good, other := frozen(t, whole, 0), frozen(t, whole, 1)
	isKey := func(r row) bool { return r.key[0] == 'k' }
	foreignKey := other[slices.IndexFunc(other, isKey)]
	cursor := slices.IndexFunc(good, func(r row) bool { return r.key[0] == 'c' })
	for name, rows := range map[string][]row{
		"none":                        nil,
		"no cursor":                   slices.Delete(slices.Clone(good), cursor, cursor+1),
		"of another partition":        other,
		"twice the same":              slices.Insert(slices.Clone(good), 1, good[0]),
		"out of order":                append(slices.Clone(good[1:]), good[0]),
		"an API key of another":       slices.Insert(slices.Clone(good), slices.IndexFunc(good, isKey)+1, row{append([]byte("k"), bytes.Repeat([]byte{0xff}, 32)...), foreignKey.value}),
		"the schema":                  append([]row{{[]byte("\x00schema"), []byte{9}}}, good...),
		"a cursor that is none":       slices.Replace(slices.Clone(good), cursor, cursor+1, row{good[cursor].key, []byte("x")}),
		"a row of the cursors' table": slices.Replace(slices.Clone(good), cursor, cursor+1, row{append(bytes.Clone(good[cursor].key), 1), good[cursor].value}),
		"a cursor of another owner":   slices.Replace(slices.Clone(good), cursor, cursor+1, row{good[cursor].key, bytes.Replace(good[cursor].value, []byte("n1"), []byte("n9"), 1)}),
		"an empty key":                append([]row{{nil, nil}}, good...),
	} {
		cfg := f.config("refused")
		cfg.Snapshots = shelf{0: listed(rows...), 1: listed(other...)}
		r, err := projections.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		var restored atomic.Bool
		r.Watch(0, func(p projections.Progress) {
			if p.Restored {
				restored.Store(true)
			}
		})
		r.Start()
		f.catchUp(r)
		if got, want := dump(t, r), dump(t, whole); !maps.Equal(got, want) || restored.Load() {
			t.Errorf("%s: %d rows instead of %d, restored %t", name, len(got), len(want), restored.Load())
		}
		closed(t, r)
		if err := os.RemoveAll(cfg.Dir); err != nil {
			t.Fatal(err)
		}
	}
}

// A rebuild has the rows of the replica at any offset, from the beginning and from any rows before.
func TestRebuild(t *testing.T) {
	f := newFixture(t)
	r := f.open("replica")
	defer closed(t, r)
	var at []projections.Cursor
	var rows [][]row
	for seed := range uint64(3) {
		f.writeJobs(rand.New(rand.NewPCG(seed, 0)), 10)
		f.catchUp(r)
		at, rows = append(at, r.Cursor(0)), append(rows, frozen(t, r, 0))
	}
	cfg := f.config("scratch")
	for to := range at {
		for from := -1; from <= to; from++ {
			var base projections.Rows
			if from >= 0 {
				base = listed(rows[from]...)
			}
			b, err := projections.Rebuild(t.Context(), cfg, 0, base, at[to].Next, func(int) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			var got []row
			err = b.Rows(t.Context())(func(key, value []byte) error {
				got = append(got, row{bytes.Clone(key), bytes.Clone(value)})
				return nil
			})
			if !slices.EqualFunc(got, rows[to], sameRow) || b.Cursor != at[to] || err != nil {
				t.Errorf("from %d to %d: %d rows at %d (%v), want %d at %d", from, to, len(got), b.Cursor.Next, err, len(rows[to]), at[to].Next)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := projections.Rebuild(t.Context(), cfg, 0, listed(rows[2]...), at[1].Next, func(int) error { return nil }); err == nil {
		t.Error("a base behind the goal was taken")
	}
}
