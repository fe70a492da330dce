package convert

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

var errInterrupted = errors.New("interrupted")

// untilSignal returns a context that ends with the first signal that asks the process to end, so that it removes what it keeps; a second one ends it at
// once. SIGHUP stays ignored under nohup. Writes to a pipe that nobody reads fail instead of ending the process.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, cancel := signal.NotifyContext(parent, ending...)
	context.AfterFunc(ctx, cancel)
	return ctx, func() {
		cancel()
		signal.Stop(broken)
	}
}

// within returns the outcome of do, or the end of ctx, as do may wait for ever for the other side of a pipe. Then it is left to the end of the process.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
