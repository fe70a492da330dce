package main

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// noCore is the limit of core dumps, in bytes, that turns them off. Linux writes no file that small. It ignores
// the limit if a program collects dumps, but for this value, with which it does not start the program.
const noCore = 1

// harden keeps what the process writes to itself, and what it has in memory out of files. Both hold for
// the processes that it starts, too, and for good: tests run commands that call it as processes of their own.
func harden() error {
	syscall.Umask(0o077)
	limit := unix.Rlimit{Cur: noCore, Max: noCore}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &now); err != nil {
		return fmt.Errorf("core dumps: %w", err)
	}
	if now.Max < noCore { // already stricter, and it cannot be raised
		return nil
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return fmt.Errorf("core dumps: %w", err)
	}
	return nil
}
