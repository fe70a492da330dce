package projections_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a log of two partitions, both owned by the test.
type fixture struct {
	t      testing.TB
	dir    string
	log    *embedded.Log
	epochs [2]int64
	causes [2]int64
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	f.openLog("log")
	t.Cleanup(func() {
		if err := f.log.Close(); err != nil {
			t.Error(err)
		}
	})
	for p := range int32(2) {
		f.epochs[p] = f.append(p, events.Marker{Owner: "n1"})
	}
	return f
}

func (f *fixture) openLog(name string) {
	f.t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(f.dir, name), Partitions: 2, Logger: testkit.Silent()})
	if err != nil {
		f.t.Fatal(err)
	}
	f.log = l
}

func (f *fixture) append(p int32, entry events.Entry) int64 {
	f.t.Helper()
	value, err := events.EncodeEntry(entry)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.appendBytes(p, value)
}

func (f *fixture) appendBytes(p int32, value []byte) int64 {
	f.t.Helper()
	offset, err := eventlog.AppendWait(f.t.Context(), f.log, events.TopicJournal, p, eventlog.Record{Value: value})
	if err != nil {
		f.t.Fatal(err)
	}
	return offset
}

func (f *fixture) envelope(id events.AccountID, reply *events.Reply, evs ...events.Event) events.Envelope {
	p := events.Partition(id, 2)
	e := events.Envelope{Epoch: f.epochs[p], Cause: f.causes[p], Command: events.NewCommandID(), Account: id, At: 1_700_000_000_000, Reply: reply, Events: evs}
	f.causes[p]++
	return e
}

func (f *fixture) write(id events.AccountID, evs ...events.Event) events.Envelope {
	e := f.envelope(id, &events.Reply{Code: events.Accepted}, evs...)
	f.append(events.Partition(id, 2), e)
	return e
}

// open starts a replica in the directory name and waits until it has folded everything.
func (f *fixture) open(name string) *projections.Replica {
	f.t.Helper()
	r := f.openOnly(name)
	r.Start()
	f.catchUp(r)
	return r
}

func (f *fixture) openOnly(name string) *projections.Replica {
	f.t.Helper()
	r, err := projections.Open(f.t.Context(), f.config(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) config(name string) projections.Config {
	return projections.Config{
		Dir: filepath.Join(f.dir, name), Log: f.log, Logger: testkit.Silent(),
		Projections: []table.Projection{account.States{}, projections.ReadModels{}},
	}
}

func (f *fixture) catchUp(r *projections.Replica) {
	f.t.Helper()
	for p := range int32(2) {
		if err := r.CatchUp(testkit.Context(f.t), p); err != nil {
			f.t.Fatal(err)
		}
	}
}

func closed(t testing.TB, r *projections.Replica) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func dump(t *testing.T, r *projections.Replica) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := r.Scan(nil, func(key, value []byte) bool {
		if key[0] != 0 { // what describes the store is no row
			all[string(key)] = string(value)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// writeJobs writes parts of the lives of many jobs, interleaved over both partitions.
func (f *fixture) writeJobs(rng *rand.Rand, jobs int) {
	ids := []events.AccountID{"acc_a", "acc_b", "acc_c"}
	for _, id := range ids {
		f.write(id, events.AccountCreated{Plan: events.PlanFree, Anchor: 1_700_000_000_000})
		f.write(id, events.KeyIssued{Key: events.Key{ID: "key", Hash: [32]byte{id[4]}}})
	}
	for range jobs {
		id, job, attempt := ids[rng.IntN(3)], events.NewJobID(), events.NewAttemptID()
		steps := [][]events.Event{
			{events.QuotaReserved{Job: job, Window: 1_700_000_000_000}, events.JobQueued{Job: job, Key: "key", Operation: events.HTMLToPDF}},
			{events.RenderStarted{Job: job, Attempt: attempt, Node: "n1", Deadline: 1_700_000_600_000}},
			{events.JobDone{Job: job, File: events.File{Name: job.String(), Size: 10}, Expires: 1_700_086_400_000}, events.QuotaDebited{Job: job, Window: 1_700_000_000_000, Bytes: 10}},
			{events.FileExpired{Job: job}},
			{events.FileDeleted{Job: job}},
			{events.JobForgotten{Job: job}},
		}
		for _, evs := range steps[:1+rng.IntN(len(steps))] {
			f.write(id, evs...)
		}
	}
}

// A replica that was stopped and started resumes where it was, and holds the same bytes as one
// rebuilt from offset 0.
func TestRestartAndRebuildAgree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := newFixture(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		f.writeJobs(rng, 20)
		closed(t, f.open("restarted"))
	}
	restarted, rebuilt := f.open("restarted"), f.open("rebuilt")
	defer closed(t, restarted)
	defer closed(t, rebuilt)
	first, second := dump(t, restarted), dump(t, rebuilt)
	if len(first) < 50 {
		t.Fatalf("only %d keys: nothing was folded", len(first))
	}
	if !maps.Equal(first, second) {
		t.Errorf("%d keys after restarts, %d after a rebuild, and they differ", len(first), len(second))
	}
}

// Envelopes of stale epochs, with repeated causes or after a lost one change nothing, nor do gaps.
// Watchers get the verdicts in order.
func TestAcceptance(t *testing.T) {
	f := newFixture(t)
	r := f.openOnly("r")
	defer closed(t, r)
	p := events.Partition("acc_a", 2)
	verdicts := make(chan projections.Step, 100)
	stop := r.Watch(p, func(progress projections.Progress) {
		for _, s := range progress.Steps {
			verdicts <- s
		}
	})
	defer stop()
	stale := f.envelope("acc_a", nil, events.AccountCreated{Plan: events.PlanFree})
	f.epochs[p] = f.append(p, events.Marker{Owner: "n2"})
	f.append(p, stale)
	f.causes[p] = 0
	good := f.write("acc_a", events.AccountCreated{Plan: events.PlanPro})
	good.Events = []events.Event{events.PlanChanged{Plan: events.PlanFree}}
	f.append(p, good) // its cause was accepted already
	good.Cause += 2
	f.append(p, good) // that of the command between is lost
	f.append(p, events.Gap{Epoch: f.epochs[p], From: good.Cause, To: good.Cause + 1})
	f.append(p, events.Gap{Epoch: f.epochs[p], From: good.Cause - 1, To: good.Cause})
	f.append(p, good)
	f.appendBytes(p, []byte("not platen's"))
	r.Start()
	f.catchUp(r)
	want := []bool{false, false, false, true, false, false, false, true, true, false}
	for i, accepted := range want {
		if s := <-verdicts; s.Accepted != accepted || s.Offset != int64(i) {
			t.Errorf("record %d: offset %d accepted %t, want %t", i, s.Offset, s.Accepted, accepted)
		}
	}
	if a, ok, err := r.Account("acc_a"); err != nil || !ok || a.Plan != events.PlanFree {
		t.Errorf("account is %+v, %t, %v", a, ok, err)
	}
	if r.Err() != nil {
		t.Errorf("a foreign record stops the replica: %v", r.Err())
	}
}

// Open refuses a log that was recreated.
func TestARecreatedLogIsRefused(t *testing.T) {
	f := newFixture(t)
	f.writeJobs(rand.New(rand.NewPCG(1, 1)), 5)
	closed(t, f.open("r"))
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	f.openLog("another")
	if _, err := projections.Open(t.Context(), f.config("r")); err == nil || !strings.Contains(err.Error(), "its topic was created again") {
		t.Errorf("a log with another id: %v", err)
	}
	cfg := f.config("r")
	cfg.Log = identified{f.log, ""} // of brokers that give topics no ids
	if _, err := projections.Open(t.Context(), cfg); !errors.Is(err, eventlog.ErrBeyondEnd) {
		t.Errorf("got %v, want ErrBeyondEnd", err)
	}
}

// A record of a newer version, and a level that is newer, stop the replica before it diverges.
func TestANewerRecordStopsTheReplica(t *testing.T) {
	f := newFixture(t)
	f.appendBytes(0, []byte{2, 3, 0xa0})
	f.append(1, events.Envelope{Epoch: f.epochs[1], Events: []events.Event{events.LevelRaised{Level: events.NewestLevel + 1}}})
	cfg, failed := f.config("r"), make(chan error, 2)
	cfg.Failed = func(err error) { failed <- err }
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	r.Start()
	for p := range int32(2) {
		if err := r.CatchUp(t.Context(), p); !errors.Is(err, events.ErrNewer) {
			t.Errorf("got %v, want ErrNewer", err)
		}
	}
	if err := <-failed; !errors.Is(err, events.ErrNewer) || len(failed) > 0 {
		t.Errorf("failed with %v, %d times more", err, len(failed))
	}
	if !errors.Is(r.Err(), events.ErrNewer) {
		t.Errorf("Err is %v", r.Err())
	}
}

func TestCatchUpGivesUpWithItsContext(t *testing.T) {
	f := newFixture(t)
	r := f.openOnly("r") // not started: it reads nothing
	defer closed(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.CatchUp(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// BenchmarkReplay reports the events per second of a rebuild from offset 0.
func BenchmarkReplay(b *testing.B) {
	w := newFixture(b)
	const perAccount = 50_000
	total := 0
	for p, id := range []events.AccountID{"acc_a", "acc_b"} {
		w.epochs[p] = w.append(int32(p), events.Marker{Owner: "n1"})
		total += w.bulk(id, perAccount)
	}
	b.ResetTimer()
	for i := range b.N {
		name := fmt.Sprintf("replay-%d", i)
		closed(b, w.open(name))
		b.StopTimer()
		if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(total*b.N)/b.Elapsed().Seconds(), "events/s")
}

// bulk writes the whole lives of n jobs of one account without waiting for each append.
func (f *fixture) bulk(id events.AccountID, n int) (count int) {
	p := events.Partition(id, 2)
	var last chan error
	add := func(evs ...events.Event) {
		value, err := events.EncodeEntry(f.envelope(id, nil, evs...))
		if err != nil {
			f.t.Fatal(err)
		}
		done := make(chan error, 1)
		f.log.Append(events.TopicJournal, p, eventlog.Record{Value: value}, func(_ int64, err error) { done <- err })
		last = done
		count += len(evs)
	}
	add(events.AccountCreated{Plan: events.PlanBusiness, Anchor: 1})
	for range n {
		job, attempt := events.NewJobID(), events.NewAttemptID()
		add(events.QuotaReserved{Job: job, Window: 1}, events.JobQueued{Job: job, Key: "key", Operation: events.HTMLToPDF, Window: 1})
		add(events.RenderStarted{Job: job, Attempt: attempt, Node: "n1", Deadline: 9})
		add(events.JobDone{Job: job, File: events.File{Name: job.String(), Size: 10}, Expires: 9}, events.QuotaDebited{Job: job, Window: 1, Bytes: 10})
	}
	if err := <-last; err != nil {
		f.t.Fatal(err)
	}
	return count
}
