package main

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// noCore is the core dump limit, in bytes, that turns dumps off. Linux writes no file that small. If a program
// collects dumps, Linux ignores the limit, except this value, for which it does not start the program.
const noCore = 1

// harden keeps the process's files private, and its memory out of files. Both also apply to the processes
// that it starts, and cannot be undone: tests run commands that call it in separate processes.
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
