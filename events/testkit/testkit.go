// Package testkit holds what the tests of several packages share: waiting, repeatable randomness, and a silent actor system. It is below events
// because every package may import that.
package testkit

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Patience bounds every wait of a test. Only a test that hangs uses it up, however busy the machine.
const Patience = 2 * time.Minute

// The pause between two polls grows by a quarter each time, so that a test that polls the API while the machine is busy does not use up the request
// rate of its account: four polls per second in the end, where the plan Pro allows eight.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// Eventually waits until a condition is true; what names the condition in the failure.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	if !Becomes(is) {
		t.Fatalf("not after %s: %s", Patience, what)
	}
}

// Becomes waits until a condition is true, and reports whether that happened within Patience.
func Becomes(is func() bool) bool {
	pause := firstPause
	for deadline := time.Now().Add(Patience); !is(); pause = min(pause+pause/4, lastPause) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// Dwindles waits until nothing is left. That may take any time, as long as the number changes within Patience; what names the wait in the failure.
func Dwindles(t testing.TB, what string, left func() int64) {
	t.Helper()
	for last := int64(-1); ; {
		n := last
		if !Becomes(func() bool { n = left(); return n != last }) {
			t.Fatalf("%s: %d are left, as %s ago", what, n, Patience)
		}
		if n == 0 {
			return
		}
		last = n
	}
}

// Receive returns the next value of a channel; what names it in the failure. A channel
// that is closed gives the zero value.
func Receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Patience):
		t.Fatalf("not after %s: %s", Patience, what)
		panic("unreachable")
	}
}

// Context returns a context that ends with the test, or after Patience.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Rand returns a test's random source. The test prints the seed; PLATEN_TEST_SEED repeats it.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("PLATEN_TEST_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	t.Logf("PLATEN_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// Silent returns a logger that discards everything.
func Silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// System returns an actor system that logs nothing and is shut down when the test ends.
func System(t testing.TB) *actor.ActorSystem {
	t.Helper()
	system := NewSystem()
	t.Cleanup(system.Shutdown)
	return system
}

// NewSystem returns an actor system that logs nothing; the caller shuts it down, once. It forgets dead letters at once, because counting them would
// outlive the test.
func NewSystem() *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return Silent() }),
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
	)
}

// Long skips a test that takes long or controls processes, unless LONG is set: `make integration` sets it.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("LONG") == "" {
		t.Skip("long: make integration runs it, and so does LONG=1")
	}
}
