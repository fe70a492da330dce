package browserpool

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"platen.dev/browserpool/bare"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// benchDocuments are the documents that the benchmarks print, in PLATEN_BENCH_DIR.
var benchDocuments = []string{"tiny.html", "invoice.html", "report.html"}

const benchConcurrency = 4

func benchDir(b *testing.B) string {
	dir := os.Getenv("PLATEN_BENCH_DIR")
	if dir == "" {
		b.Skip("set PLATEN_BENCH_DIR to a directory with tiny.html, invoice.html and report.html")
	}
	return dir
}

func benchDocument(b *testing.B, name string) string {
	content, err := os.ReadFile(benchDir(b) + "/" + name)
	if err != nil {
		b.Fatal(err)
	}
	return string(content)
}

// BenchmarkPrint compares the pool with the bare warm-page loop at the same concurrency.
func BenchmarkPrint(b *testing.B) {
	for _, name := range benchDocuments {
		html := benchDocument(b, name)
		b.Run(name+"/bare", func(b *testing.B) { benchBare(b, html) })
		b.Run(name+"/pool", func(b *testing.B) { benchPool(b, html, 0) })
		b.Run(name+"/pool-fixed-scale", func(b *testing.B) { benchPool(b, html, 1) })
	}
}

// BenchmarkURL compares URL jobs of one account, and of as many accounts as jobs, with the bare fresh-context loop, all through a proxy.
// Captures of URLs have no bare loop.
func BenchmarkURL(b *testing.B) {
	dir := benchDir(b)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, name := range benchDocuments {
		url := server.URL + "/" + name
		b.Run(name+"/bare", func(b *testing.B) { benchBareURL(b, url) })
		pool := func(run func(*Pool) error) func(*testing.B) {
			return func(b *testing.B) {
				pool := openPool(b, Config{AllowEgress: pagetest.Loopback})
				measure(b, func(int) error { return run(pool) })
			}
		}
		visit := func(p *Pool, account events.AccountID, scale float64) error {
			_, err := printFor(b.Context(), p, account, page.Print{URL: url, Options: contract.Paper{Scale: scale}})
			return err
		}
		b.Run(name+"/pool", pool(func(p *Pool) error { return visit(p, "account", 0) }))
		b.Run(name+"/pool-fixed-scale", pool(func(p *Pool) error { return visit(p, "account", 1) }))
		b.Run(name+"/pool-newcomers", pool(func(p *Pool) error { return visit(p, anyone(), 0) }))
		b.Run(name+"/capture", pool(func(p *Pool) error {
			return captureWith(b.Context(), p, page.Capture{URL: url})
		}))
	}
}

func benchBareURL(b *testing.B, url string) {
	proxy, err := egress.Listen(egress.Policy{Allow: pagetest.Loopback}, egress.Limits{}, testkit.Silent())
	if err != nil {
		b.Fatal(err)
	}
	defer proxy.Close()
	browser, err := bare.Start(bare.Options{Proxy: proxy.URL()})
	if err != nil {
		b.Fatal(err)
	}
	defer browser.Close()
	measure(b, func(int) error {
		pdf, err := browser.PrintURL(url)
		if err == nil && len(pdf) < 1000 {
			err = errors.New("the bare loop printed nothing")
		}
		return err
	})
}

func benchBare(b *testing.B, html string) {
	benchWarm(b, func(p *bare.Page) ([]byte, error) { return p.Print(html) })
}

// benchWarm measures work on warm pages of a bare browser, one page per worker.
func benchWarm(b *testing.B, work func(*bare.Page) ([]byte, error)) {
	browser, err := bare.Start(bare.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer browser.Close()
	var pages [benchConcurrency]*bare.Page
	for i := range pages {
		if pages[i], err = browser.Page(); err != nil {
			b.Fatal(err)
		}
	}
	measure(b, func(worker int) error {
		_, err := work(pages[worker])
		return err
	})
}

// BenchmarkCapture compares captures of the pool with the bare warm-page loop.
func BenchmarkCapture(b *testing.B) {
	for _, name := range benchDocuments[:2] {
		html := benchDocument(b, name)
		b.Run(name+"/bare", func(b *testing.B) {
			benchWarm(b, func(p *bare.Page) ([]byte, error) { return p.Capture(html) })
		})
		b.Run(name+"/pool", func(b *testing.B) {
			pool := openPool(b, Config{})
			measure(b, func(int) error {
				return captureWith(b.Context(), pool, page.Capture{HTML: html})
			})
		})
	}
}

func benchPool(b *testing.B, html string, scale float64) {
	pool := openPool(b, Config{})
	measure(b, func(int) error {
		_, err := printWith(b.Context(), pool, page.Print{HTML: html, Options: contract.Paper{Scale: scale}})
		return err
	})
}

// captureWith leases pages, captures on them and returns them.
func captureWith(ctx context.Context, pool *Pool, job page.Capture) error {
	lease, err := pool.Acquire(ctx, anyone(), laneOf(page.Print{URL: job.URL}))
	if err != nil {
		return err
	}
	defer lease.Return()
	_, err = lease.Capture(ctx, job)
	return err
}

// measure runs b.N jobs on benchConcurrency workers, after two per worker to warm up.
func measure(b *testing.B, job func(worker int) error) {
	var left atomic.Int64
	run := func(jobs int) {
		left.Store(int64(jobs))
		var workers sync.WaitGroup
		for worker := range benchConcurrency {
			workers.Go(func() {
				for left.Add(-1) >= 0 {
					if err := job(worker); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		workers.Wait()
	}
	run(2 * benchConcurrency)
	b.ResetTimer()
	run(b.N)
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
