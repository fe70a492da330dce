package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// mobArgument is the first argument of the process that plays a bad neighbour. It has its own process and
// session, which get only leftover processor time, because a real neighbour's client runs on another machine.
const mobArgument = "bad-neighbour"

// startMob starts the named bad neighbour against a node, and the server of its pages.
func startMob(name string, p *process) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, mobArgument, name, p.base, p.key)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = in.Close() // this ends it
		_ = cmd.Wait() // how it ended does not matter
	}, nil
}

// mob plays a bad neighbour until its standard input ends.
func mob(name, base, key string) error {
	const lowest = "19"                                         // of nice(1), and of sessions (sched(7), autogroup)
	_ = os.WriteFile("/proc/self/autogroup", []byte(lowest), 0) // the file is missing where sessions are not scheduled as such
	server, err := badPages()
	if err != nil {
		return err
	}
	n := neighbourhood{platen: &process{base: base, key: key}, web: "http://" + server.Addr, large: largeBody()}
	for _, bad := range neighbours {
		if bad.name == name {
			return n.run(bad)
		}
	}
	return fmt.Errorf("no neighbour is called %q", name)
}

// run repeats the work on crowd clients.
func (n *neighbourhood) run(bad neighbour) error {
	var crowded sync.WaitGroup
	done := make(chan struct{})
	for range crowd {
		crowded.Go(func() {
			c := newClient(n.platen)
			for {
				select {
				case <-done:
					return
				default:
				}
				if bad.work(n, c) != nil { // refused: it has reached its limit
					time.Sleep(100 * time.Millisecond)
				}
			}
		})
	}
	_, err := io.Copy(io.Discard, bufio.NewReader(os.Stdin))
	close(done)
	crowded.Wait()
	return err
}
