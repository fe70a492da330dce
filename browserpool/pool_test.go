package browserpool

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// openPool opens a pool that is closed when the test ends. Without a browser the
// test fails: its result would mean nothing.
func openPool(t testing.TB, config Config) *Pool {
	t.Helper()
	if config.Logger == nil && os.Getenv("PLATEN_TEST_LOG") != "" {
		config.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	config.System = newSystem(t)
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

// newSystem makes an actor system that is shut down when the test ends. Dead letters,
// which a closing pool may leave, keep nothing running in it.
func newSystem(t testing.TB) *actor.ActorSystem {
	t.Helper()
	system := actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
	)
	t.Cleanup(system.Shutdown)
	return system
}

func closePool(t testing.TB, pool *Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), pagetest.Patience)
	defer cancel()
	pool.Close(ctx)
	if ctx.Err() != nil {
		t.Error("the pool had to be killed")
	}
}

// printWith leases pages, prints on them and returns them.
func printWith(ctx context.Context, pool *Pool, job page.Print) (page.Result, error) {
	lease, err := pool.Acquire(ctx, events.Quick)
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

// printed is the text of what a job prints.
func printed(t *testing.T, pool *Pool, job page.Print) string {
	t.Helper()
	return pagetest.Text(t, mustPrint(t, pool, job).PDF)
}

type outcome struct {
	page.Result
	err error
}

// begin acquires a lease and prints with it in the background.
func begin(t *testing.T, ctx context.Context, pool *Pool, job page.Print) <-chan outcome {
	t.Helper()
	lease, err := pool.Acquire(ctx, events.Quick)
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

// eventually waits until the pool's figures are as wanted.
func eventually(t *testing.T, pool *Pool, what string, wanted func(Stats) bool) Stats {
	t.Helper()
	deadline := time.After(pagetest.Patience)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for {
		stats := pool.Stats()
		if wanted(stats) {
			return stats
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("the pool never had %s: %+v", what, stats)
		}
	}
}
