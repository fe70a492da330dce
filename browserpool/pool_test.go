package browserpool

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/browserpool/chromium"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// openPool opens a pool that is closed when the test ends. Without a browser the
// test fails: its result would mean nothing.
func openPool(t testing.TB, config Config) *Pool {
	t.Helper()
	if os.Getenv("PLATEN_TEST_LOG") != "" {
		config.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	pool.Close(ctx)
	if ctx.Err() != nil {
		t.Error("the pool had to be killed")
	}
}
