package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// smallDisk mounts a file system of a few MiB. It skips the test where that is not allowed.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("platen-test", dir, "tmpfs", 0, "size="+size)
	if errors.Is(err, unix.EPERM) {
		t.Skip("SKIPPED: mounting a small file system needs root")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the room that a disk has left. free gives it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// TestFullDisk lets the disk of a node fill up. The node ends with status 1 and one line that
// says why, and so does the next one while the disk is full. With room again, its next run has every job that was accepted.
func TestFullDisk(t *testing.T) {
	testkit.Long(t)
	m := newMachine(t, "--dev", "--files", t.TempDir())
	m.data = smallDisk(t, "96m")
	p := m.start(t)
	key := client{m.devKey(t, events.PlanBusiness)}
	accepted := []events.JobID{mustSubmit(t, key, p.address)}
	fill(t, m.data)
	for n := range 200 {
		body := map[string]string{"html": fmt.Sprintf("<h1>Job %d</h1><!--%s-->%s", n, strings.Repeat("x", 1000), strings.Repeat("<p>text</p>", 10_000))}
		id, status, err := key.post(p.address+"/html-to-pdf", body)
		if err != nil || status == 503 {
			break
		}
		if status == 202 {
			accepted = append(accepted, id)
		}
	}
	for range 1000 { // jobs may be refused for lack of room before the log is out of it
		if run([]string{"admin", "account", "create", "--plan", "free", "--data", m.data}, io.Discard, io.Discard) != nil {
			break
		}
	}
	endsFull(t, p)
	free := fill(t, m.data) // again, as the end of the node has left some room
	endsFull(t, m.launch(t))
	t.Logf("%d jobs were accepted", len(accepted))
	free()
	p = m.start(t)
	for _, id := range accepted {
		awaitFile(t, key, p.address, id)
	}
	p.stop(t)
}

// endsFull waits until a node ends because its disk is full.
func endsFull(t *testing.T, p *process) {
	t.Helper()
	said := p.awaitFailure(t)
	if !strings.Contains(said, "no space left on device") || !strings.Contains("\n"+said, "\nplaten: ") {
		t.Errorf("the node does not say why it ended")
	}
	if strings.Contains(said, "goroutine ") {
		t.Error("the node wrote its stacks")
	}
}
