package projections_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// copyJournal appends the records of a journal below an offset to another log.
func copyJournal(t *testing.T, from, to *fixture, p int32, before int64) {
	t.Helper()
	logtest.Each(t, from.log, events.TopicJournal, p, func(r eventlog.Record) {
		if r.Offset < before {
			to.appendBytes(p, append([]byte{}, r.Value...))
		}
	})
	to.epochs[p], to.causes[p] = from.epochs[p], 0
}

// What a replica has folded can be read while nobody uses it, and a replica that does not exist is none.
func TestReadFolded(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(testkit.Rand(t), 5)
	cfg := f.config("r")
	cfg.Log = identified{f.log, "the id"}
	if _, err := projections.ReadFolded(cfg.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a replica: %v", err)
	}
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	f.catchUp(r)
	want := map[int32]projections.Cursor{0: r.Cursor(0), 1: r.Cursor(1)}
	closed(t, r)
	folded, err := projections.ReadFolded(cfg.Dir)
	if err != nil || folded.Journal != "the id" || !maps.Equal(folded.Cursors, want) {
		t.Errorf("%+v, %v, want %+v", folded, err, want)
	}
	if err := os.WriteFile(cfg.Dir+".damaged", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := projections.ReadFolded(cfg.Dir); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("a replica known to be damaged: %v", err)
	}
	cfg.KeepDamaged = true
	if _, err := projections.Open(t.Context(), cfg); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("a damaged replica to be kept: %v", err)
	}
	if _, err := os.Stat(cfg.Dir); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

// If a journal has lost its end, whether it has grown again or not, rows folded from that end are dropped, and the replica becomes that of a new
// node.
func TestTruncatedJournal(t *testing.T) {
	for name, tc := range map[string]struct{ lost, grown int64 }{
		"the last record":               {1, 0},
		"some":                          {30, 0},
		"grown again, less":             {30, 7},
		"grown again by as much":        {30, 30},
		"grown again by more":           {30, 50},
		"the last record, by another":   {1, 1},
		"nothing":                       {0, 0},
		"nothing, and it has gone on":   {0, 9},
		"all but the first two records": {1 << 30, 50},
	} {
		t.Run(name, func(t *testing.T) {
			rng := testkit.Rand(t)
			before := newFixture(t)
			before.writeJobs(rng, 40)
			cfg := before.config("r")
			cfg.Log = identified{before.log, "same"}
			r, err := projections.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			r.Start()
			before.catchUp(r)
			closed(t, r)

			after := &fixture{t: t, dir: before.dir}
			after.openLog("shorter")
			t.Cleanup(func() { _ = after.log.Close() })
			for p := range int32(2) {
				_, end, err := before.log.Bounds(t.Context(), events.TopicJournal, p)
				if err != nil {
					t.Fatal(err)
				}
				copyJournal(t, before, after, p, max(2, end-tc.lost))
				for range tc.grown { // void, and so the same for any epoch
					after.append(p, events.Envelope{Epoch: -5, Account: "acc", Cause: rng.Int64N(100), At: 1})
				}
			}
			cfg.Log = identified{after.log, "same"}
			cfg.KeepsEnd = true
			ends := tc.grown < min(tc.lost, 1000)
			if r, err = projections.Open(t.Context(), cfg); errors.Is(err, projections.ErrDiverged) != ends {
				t.Errorf("with a log that keeps its end, the replica opens with %v", err)
			}
			if err == nil {
				closed(t, r)
			}
			cfg.KeepsEnd = false
			if r, err = projections.Open(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			defer closed(t, r)
			r.Start()
			after.catchUp(r)
			fresh := cfg
			fresh.Dir += "-fresh"
			want, err := projections.Open(t.Context(), fresh)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, want)
			want.Start()
			after.catchUp(want)
			got, wanted := dump(t, r), dump(t, want)
			if len(got) != len(wanted) {
				t.Errorf("%d rows, a new replica has %d", len(got), len(wanted))
			}
			for key, value := range wanted {
				if got[key] != value {
					t.Errorf("row %q differs from that of a new replica", key)
				}
			}
			if dropped := tc.lost > 0; r.Diverged() > 0 != dropped {
				t.Errorf("%d partitions were made again", r.Diverged())
			}
		})
	}
}

// A gap does not name its owner. After another owner's marker an identical gap may be at the same offset: it is another journal nevertheless.
func TestTruncatedBeforeAGap(t *testing.T) {
	journal := func(f *fixture, owner events.NodeID) {
		epoch := f.append(0, events.Marker{Owner: owner, Commands: "commands"})
		f.append(0, events.Gap{Epoch: epoch, From: 0, To: 3, Commands: "commands"})
	}
	before := newFixture(t)
	journal(before, "n1")
	cfg := before.config("r")
	cfg.Log = identified{before.log, "same"}
	open := func() *projections.Replica {
		r, err := projections.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.Start()
		if err := r.CatchUp(testkit.Context(t), 0); err != nil {
			t.Fatal(err)
		}
		return r
	}
	closed(t, open())
	after := newFixture(t)
	journal(after, "n2")
	cfg.Log = identified{after.log, "same"}
	r := open()
	defer closed(t, r)
	if r.Owner(0) != "n2" || r.Diverged() != 1 {
		t.Errorf("the owner is %s; %d partitions were made again", r.Owner(0), r.Diverged())
	}
}

// switching is a log that can become another one, as when its brokers lose power. A reader that was at work says so.
type switching struct {
	eventlog.Log
	to       atomic.Pointer[eventlog.Log]
	switched chan struct{}
}

func (s *switching) now() eventlog.Log {
	if to := s.to.Load(); to != nil {
		return *to
	}
	return s.Log
}

func (s *switching) TopicID(string) string { return "same" }

func (s *switching) Bounds(ctx context.Context, topic string, p int32) (int64, int64, error) {
	return s.now().Bounds(ctx, topic, p)
}

func (s *switching) Read(topic string, p int32, from int64) eventlog.Reader {
	if s.to.Load() != nil {
		return s.now().Read(topic, p, from)
	}
	return &interrupted{s.Log.Read(topic, p, from), s}
}

type interrupted struct {
	eventlog.Reader
	log *switching
}

func (r *interrupted) Next(ctx context.Context) ([]eventlog.Record, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.log.switched:
			cancel()
		case <-ctx.Done():
		}
	}()
	records, err := r.Reader.Next(ctx)
	if r.log.to.Load() != nil && errors.Is(err, context.Canceled) {
		return nil, eventlog.ErrReplaced
	}
	return records, err
}

// A replica at work notices when its log says that records were replaced. Whoever follows the partition hears of it.
func TestTruncatedWhileItIsRead(t *testing.T) {
	before := newFixture(t)
	before.writeJobs(rand.New(rand.NewPCG(3, 0)), 20)
	log := &switching{Log: before.log, switched: make(chan struct{})}
	cfg := before.config("r")
	cfg.Log = log
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	r.Start()
	before.catchUp(r)
	restored := make(chan int32, 2)
	for p := range int32(2) {
		r.Watch(p, func(progress projections.Progress) {
			if progress.Restored {
				restored <- p
			}
		})
	}
	after := &fixture{t: t, dir: before.dir}
	after.openLog("shorter")
	t.Cleanup(func() { _ = after.log.Close() })
	for p := range int32(2) {
		copyJournal(t, before, after, p, 3)
	}
	other := eventlog.Log(after.log)
	log.to.Store(&other)
	close(log.switched)
	if a, b := <-restored, <-restored; a == b {
		t.Errorf("partition %d was made again twice", a)
	}
	testkit.Eventually(t, "the replica has what is left", func() bool { return r.Cursor(0).Next == 3 && r.Cursor(1).Next == 3 })
	if r.Err() != nil {
		t.Error(r.Err())
	}
}
