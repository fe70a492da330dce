package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
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

// BenchmarkWebhooks sends b.N webhooks through the performer, which records each in the embedded
// log, and as many by a bare loop that signs and posts. It reports webhooks/s, and the ratio of
// both.
func BenchmarkWebhooks(b *testing.B) {
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		received.Add(1)
		w.WriteHeader(204)
	}))
	defer server.Close()
	client := clientOn(true)
	start := time.Now()
	bare(b, client, message(server.URL))
	alone := time.Since(start)
	b.ResetTimer()
	start = time.Now()
	performed(b, client, message(server.URL))
	took := time.Since(start)
	if got := received.Load(); got != int64(2*b.N) {
		b.Fatalf("%d webhooks were received, want %d", got, 2*b.N)
	}
	b.ReportMetric(float64(b.N)/took.Seconds(), "webhooks/s")
	b.ReportMetric(alone.Seconds()/took.Seconds(), "of-bare-loop")
}

// bare posts b.N messages on as many goroutines as the performer has for one host.
func bare(b *testing.B, client *Client, m Message) {
	var left atomic.Int64
	left.Store(int64(b.N))
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

func performed(b *testing.B, client *Client, m Message) {
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(b.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	var sent sync.WaitGroup
	sent.Add(b.N)
	p, err := Start(testkit.System(b), Config{
		Log: log, Client: client, Now: time.Now, Logger: testkit.Silent(),
		URL:     func(int32, job.Notify) (string, error) { return m.URL, nil },
		Prepare: func(int32, job.Notify) (Message, error) { return m, nil },
		Observe: func(Outcome) { sent.Done() },
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		p.Perform(0, job.Notify{Account: events.AccountID(rune('a' + i%benchAccounts)), Job: events.NewJobID(), Number: 1})
	}
	sent.Wait()
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
}
