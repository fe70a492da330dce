package backup_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	ledgerfile "platen.dev/ledger/embedded"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/publish"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const partitions = 2

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cluster is everything that a backup is taken of, or restored to: a log, a replica, files, snapshots and a ledger. The facts of the journal are
// published, and read by the ledger.
type cluster struct {
	t         *testing.T
	dir       string
	log       eventlog.Log
	results   store.Files
	snapshots store.Files
	ledger    ledger.Ledger
	replica   *projections.Replica
	stop      []func() error
	tail      int64        // how many events are not trimmed
	reads     atomic.Int64 // of the clock
}

// newCluster returns a cluster without nodes: a log and stores.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	log, err := embedded.Open(embedded.Config{
		Dir: "log", FS: vfs.NewMem(), Partitions: partitions, Logger: testkit.Silent(), Unbounded: []string{events.TopicJournal, events.TopicEvents},
	})
	must(t, err)
	return newClusterOn(t, log)
}

// newClusterOn is newCluster on another log, which it closes.
func newClusterOn(t *testing.T, log eventlog.Log) *cluster {
	t.Helper()
	c := &cluster{t: t, dir: t.TempDir(), tail: 100, log: log}
	var err error
	c.onClose(c.log.Close)
	c.results, c.snapshots = newFiles(), newFiles()
	c.ledger, err = ledgerfile.Open(t.Context(), filepath.Join(c.dir, "ledger.db"))
	must(t, err)
	c.ledger = ledger.WithTopicIDs(c.ledger, c.log.TopicID)
	c.onClose(c.ledger.Close)
	t.Cleanup(c.close)
	return c
}

func (c *cluster) onClose(f func() error) { c.stop = append(c.stop, f) }

func (c *cluster) close() {
	for i := len(c.stop) - 1; i >= 0; i-- {
		if err := c.stop[i](); err != nil {
			c.t.Error(err)
		}
	}
	c.stop = nil
}

func folds() []table.Projection {
	return []table.Projection{account.States{}, projections.ReadModels{}}
}

// run starts the replica, the publisher and the ledger's reader.
func (c *cluster) run() {
	c.t.Helper()
	var err error
	c.replica, err = projections.Open(c.t.Context(), projections.Config{
		Dir: filepath.Join(c.dir, "replica"), Log: c.log, Logger: testkit.Silent(), Snapshots: c.source(), Projections: folds(),
	})
	must(c.t, err)
	c.replica.Start()
	c.onClose(c.replica.Close)
	publisher := publish.New(publish.Config{Log: c.log, Logger: testkit.Silent(), Begin: c.source().Begin})
	c.onClose(func() error { publisher.Close(); return nil })
	for p := range int32(partitions) {
		publisher.Start(p)
	}
	running, err := ingest.Start(ingest.Config{
		Ledger: c.ledger, Log: c.log, Logger: testkit.Silent(), Wait: 20 * time.Millisecond, BatchesPerSecond: 10_000,
		Events: bus.NewLogSubscriber(bus.LogConfig{Log: c.log, Start: c.ledger.Next}), Poison: bus.NewLogPublisher(c.log),
	})
	must(c.t, err)
	c.onClose(running.Close)
	c.catchUp()
}

func (c *cluster) source() *history.Source {
	return &history.Source{Files: c.snapshots, Log: c.log, Logger: testkit.Silent()}
}

func (c *cluster) catchUp() {
	c.t.Helper()
	for p := range int32(partitions) {
		must(c.t, c.replica.CatchUp(testkit.Context(c.t), p))
	}
}

// published has more events trimmed than a node would: there are few here.
func (c *cluster) published(ctx context.Context, p int32) (journal, topic int64, err error) {
	if journal, topic, err = publish.Needs(ctx, c.log, p); err == nil {
		_, end, boundsErr := c.log.Bounds(ctx, events.TopicEvents, p)
		topic, err = max(topic, end-c.tail), boundsErr
	}
	return journal, topic, err
}

// config returns the configuration of backups.
func (c *cluster) config(change ...func(*backup.Config)) backup.Config {
	cfg := backup.Config{
		Log: c.log, Replica: c.replica, Snapshots: c.source(), Results: c.results, Ledger: c.ledger, Secrets: []string{"s1"},
		Published: c.published,
		Pace:      func(context.Context) snapshot.Pace { return snapshot.Unpaced },
		Node:      "n1", Version: "test", Now: c.clock, Logger: testkit.Silent(),
	}
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}

// clock advances by a millisecond at each reading, so that the names of backups are in order.
func (c *cluster) clock() time.Time {
	return time.Now().Add(time.Duration(c.reads.Add(1)) * time.Millisecond)
}

func (c *cluster) take(to store.Files, keep int, change ...func(*backup.Config)) backup.Report {
	c.t.Helper()
	r, err := backup.Take(c.t.Context(), c.config(change...), to, keep)
	must(c.t, err)
	return r
}

func (c *cluster) target() backup.Target {
	return backup.Target{Log: c.log, Snapshots: c.snapshots, Results: c.results, Ledger: c.ledger, Version: "test", Now: time.Now}
}

func verify(t *testing.T, files store.Files, m backup.Manifest) error {
	t.Helper()
	return backup.Verify(t.Context(), files, m, backup.Rebuilding{
		Scratch: filepath.Join(t.TempDir(), "scratch"), Projections: folds(), Pace: snapshot.Unpaced, Logger: testkit.Silent(),
	})
}

// world is the owner of all partitions of a cluster, and its customers. It writes commands, decides them, and stores files.
type world struct {
	*cluster
	random *rand.Rand
	now    time.Time
	epochs [partitions]int64
	causes [partitions]int64
	jobs   []*madeJob
	keeper *history.Keeper
}

// madeJob is a job of the world. Its content, and its file, are its id.
type madeJob struct {
	id      events.JobID
	account events.AccountID
	content int64
	file    string
}

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// accounts are one in each partition, and one more.
var accounts = []events.AccountID{"acc_0", "acc_1", "acc_2", "acc_3"}

func newWorld(t *testing.T, seed uint64) *world { return newWorldAt(t, seed, 0) }

// newWorldAt is newWorld with commands that are gone, as many in each partition.
func newWorldAt(t *testing.T, seed uint64, gone int64) *world {
	t.Helper()
	w := &world{cluster: newCluster(t), random: rand.New(rand.NewPCG(seed, 0)), now: begin}
	for p := range w.epochs {
		must(t, w.log.Begin(t.Context(), events.TopicCommands, int32(p), gone))
		w.causes[p] = gone
		w.epochs[p] = w.append(events.TopicJournal, int32(p), entry(t, events.Marker{Owner: "n1", Level: events.NewestLevel, Timeline: events.NewTimelineID()}))
		if gone > 0 {
			w.append(events.TopicJournal, int32(p), entry(t, events.Gap{Epoch: w.epochs[p], To: gone}))
		}
	}
	for _, id := range accounts {
		w.decide(id, "", events.AccountCreated{Plan: events.PlanBusiness, Anchor: events.At(begin)})
	}
	w.run()
	w.keep()
	return w
}

// after returns the world of a cluster restored from a backup of this one. Its owner is another node, its customers are the same.
func (w *world) after(c *cluster, m backup.Manifest) *world {
	w.t.Helper()
	next := &world{cluster: c, random: w.random, now: w.now}
	for p := range m.Partitions {
		_, end, err := c.log.Bounds(w.t.Context(), events.TopicCommands, int32(p))
		must(w.t, err)
		next.causes[p] = end
		next.epochs[p] = next.append(events.TopicJournal, int32(p), entry(w.t, events.Marker{Owner: "n2", Level: events.NewestLevel, Timeline: events.NewTimelineID()}))
	}
	next.run()
	next.keep()
	return next
}

// keep makes what takes snapshots.
func (w *world) keep() {
	w.keeper = history.New(history.Config{
		Policy: history.Policy{Records: 60, Every: 1000 * time.Hour, Keep: 2, Events: 24 * time.Hour},
		Files:  w.snapshots, Log: w.log, Replica: w.replica, Projections: folds(), Scratch: filepath.Join(w.dir, "scratch"), BytesPerSecond: 1 << 40,
		Owned:     func() []int32 { return []int32{0, 1} },
		Published: w.published,
		Consumed:  func(ctx context.Context, p int32) (int64, error) { return w.ledger.Next(ctx, events.TopicEvents, p) },
		Current:   func() time.Time { return w.now.Add(time.Hour) },
		Room:      func() error { return nil },
		Node:      "n1", Version: "test", Now: func() time.Time { return w.now }, Logger: testkit.Silent(),
	})
}

func entry(t *testing.T, e events.Entry) []byte {
	t.Helper()
	value, err := events.EncodeEntry(e)
	must(t, err)
	return value
}

func (w *world) append(topic string, p int32, value []byte) int64 {
	w.t.Helper()
	offset, err := eventlog.AppendWait(testkit.Context(w.t), w.log, topic, p, eventlog.Record{Key: []byte("key"), Value: value})
	must(w.t, err)
	return offset
}

// decide appends a command and its envelope.
func (w *world) decide(id events.AccountID, content string, evs ...events.Event) (cause int64) {
	w.t.Helper()
	p := events.Partition(id, partitions)
	cause = w.append(events.TopicCommands, p, []byte(content))
	if cause != w.causes[p] {
		w.t.Fatalf("the command has the offset %d, want %d", cause, w.causes[p])
	}
	w.causes[p]++
	for i, ev := range evs {
		if queued, is := ev.(events.JobQueued); is {
			queued.Content = cause
			evs[i] = queued
		}
	}
	w.append(events.TopicJournal, p, entry(w.t, events.Envelope{
		Epoch: w.epochs[p], Cause: cause, Command: events.NewCommandID(), Account: id, At: events.At(w.now), Reply: &events.Reply{Code: events.Accepted}, Events: evs,
	}))
	return cause
}

// step does something.
func (w *world) step() {
	w.t.Helper()
	w.now = w.now.Add(20 * time.Minute)
	switch n := w.random.IntN(20); {
	case n < 9 || len(w.jobs) == 0:
		w.submit()
	case n < 15:
		w.finish(w.jobs[w.random.IntN(len(w.jobs))])
	case n < 18:
		w.expire(w.jobs[w.random.IntN(len(w.jobs))])
	case n < 19:
		w.trimCommands()
	default:
		w.keeper.Look(w.t.Context())
	}
}

func (w *world) submit() {
	j := &madeJob{id: events.NewJobID(), account: accounts[w.random.IntN(len(accounts))]}
	window := events.At(begin)
	j.content = w.decide(j.account, j.id.String(), events.QuotaReserved{Job: j.id, Window: window},
		events.JobQueued{Job: j.id, Key: "key_1", Operation: events.HTMLToPDF, Window: window})
	w.jobs = append(w.jobs, j)
}

// finish stores the file of a job, and then says so.
func (w *world) finish(j *madeJob) {
	if j.file != "" {
		return
	}
	j.file = j.id.String() + ".pdf"
	size, err := w.results.Put(w.t.Context(), j.file, bytes.NewReader([]byte(j.id.String())), 1<<20)
	must(w.t, err)
	attempt := events.AttemptID(1)
	w.decide(j.account, "", events.RenderStarted{Job: j.id, Attempt: attempt, Node: "n1", Deadline: events.At(w.now.Add(time.Minute))},
		events.JobDone{
			Job: j.id, File: events.File{Name: j.file, Size: size, Pages: 1}, Expires: events.At(w.now.Add(contract.FileLife)), FileURL: "https://example.com/",
			Origin: events.JobOrigin{Key: "key_1", Operation: events.HTMLToPDF},
		},
		events.QuotaDebited{Job: j.id, Window: events.At(begin), Bytes: size})
}

// expire lets the file of a job expire, deletes it, and forgets the job.
func (w *world) expire(j *madeJob) {
	if j.file == "" {
		return
	}
	w.decide(j.account, "", events.FileExpired{Job: j.id})
	must(w.t, w.results.Delete(w.t.Context(), j.file))
	w.decide(j.account, "", events.FileDeleted{Job: j.id})
	for i, other := range w.jobs {
		if other == j {
			w.jobs = append(w.jobs[:i], w.jobs[i+1:]...)
			return
		}
	}
}

// trimCommands trims what no unfinished job needs, as owners do on the embedded log.
func (w *world) trimCommands() {
	for p := range int32(partitions) {
		floor := w.causes[p]
		for _, j := range w.jobs {
			if events.Partition(j.account, partitions) == p && j.file == "" {
				floor = min(floor, j.content)
			}
		}
		must(w.t, w.log.Trim(testkit.Context(w.t), events.TopicCommands, p, floor))
	}
}

func (w *world) steps(n int) {
	w.t.Helper()
	for range n {
		w.step()
	}
	w.catchUp()
}

// quiet waits until every fact is published, and every charge in the ledger.
func (w *world) quiet() {
	w.t.Helper()
	for p := range int32(partitions) {
		if !testkit.Becomes(func() bool {
			last, err := publish.Last(w.t.Context(), w.log, p)
			return err == nil && last == w.replica.Cursor(p).Number
		}) {
			w.t.Errorf("partition %d: not every fact is published", p)
		}
	}
	w.settled()
}

// settled waits until the ledger's charges of every account match the account's state.
func (c *cluster) settled() {
	c.t.Helper()
	for _, id := range accounts {
		state, err := account.ReplicaStore{Reader: c.replica, Partition: events.Partition(id, partitions)}.Account(id)
		must(c.t, err)
		units := int64(0)
		charged := func() bool {
			rows, err := c.ledger.Usage(c.t.Context(), ledger.Query{Account: string(id), From: ledger.MinTime, To: ledger.MaxTime})
			must(c.t, err)
			if units = 0; len(rows) > 0 {
				units = rows[0].Units
			}
			return units == state.Used
		}
		if !testkit.Becomes(charged) {
			c.t.Errorf("%s is charged %d units by the ledger and has used %d", id, units, state.Used)
		}
	}
}

// equal checks that the ledger equals the log, entry by entry.
func (c *cluster) equal() {
	c.t.Helper()
	for p := range int32(partitions) {
		var report reconcile.Report
		testkit.Eventually(c.t, "the ledger has everything", func() (caughtUp bool) {
			var err error
			report, err = reconcile.Partition(c.t.Context(), reconcile.Config{Ledger: c.ledger, Log: c.log, Topic: events.TopicEvents}, p)
			must(c.t, err)
			return report.Behind == 0
		})
		if !report.Equal() || report.Log != report.Ledger {
			c.t.Errorf("partition %d: the ledger is not what the log says: %+v", p, report)
		}
	}
}

// read returns the content of a file, and whether it is there.
func read(t *testing.T, files store.Files, name string) (string, bool) {
	t.Helper()
	f, err := files.Open(t.Context(), name)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(f)
	must(t, err)
	return string(b), true
}

// ledgerBatch says that an event was read that is not an entry.
func ledgerBatch() ledger.Batch {
	return ledger.Batch{Topic: events.TopicEvents, Partition: 1, Lo: 0, Hi: 0}
}
