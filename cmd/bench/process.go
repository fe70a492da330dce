package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// process is a server under measurement.
type process struct {
	cmd  *exec.Cmd
	dir  string
	base string // http://host:port
	key  string // API key of the business account
}

// startBare starts the bare server.
func startBare() (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(func(dir string) *exec.Cmd { return exec.Command(self, bareServer, dir) })
}

// startPlaten starts a node on its embedded defaults.
func startPlaten(binary string, flags ...string) (*process, error) {
	return withKey(start(platen(binary, flags)))
}

// startPlatenWith starts a node with one extra environment variable, NAME=VALUE; "" for none.
func startPlatenWith(binary, setting string) (*process, error) {
	return withKey(start(func(dir string) *exec.Cmd {
		cmd := platen(binary, nil)(dir)
		cmd.Env = append(os.Environ(), setting)
		return cmd
	}))
}

// withKey reads the key of a node's business account.
func withKey(p *process, err error) (*process, error) {
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(p.dir, "dev-keys.json"))
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	keys := map[string]string{}
	err = json.Unmarshal(b, &keys)
	p.key = keys["business"]
	return p, err
}

func platen(binary string, flags []string) func(dir string) *exec.Cmd {
	return func(dir string) *exec.Cmd {
		return exec.Command(binary, append([]string{"serve", "--dev", "--listen", "127.0.0.1:0", "--data", dir, "--log-level", "error"}, flags...)...)
	}
}

// kill ends a process and leaves its directory.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone already
	_ = p.cmd.Wait()         // it was killed, hence an error
}

// start runs a command in a directory of its own.
func start(command func(dir string) *exec.Cmd) (*process, error) {
	dir, err := os.MkdirTemp("", "platen-bench-")
	if err != nil {
		return nil, err
	}
	return startIn(dir, command)
}

// startIn runs a command that prints its address as the last word of its first line.
func startIn(dir string, command func(dir string) *exec.Cmd) (*process, error) {
	p := &process{cmd: command(dir), dir: dir}
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) == 0 {
		return nil, errors.Join(fmt.Errorf("%s printed no address: %w", p.cmd.Path, err), p.stop())
	}
	p.base = "http://" + strings.TrimPrefix(words[len(words)-1], "http://")
	return p, nil
}

func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
	time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait() // the measurement does not depend on how it ended
	return os.RemoveAll(p.dir)
}

// browsers returns the processes that the process itself started.
func (p *process) browsers() (pids []int) {
	for pid, parent := range parents() {
		if parent == p.cmd.Process.Pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// withBrowsersStopped stops the browsers while work runs, so that rendering does not compete for
// the cores.
func (p *process) withBrowsersStopped(work func() error) error {
	pids := p.browsers()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return err
		}
	}
	defer func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been replaced meanwhile
		}
	}()
	return work()
}
