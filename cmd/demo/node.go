package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = 60 * time.Second // a cold browser on a slow disk
	stopLimit  = 40 * time.Second // longer than a node's own drain limit
	readyEvery = 50 * time.Millisecond
)

// node is a Platen node that the demo started.
type node struct {
	cmd    *exec.Cmd
	data   string // its data directory
	base   string // http://host:port
	key    string // API key of the business account
	stderr lastLines
	ended  chan struct{} // closed when the process is gone
}

// startNode starts a node and waits until it can serve.
func startNode(ctx context.Context, binary string, environment []string) (*node, error) {
	data, err := os.MkdirTemp("", "platen-demo-")
	if err != nil {
		return nil, err
	}
	n := &node{data: data, ended: make(chan struct{})}
	n.cmd = exec.Command(binary, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data, "--log-level", "warn",
		"--egress-allow", "127.0.0.0/8") // for the pages that the demo serves itself
	n.cmd.Env, n.cmd.Stderr = environment, &n.stderr
	// Its own process group makes Ctrl-C reach the node only through the demo; and no node outlives a
	// killed demo.
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	stdout, err := n.cmd.StdoutPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s (`make build` builds it): %w", binary, err), os.RemoveAll(data))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("the node was not ready within %v", startLimit))
	defer cancel()
	if err := n.awaitReady(ctx, stdout); err != nil {
		return nil, n.stop(err)
	}
	return n, nil
}

// awaitReady reads the address that the node prints, then polls until it is ready.
func (n *node) awaitReady(ctx context.Context, stdout io.Reader) error {
	lines := make(chan string, 1)
	go n.watch(stdout, lines)
	select {
	case line := <-lines:
		_, address, found := strings.Cut(line, "http://")
		if !found {
			return fmt.Errorf("the node printed no address but %q", line)
		}
		n.base = "http://" + strings.TrimSpace(address)
	case <-n.ended:
		return errors.New("the node ended instead of starting")
	case <-ctx.Done():
		return explain(ctx, ctx.Err())
	}
	if err := n.readKey(); err != nil {
		return err
	}
	for !n.ready(ctx) {
		if err := n.pause(ctx, readyEvery); err != nil {
			return err
		}
	}
	return nil
}

// watch passes the first line on, drops the others, and waits for the end of the process.
func (n *node) watch(stdout io.Reader, lines chan<- string) {
	r := bufio.NewReader(stdout)
	if line, err := r.ReadString('\n'); err == nil {
		lines <- line
	}
	_, _ = io.Copy(io.Discard, r) // ends with the process
	_ = n.cmd.Wait()              // ProcessState says how it ended
	close(n.ended)
}

func (n *node) readKey() error {
	b, err := os.ReadFile(filepath.Join(n.data, "dev-keys.json"))
	if err != nil {
		return err
	}
	var keys map[string]string
	if err := json.Unmarshal(b, &keys); err != nil {
		return fmt.Errorf("dev-keys.json: %w", err)
	}
	n.key = keys["business"]
	return nil
}

func (n *node) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.base+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// pause waits, unless the node or ctx ends.
func (n *node) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-n.ended:
		return errors.New("the node ended")
	case <-ctx.Done():
		return explain(ctx, ctx.Err())
	}
}

// stop ends the node, waits for its end and removes its data. It adds the node's last lines to an
// error.
func (n *node) stop(err error) error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
	select {
	case <-n.ended:
	case <-time.After(stopLimit):
		_ = n.cmd.Process.Kill()
		<-n.ended
		err = errors.Join(err, fmt.Errorf("the node did not end within %v of SIGTERM", stopLimit))
	}
	if state := n.cmd.ProcessState; err == nil && !state.Success() {
		err = fmt.Errorf("the node ended with %v", state)
	}
	if said := n.stderr.String(); err != nil && said != "" {
		err = fmt.Errorf("%w\nthe node's last lines:\n%s", err, said)
	}
	return errors.Join(err, os.RemoveAll(n.data))
}
