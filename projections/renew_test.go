package projections_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// spoil replaces rows of a closed replica by what cannot be decoded, and returns how many.
func spoil(t *testing.T, dir string, prefix []byte) (spoilt int) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	iter, err := db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: append(prefix[:len(prefix)-1:len(prefix)-1], prefix[len(prefix)-1]+1)})
	if err != nil {
		t.Fatal(err)
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		spoilt++
		if err := db.Set(iter.Key(), []byte{0xff}, pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(iter.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return spoilt
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

// accountsTable is the table of the accounts in the read models.
var accountsTable = table.Table[any]{Name: 'a'}

// Damaged rows are rebuilt, whether a reader asks for it or the journal has more about them. Once is enough: rows that are still unusable are what
// the journal says.
func TestDamagedRows(t *testing.T) {
	for name, tc := range map[string]func(f *fixture, r *projections.Replica){
		"somebody needs one": func(f *fixture, r *projections.Replica) {
			if _, _, err := r.Account("acc"); !errors.Is(err, table.ErrUndecodable) {
				t.Fatalf("the row is read: %v", err)
			}
			testkit.Eventually(t, "the row can be read again", func() bool { _, ok, err := r.Account("acc"); return ok && err == nil })
		},
		"somebody lists one": func(f *fixture, r *projections.Replica) {
			if _, err := r.Accounts(); !errors.Is(err, table.ErrUndecodable) {
				t.Fatalf("the rows are listed: %v", err)
			}
			testkit.Eventually(t, "the rows can be listed again", func() bool { all, err := r.Accounts(); return len(all) == 1 && err == nil })
		},
		"the journal goes on": func(f *fixture, r *projections.Replica) {
			f.write("acc", events.PlanChanged{Plan: events.PlanBusiness})
			testkit.Eventually(t, "the rows are made again", func() bool { return r.Renewed() > 0 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write("acc", events.AccountCreated{Plan: events.PlanPro})
			cfg := f.config("r")
			cfg.Failed = func(err error) { t.Errorf("the replica has ended: %v", err) }
			closed(t, f.open("r"))
			if spoil(t, cfg.Dir, accountsTable.Key(events.Partition("acc", 2))) == 0 {
				t.Fatal("there is no row of an account")
			}
			r, err := projections.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, r)
			r.Start()
			tc(f, r)
			f.catchUp(r)
			fresh := f.open("fresh")
			defer closed(t, fresh)
			if !maps.Equal(dump(t, r), dump(t, fresh)) {
				t.Error("the rows are not those of a new replica")
			}
			if r.Renewed() != 1 || r.Diverged() != 0 || r.Halted(0) != nil || r.Halted(1) != nil {
				t.Errorf("%d partitions were made again, %d because of their journal; %v and %v stand still", r.Renewed(), r.Diverged(), r.Halted(0), r.Halted(1))
			}
		})
	}
}

// faulty is a projection that panics at, or cannot read what it needs for, one event.
type faulty struct{ fault func() }

func (f faulty) Apply(_ *table.Tx, _ int32, e events.Envelope) {
	for _, ev := range e.Events {
		if key, ok := ev.(events.KeyRevoked); ok && key.Key == "poison" {
			f.fault()
		}
	}
}

// A partition whose journal has a record that cannot be folded stops before it, and says so; the other continues, and the replica does not end. A
// version that can fold the record continues from there.
func TestRecordThatCannotBeFolded(t *testing.T) {
	f := newFixture(t)
	ids := map[int32]events.AccountID{events.Partition("acc", 2): "acc"}
	for _, id := range []events.AccountID{"other", "another", "third", "fourth"} {
		ids[events.Partition(id, 2)] = id
	}
	sick, well := events.Partition("acc", 2), 1-events.Partition("acc", 2)
	f.write("acc", events.AccountCreated{Plan: events.PlanPro})
	at := f.append(sick, f.envelope("acc", nil, events.KeyRevoked{Key: "poison"}))
	f.write("acc", events.PlanChanged{Plan: events.PlanBusiness})

	cfg := f.config("r")
	working := cfg.Projections
	cfg.Projections = append([]table.Projection{faulty{func() { panic("a bug") }}}, working...)
	cfg.Failed = func(err error) { t.Errorf("the replica has ended: %v", err) }
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	if err := r.CatchUp(testkit.Context(t), sick); !errors.Is(err, projections.ErrHalted) {
		t.Errorf("the partition has caught up: %v", err)
	}
	f.write(ids[well], events.AccountCreated{Plan: events.PlanFree})
	if err := r.CatchUp(testkit.Context(t), well); err != nil {
		t.Errorf("the other partition: %v", err)
	}
	if a, ok, err := r.Account("acc"); err != nil || !ok || a.Plan != events.PlanPro {
		t.Errorf("what was before the record: %+v %v %v", a, ok, err)
	}
	why := r.Halted(sick)
	if !errors.Is(why, projections.ErrHalted) || !strings.Contains(why.Error(), fmt.Sprint("at offset ", at, ": panic: a bug")) || strings.Contains(why.Error(), "\n") {
		t.Errorf("it stands still because of %v", why)
	}
	if r.Cursor(sick).Next != at || r.Err() != nil || r.Halted(well) != nil {
		t.Errorf("it stands still at %d, want %d; %v, the other because of %v", r.Cursor(sick).Next, at, r.Err(), r.Halted(well))
	}
	closed(t, r)

	cfg.Projections = working
	if r, err = projections.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	r.Start()
	f.catchUp(r)
	if a, _, err := r.Account("acc"); err != nil || a.Plan != events.PlanBusiness {
		t.Errorf("a version that can fold it: %+v %v", a, err)
	}
}

// A row that is damaged again after a rebuild is what the journal says, and a partition is not rebuilt forever.
func TestRenewalsEnd(t *testing.T) {
	f := newFixture(t)
	f.write("acc", events.AccountCreated{Plan: events.PlanPro})
	r := f.open("r")
	defer closed(t, r)
	renew := func(why string) (renewed int) {
		for range 100 {
			before := r.Renewed()
			if !r.Renew(0, errors.New(why)) {
				return renewed
			}
			testkit.Eventually(t, "the rows are made again", func() bool { return r.Renewed() > before })
			renewed++
			testkit.Eventually(t, "that is over", func() bool { return !r.Renew(0, errors.New(why)) })
		}
		t.Fatal("a partition is made again for ever")
		return renewed
	}
	if n := renew("a row"); n != 1 {
		t.Errorf("the rows were made again %d times", n)
	}
	all := 1
	for _, why := range "bcdefghijklmn" {
		all += renew(string(why))
	}
	if all != projections.MaxRenewals {
		t.Errorf("they were made again %d times for all reasons, want %d", all, projections.MaxRenewals)
	}
	if err := r.CatchUp(context.WithoutCancel(t.Context()), 0); err != nil {
		t.Error(err)
	}
}

// held is a shelf of snapshots that says when somebody wants one, and answers when it is told how.
type held struct {
	shelf
	wanted chan struct{}
	answer chan error
}

func (h held) Restore(ctx context.Context, p int32, after int64, load func(projections.Rows) error) error {
	select {
	case h.wanted <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-h.answer:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return h.shelf.Restore(ctx, p, after, load)
}

// withSnapshots is a replica whose partition 0 begins with a snapshot, and needs it: what the snapshot has is trimmed from the journal. A rebuild that was
// put off comes again after a while.
func withSnapshots(t *testing.T, f *fixture, again time.Duration) (*projections.Replica, held) {
	t.Helper()
	f.writeJobs(rand.New(rand.NewPCG(1, 0)), 10)
	whole := f.open("whole")
	h := held{shelf{0: listed(frozen(t, whole, 0)...)}, make(chan struct{}), make(chan error)}
	closed(t, whole)
	cfg := f.config("r").RenewingAgain(again)
	cfg.Snapshots = h
	cfg.Failed = func(err error) { t.Errorf("the replica has ended: %v", err) }
	if err := f.log.Trim(t.Context(), events.TopicJournal, 0, 2); err != nil {
		t.Fatal(err)
	}
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	for range 2 { // each partition looks for one
		testkit.Receive(t, h.wanted, "a restore")
		h.answer <- nil
	}
	f.catchUp(r)
	return r, h
}

// Rows that are found damaged while others are being rebuilt need no rebuild of their own, however many they are.
func TestManyDamagedRows(t *testing.T) {
	f := newFixture(t)
	r, h := withSnapshots(t, f, time.Millisecond)
	defer closed(t, r)
	r.Renew(0, errors.New("the first row"))
	testkit.Receive(t, h.wanted, "a restore")
	for i := range 3 * projections.MaxRenewals {
		if !r.Renew(0, fmt.Errorf("row %d", i)) {
			t.Fatalf("row %d is called the journal's fault while the rows are being rebuilt", i)
		}
	}
	h.answer <- nil
	testkit.Eventually(t, "the rows are made again", func() bool { return r.Renewed() == 1 && !r.Renew(0, errors.New("the first row")) })
	if !r.Renew(0, errors.New("row 1")) {
		t.Error("a row that is still damaged is not rebuilt")
	}
	testkit.Receive(t, h.wanted, "a restore")
	h.answer <- nil
}

// A rebuild for which the snapshots cannot be read at present is put off, not given up. Meanwhile the partition continues, and whoever needs the rows waits.
func TestRenewalIsPutOff(t *testing.T) {
	f := newFixture(t)
	r, h := withSnapshots(t, f, time.Millisecond)
	defer closed(t, r)
	why := errors.New("a row")
	r.Renew(0, why)
	for range 3 {
		testkit.Receive(t, h.wanted, "a restore")
		h.answer <- errors.New("the store does not answer")
		if !r.Renew(0, why) || r.Renewed() > 0 {
			t.Fatalf("a rebuild is given up, %d were made", r.Renewed())
		}
	}
	testkit.Receive(t, h.wanted, "a restore")
	h.answer <- nil
	testkit.Eventually(t, "the rows are made again", func() bool { return r.Renewed() == 1 && !r.Renew(0, why) })
	f.catchUp(r)
	r.Renew(0, errors.New("another"))
	testkit.Receive(t, h.wanted, "a restore")
	h.answer <- projections.ErrNoSnapshot
	testkit.Eventually(t, "a rebuild without a base is given up", func() bool { return !r.Renew(0, errors.New("another")) })
}

// While a rebuild is put off, the partition continues.
func TestFollowingWithoutRenewal(t *testing.T) {
	f := newFixture(t)
	r, h := withSnapshots(t, f, time.Hour)
	defer closed(t, r)
	r.Renew(0, errors.New("a row"))
	testkit.Receive(t, h.wanted, "a restore")
	h.answer <- errors.New("the store does not answer")
	f.append(0, events.Marker{Owner: "n2"})
	f.catchUp(r)
}
