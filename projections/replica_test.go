package projections_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a log of two partitions with a writer that owns both.
type bench struct {
	t      testing.TB
	dir    string
	log    *embedded.Log
	epochs [2]int64
	causes [2]int64
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.openLog("log")
	t.Cleanup(func() {
		if err := b.log.Close(); err != nil {
			t.Error(err)
		}
	})
	for p := range int32(2) {
		b.epochs[p] = b.append(p, events.Marker{Owner: "n1"})
	}
	return b
}

func (b *bench) openLog(name string) {
	b.t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(b.dir, name), Partitions: 2, Logger: testkit.Silent()})
	if err != nil {
		b.t.Fatal(err)
	}
	b.log = l
}

func (b *bench) append(p int32, entry events.Entry) int64 {
	b.t.Helper()
	value, err := events.EncodeEntry(entry)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.appendBytes(p, value)
}

func (b *bench) appendBytes(p int32, value []byte) int64 {
	b.t.Helper()
	offset, err := eventlog.AppendWait(b.t.Context(), b.log, events.TopicJournal, p, eventlog.Record{Value: value})
	if err != nil {
		b.t.Fatal(err)
	}
	return offset
}

func (b *bench) envelope(id events.AccountID, reply *events.Reply, evs ...events.Event) events.Envelope {
	p := events.Partition(id, 2)
	e := events.Envelope{Epoch: b.epochs[p], Cause: b.causes[p], Command: events.NewCommandID(), Account: id, At: 1_700_000_000_000, Reply: reply, Events: evs}
	b.causes[p]++
	return e
}

func (b *bench) write(id events.AccountID, evs ...events.Event) events.Envelope {
	e := b.envelope(id, &events.Reply{Code: events.Accepted}, evs...)
	b.append(events.Partition(id, 2), e)
	return e
}

// open starts a replica in a directory of its own name and waits until it has read everything.
func (b *bench) open(name string) *projections.Replica {
	b.t.Helper()
	r := b.openOnly(name)
	r.Start()
	b.catchUp(r)
	return r
}

func (b *bench) openOnly(name string) *projections.Replica {
	b.t.Helper()
	r, err := projections.Open(b.t.Context(), b.config(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) config(name string) projections.Config {
	return projections.Config{
		Dir: filepath.Join(b.dir, name), Log: b.log, Logger: testkit.Silent(),
		Projections: []projections.Projection{account.States{}, projections.ReadModels{}},
	}
}

func (b *bench) catchUp(r *projections.Replica) {
	b.t.Helper()
	for p := range int32(2) {
		if err := r.CatchUp(testkit.Context(b.t), p); err != nil {
			b.t.Fatal(err)
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
	if err := r.Scan(nil, func(key, value []byte) bool { all[string(key)] = string(value); return true }); err != nil {
		t.Fatal(err)
	}
	return all
}

// life writes some of the lives of many jobs, interleaved over both partitions.
func (b *bench) life(rng *rand.Rand, jobs int) {
	ids := []events.AccountID{"acc_a", "acc_b", "acc_c"}
	for _, id := range ids {
		b.write(id, events.AccountCreated{Plan: events.PlanFree, Anchor: 1_700_000_000_000})
		b.write(id, events.KeyIssued{Key: events.Key{ID: "key", Hash: [32]byte{id[4]}}})
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
			b.write(id, evs...)
		}
	}
}

// A replica that was stopped and started resumes where it was, and holds the
// bytes that a rebuild from offset 0 comes to.
func TestRestartAndRebuildAgree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	b := newBench(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		b.life(rng, 20)
		closed(t, b.open("restarted"))
	}
	restarted, rebuilt := b.open("restarted"), b.open("rebuilt")
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

func TestReadModels(t *testing.T) {
	b := newBench(t)
	r := b.open("r")
	defer closed(t, r)
	hash, job := [32]byte{7}, events.NewJobID()
	b.write("acc_a", events.AccountCreated{Plan: events.PlanPro, Anchor: 5})
	b.write("acc_a", events.KeyIssued{Key: events.Key{ID: "key", Hash: hash}})
	submitted := b.write("acc_a", events.JobQueued{Job: job, Operation: events.HTMLToPDF})
	b.catchUp(r)
	if ref, ok, err := r.Caller(hash); err != nil || !ok || ref.Account != "acc_a" || ref.Key != "key" {
		t.Errorf("key leads to %+v, %t, %v", ref, ok, err)
	}
	if j, ok, err := r.Job("acc_a", job); err != nil || !ok || j.Status != events.StatusQueued {
		t.Errorf("job is %+v, %t, %v", j, ok, err)
	}
	if _, ok, err := r.Job("acc_b", job); err != nil || ok {
		t.Errorf("another account finds the job (%v)", err)
	}
	if reply, ok, err := r.Reply("acc_a", submitted.Command); err != nil || !ok || reply.Code != events.Accepted {
		t.Errorf("reply is %+v, %t, %v", reply, ok, err)
	}
	b.write("acc_a", events.KeyRevoked{Key: "key", Hash: hash})
	b.write("acc_a", events.JobFailed{Job: job, Code: events.PageTimeout})
	b.catchUp(r)
	if _, ok, err := r.Caller(hash); err != nil || ok {
		t.Errorf("a revoked key still leads somewhere (%v)", err)
	}
	if j, _, _ := r.Job("acc_a", job); j.Status != events.StatusFailed || j.Error != events.PageTimeout || j.Finished == 0 {
		t.Errorf("failed job is %+v", j)
	}
}

// A reply is kept for exactly ReplyWindow commands of its partition.
func TestRepliesLeaveTheirWindow(t *testing.T) {
	store := projections.Memory{}
	apply := func(e events.Envelope) {
		tx := projections.NewTx(store)
		projections.ReadModels{}.Apply(tx, 0, e)
		if err := tx.Flush(store); err != nil {
			t.Fatal(err)
		}
	}
	first := events.Envelope{Cause: 3, Command: events.NewCommandID(), Reply: &events.Reply{Code: events.Accepted}}
	apply(first)
	apply(events.Envelope{Cause: 3 + projections.ReplyWindow - 1})
	if _, ok, err := projections.ReplyTo(store, 0, first.Command); !ok || err != nil {
		t.Errorf("reply gone within its window (%v)", err)
	}
	apply(events.Envelope{Cause: 3 + projections.ReplyWindow})
	if _, ok, err := projections.ReplyTo(store, 0, first.Command); ok || err != nil {
		t.Errorf("reply kept beyond its window (%v)", err)
	}
	if len(store) != 0 {
		t.Errorf("%d keys are left", len(store))
	}
}

// Envelopes of stale epochs and repeated causes change nothing; watchers learn the verdicts in order.
func TestAcceptance(t *testing.T) {
	b := newBench(t)
	r := b.openOnly("r")
	defer closed(t, r)
	p := events.Partition("acc_a", 2)
	verdicts := make(chan projections.Step, 100)
	stop := r.Watch(p, func(progress projections.Progress) {
		for _, s := range progress.Steps {
			verdicts <- s
		}
	})
	defer stop()
	stale := b.envelope("acc_a", nil, events.AccountCreated{Plan: events.PlanFree})
	b.epochs[p] = b.append(p, events.Marker{Owner: "n2"})
	b.append(p, stale)
	b.causes[p] = 0
	good := b.write("acc_a", events.AccountCreated{Plan: events.PlanPro})
	good.Events = []events.Event{events.PlanChanged{Plan: events.PlanFree}}
	b.append(p, good) // its cause was accepted already
	b.appendBytes(p, []byte("not platen's"))
	r.Start()
	b.catchUp(r)
	want := []bool{false, false, false, true, false, false}
	for i, accepted := range want {
		if s := <-verdicts; s.Accepted != accepted || s.Offset != int64(i) {
			t.Errorf("record %d: offset %d accepted %t, want %t", i, s.Offset, s.Accepted, accepted)
		}
	}
	if a, ok, err := r.Account("acc_a"); err != nil || !ok || a.Plan != events.PlanPro {
		t.Errorf("account is %+v, %t, %v", a, ok, err)
	}
	if r.Err() != nil {
		t.Errorf("a foreign record stops the replica: %v", r.Err())
	}
}

// A log that was recreated under a replica is refused, and says what to do.
func TestARecreatedLogIsRefused(t *testing.T) {
	b := newBench(t)
	b.life(rand.New(rand.NewPCG(1, 1)), 5)
	closed(t, b.open("r"))
	if err := b.log.Close(); err != nil {
		t.Fatal(err)
	}
	b.openLog("another")
	if _, err := projections.Open(t.Context(), b.config("r")); !errors.Is(err, eventlog.ErrBeyondEnd) {
		t.Errorf("got %v, want ErrBeyondEnd", err)
	}
}

// A record of a newer version stops the replica before it diverges.
func TestANewerRecordStopsTheReplica(t *testing.T) {
	b := newBench(t)
	b.appendBytes(0, []byte{2, 3, 0xa0})
	r := b.openOnly("r")
	defer closed(t, r)
	r.Start()
	if err := r.CatchUp(t.Context(), 0); !errors.Is(err, events.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
	if !errors.Is(r.Err(), events.ErrNewer) {
		t.Errorf("Err is %v", r.Err())
	}
}

func TestCatchUpGivesUpWithItsContext(t *testing.T) {
	b := newBench(t)
	r := b.openOnly("r") // not started: it reads nothing
	defer closed(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.CatchUp(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// BenchmarkReplay reports events per second of a rebuild from offset 0.
func BenchmarkReplay(b *testing.B) {
	w := newBench(b)
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

// bulk writes the lives of n jobs of one account without waiting for each.
func (b *bench) bulk(id events.AccountID, n int) (count int) {
	p := events.Partition(id, 2)
	var last chan error
	add := func(evs ...events.Event) {
		value, err := events.EncodeEntry(b.envelope(id, nil, evs...))
		if err != nil {
			b.t.Fatal(err)
		}
		done := make(chan error, 1)
		b.log.Append(events.TopicJournal, p, eventlog.Record{Value: value}, func(_ int64, err error) { done <- err })
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
		b.t.Fatal(err)
	}
	return count
}
