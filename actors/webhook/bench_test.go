package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

// benchAccounts is how many accounts the webhooks of the benchmark are of.
const benchAccounts = 50

// benchMessages is how many messages are sent in one measurement.
const benchMessages = 4000

// BenchmarkWebhooks measures b.N pairs: benchMessages webhooks through the performer, which records
// each attempt in the embedded log, and as many by a bare loop that signs and posts. It reports the
// medians of webhooks/s, and of the ratio of both.
func BenchmarkWebhooks(b *testing.B) {
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		received.Add(1)
		w.WriteHeader(204)
	}))
	defer server.Close()
	client := clientOn(true)
	m := message(server.URL)
	perform := performer(b, client, m)
	var rates, ratios []float64
	for range b.N {
		alone := took(func() { bare(b, client, m) })
		performed := took(perform)
		rates = append(rates, benchMessages/performed.Seconds())
		ratios = append(ratios, alone.Seconds()/performed.Seconds())
	}
	if got := received.Load(); got != int64(2*b.N*benchMessages) {
		b.Fatalf("%d webhooks were received, want %d", got, 2*b.N*benchMessages)
	}
	b.ReportMetric(median(rates), "webhooks/s")
	b.ReportMetric(median(ratios), "of-bare-loop")
}

func took(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// bare posts benchMessages messages on as many goroutines as the performer has for one host.
func bare(b *testing.B, client *Client, m Message) {
	var left atomic.Int64
	left.Store(benchMessages)
	var group sync.WaitGroup
	for range limits.PerHost {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if o := client.Send(b.Context(), m); o.Status != 204 {
					b.Errorf("outcome %+v", o)
				}
			}
		})
	}
	group.Wait()
}

// performer starts a performer. What it returns sends benchMessages messages.
func performer(b *testing.B, client *Client, m Message) func() {
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(b.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	var sent sync.WaitGroup
	p, err := Start(testkit.System(b), Config{
		Log: log, Client: client, Now: time.Now, Logger: testkit.Silent(),
		URL:     func(int32, job.Notify) (string, error) { return m.URL, nil },
		Prepare: func(int32, job.Notify) (Message, error) { return m, nil },
		Observe: func(Outcome) { sent.Done() },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return func() {
		sent.Add(benchMessages)
		for i := range benchMessages {
			p.Perform(0, job.Notify{Account: events.AccountID(rune('a' + i%benchAccounts)), Job: events.NewJobID(), Number: 1})
		}
		sent.Wait()
	}
}
