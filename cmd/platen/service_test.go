package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// A supervisor learns a node's life: ready once /readyz says so, alive, reloading and ready again, stopping. A changed setting that needs a restart
// is named.
func TestSupervised(t *testing.T) {
	testkit.Long(t)
	socket := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	states := make(chan string, 1000)
	go func() {
		defer close(states)
		for b := make([]byte, 4096); ; {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			states <- string(b[:n])
		}
	}()
	await := func(what string) {
		t.Helper()
		for !strings.Contains(testkit.Receive(t, states, what), what) {
		}
	}
	config := filepath.Join(t.TempDir(), "platen.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("drain_seconds = 3\n")
	m := newMachine(t, "--config", config)
	m.env = []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=3000000"}
	p := m.start(t)
	await("READY=1")
	await("WATCHDOG=1")
	write("drain_seconds = 3\nreserve_mb = 7\n[browser]\nslots = 2\n")
	hangUp(t, p)
	await("RELOADING=1")
	await("READY=1")
	if line := p.await(t, "need a restart"); !strings.Contains(line, "[browser.slots reserve_mb]") {
		t.Errorf("the node wrote %s", line)
	}
	write("listen = 1\n")
	hangUp(t, p)
	p.await(t, "the configuration cannot be used")
	await("RELOADING=1")
	await("READY=1")
	if got := readiness(p.address); got != 200 {
		t.Errorf("after reloads /readyz answers %d", got)
	}
	p.stop(t)
	await("STOPPING=1\nEXTEND_TIMEOUT_USEC=18000000")
}

// A node outlives the reader of its log: it continues, and finishes what is in progress when it is told to stop.
func TestLogWithoutReader(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m, left := newMachine(t), make(chan struct{})
	var log *os.File
	m.begin = func(cmd *exec.Cmd) error {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		defer write.Close()
		log = read
		seen := cmd.Stderr
		cmd.Stdout, cmd.Stderr = write, write
		go func() {
			defer close(left)
			_, _ = io.Copy(seen, read) // until the reader leaves
		}()
		return cmd.Start()
	}
	p := m.start(t)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	<-left
	hangUp(t, p) // it logs that
	if readiness(p.address) == 0 {
		t.Error("without a reader of the log, /readyz does not answer")
	}
	p.stop(t) // it logs that, too
}

func hangUp(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}
