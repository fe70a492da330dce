package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"platen.dev/cmd/platen/nemesis"
	"platen.dev/cmd/platen/node"
)

// actAsPlaten makes the test binary behave as platen, so that tests can start, kill and
// restart nodes as processes without building a binary.
const actAsPlaten = "PLATEN_TEST_ACT"

// clockVariable names the file of a node's clock; without it the system's clock counts.
const clockVariable = "PLATEN_TEST_CLOCK"

func TestMain(m *testing.M) {
	nemesis.Init()
	if os.Getenv(actAsPlaten) == "" {
		oneMoreAtOnce()
		before := umask()
		status := m.Run()
		if after := umask(); after != before {
			fmt.Fprintf(os.Stderr, "a test has hardened the process of all tests (harden): the umask was %o and is %o\n", before, after)
			status = 1
		}
		os.Exit(status)
	}
	go dieWithTheTest()
	if path := os.Getenv(clockVariable); path != "" {
		serveBy(path)
	}
	main()
	os.Exit(0)
}

// umask returns the process's, which can be read only by setting it.
func umask() int {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return mask
}

// oneMoreAtOnce lets one more parallel test run than there are cores: they mostly wait for nodes. The
// flag -parallel counts if it is given, because it is parsed later.
func oneMoreAtOnce() {
	if err := flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1)); err != nil {
		panic(err)
	}
}

// serveBy is `platen serve` by the clock of a file.
func serveBy(path string) {
	clock, err := nemesis.ReadClock(path)
	if err == nil {
		c := serveCommand(node.Options{Wall: clock.Now})
		c.SetArgs(os.Args[2:])
		err = c.Execute()
	}
	exit(err)
}

// dieWithTheTest ends a node whose test has died without stopping it: the test holds the
// other end of its standard input.
func dieWithTheTest() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
