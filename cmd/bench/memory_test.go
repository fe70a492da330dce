package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A browser's renderers are grandchildren of the node, in a session of their own.
func TestFamilyHasGrandchildrenOfOtherSessions(t *testing.T) {
	cmd := exec.Command("sh", "-c", "setsid sleep 60 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p, err := os.FindProcess(grandchild); err == nil {
			_ = p.Kill()
		}
		_ = cmd.Wait()
	})
	all := family(os.Getpid())
	for _, pid := range []int{os.Getpid(), cmd.Process.Pid, grandchild} {
		if !slices.Contains(all, pid) {
			t.Errorf("family %v lacks %d", all, pid)
		}
	}
	if slices.Contains(all, os.Getppid()) {
		t.Errorf("family %v has the parent", all)
	}
}

// touched keeps what a test allocates alive.
var touched []byte

func TestPeakIsThatOfTheWork(t *testing.T) {
	const size = 64 << 20
	debug.FreeOSMemory() // otherwise freed memory would be used again
	before, err := proportionalSize([]int{os.Getpid()})
	if err != nil || before <= 0 {
		t.Fatalf("this process has %d bytes, error %v", before, err)
	}
	peak, err := peakWhile(os.Getpid(), func() error {
		touched = make([]byte, size)
		for i := 0; i < size; i += 4 << 10 {
			touched[i] = 1
		}
		return nil
	})
	if err != nil || peak < before+size || peak > before+2*size {
		t.Errorf("peak of %d bytes after %d and %d more, error %v", peak, before, size, err)
	}
	touched = nil
}
