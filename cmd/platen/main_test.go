package main

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// actAsPlaten makes the test binary behave as platen, so that tests can start, kill and
// restart nodes as processes without building a binary.
const actAsPlaten = "PLATEN_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actAsPlaten) == "" {
		os.Exit(m.Run())
	}
	go dieWithTheTest()
	main()
	os.Exit(0)
}

// dieWithTheTest ends a node whose test has died without stopping it: the test holds the
// other end of its standard input.
func dieWithTheTest() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
