package testkit

import (
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ThreadTime returns the processor time that the caller's thread has used. The caller locks its goroutine to the thread.
func ThreadTime(t testing.TB) time.Duration {
	t.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Nano())
}

// ProcessorTime returns the processor time that the process has used, including that of the garbage collector. A busy machine takes longer for
// the same work, and uses no more of it.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
