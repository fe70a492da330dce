package browserpool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// openPool opens a pool that is closed when the test ends. Without a browser the test fails: a pass would mean nothing.
func openPool(t testing.TB, config Config) *Pool {
	t.Helper()
	if config.Logger == nil && os.Getenv("PLATEN_TEST_LOG") != "" {
		config.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	config.System = testkit.System(t)
	pool, err := Open(config)
	if errors.Is(err, chromium.ErrNotInstalled) {
		t.Fatalf("these tests need the real browser: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

func closePool(t testing.TB, pool *Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	pool.Close(ctx)
	if ctx.Err() != nil {
		t.Error("the pool had to be killed")
	}
}

var accounts atomic.Int64

// anyone returns an account that no other request has.
func anyone() events.AccountID { return events.AccountID(fmt.Sprint("account", accounts.Add(1))) }

// laneOf returns Remote for a URL or a full document, and Quick otherwise.
func laneOf(job page.Print) events.Lane {
	if job.URL != "" || job.Full {
		return events.Remote
	}
	return events.Quick
}

// printWith leases pages for anyone, prints on them and returns them.
func printWith(ctx context.Context, pool *Pool, job page.Print) (page.Result, error) {
	return printFor(ctx, pool, anyone(), job)
}

func printFor(ctx context.Context, pool *Pool, account events.AccountID, job page.Print) (page.Result, error) {
	lease, err := pool.Acquire(ctx, account, laneOf(job))
	if err != nil {
		return page.Result{}, err
	}
	defer lease.Return()
	return lease.Print(ctx, job)
}

func mustPrint(t *testing.T, pool *Pool, job page.Print) page.Result {
	t.Helper()
	result, err := printWith(t.Context(), pool, job)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// printed returns the text of a job's print.
func printed(t *testing.T, pool *Pool, job page.Print) string {
	t.Helper()
	return testkit.PDFText(t, mustPrint(t, pool, job).PDF)
}

type outcome struct {
	page.Result
	err error
}

// begin acquires a lease and prints with it in the background.
func begin(t *testing.T, ctx context.Context, pool *Pool, job page.Print) <-chan outcome {
	t.Helper()
	lease, err := pool.Acquire(ctx, anyone(), laneOf(job))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan outcome, 1)
	go func() {
		defer lease.Return()
		result, err := lease.Print(ctx, job)
		done <- outcome{result, err}
	}()
	return done
}

// eventually waits until the pool's figures are as wanted, and returns them.
func eventually(t *testing.T, pool *Pool, what string, wanted func(Stats) bool) (stats Stats) {
	t.Helper()
	is := func() bool { stats = pool.Stats(); return wanted(stats) }
	if !testkit.Becomes(is) {
		t.Fatalf("the pool never had %s: %+v", what, stats)
	}
	return stats
}
