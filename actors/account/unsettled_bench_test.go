package account_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// unsettledJobs is how many jobs wait in the benchmark's partition. UNSETTLED=n changes it.
const unsettledJobs = 50_000

// BenchmarkUnsettled reads a page of the unsettled jobs of a partition, and all of them. The first page and the last cost
// about the same. jobs/s is the rate of a whole pass.
func BenchmarkUnsettled(b *testing.B) {
	count := unsettledJobs
	if n, err := strconv.Atoi(os.Getenv("UNSETTLED")); err == nil {
		count = n
	}
	replica := waitingJobs(b, count)
	var last events.JobID
	page := func(b *testing.B, after events.JobID) account.Page {
		p, err := account.UnsettledPage(replica, 0, after, 4096)
		if err != nil || len(p.Jobs) == 0 {
			b.Fatal(len(p.Jobs), err)
		}
		return p
	}
	b.Run("first page", func(b *testing.B) {
		for b.Loop() {
			page(b, events.JobID{})
		}
	})
	b.Run("all", func(b *testing.B) {
		n := 0
		for b.Loop() {
			var before events.JobID
			for p := (account.Page{More: true}); p.More; {
				before = p.Last
				p = page(b, p.Last)
				n += len(p.Jobs)
			}
			last = before
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
	})
	b.Run("last page", func(b *testing.B) {
		for b.Loop() {
			page(b, last)
		}
	})
}

// waitingJobs returns a replica of one partition in which count jobs wait.
func waitingJobs(b *testing.B, count int) *projections.Replica {
	dir := b.TempDir()
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(dir, "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	done := make(chan error, 1)
	add := func(e events.Entry, done func(int64, error)) {
		value, err := events.EncodeEntry(e)
		if err != nil {
			b.Fatal(err)
		}
		log.Append(events.TopicJournal, 0, eventlog.Record{Value: value}, done)
	}
	add(events.Marker{Owner: "n1"}, func(int64, error) {})
	for i := range count {
		e := events.Envelope{Cause: int64(i), Command: events.NewCommandID(), Account: "acc", At: 1_700_000_000_000, Events: []events.Event{
			events.JobQueued{Job: events.NewJobID(), Key: "key_1", Operation: events.HTMLToPDF, Content: int64(i)},
		}}
		add(e, func(_ int64, err error) {
			if i == count-1 || err != nil {
				done <- err
			}
		})
	}
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	replica, err := projections.Open(b.Context(), projections.Config{Dir: filepath.Join(dir, "replica"), Log: log, Logger: testkit.Silent(), Projections: []table.Projection{account.States{}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = replica.Close() })
	replica.Start()
	if err := replica.CatchUp(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	return replica
}
