package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"platen.dev/cmd/platen/backup"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// stopPatience is how long a node with little to do may take to stop.
const stopPatience = 15 * time.Second

// machine is what the processes of a node share: its directories and its flags.
type machine struct {
	data string
	temp string // the system's directory of temporary files
	args []string
	env  []string
	// begin starts a node's process; nil means exec.Cmd.Start.
	begin func(*exec.Cmd) error
	// log gets a copy of what nodes write, if it is not nil.
	log io.Writer
	// binary is the platen that runs; empty means this one.
	binary string
}

func newMachine(t *testing.T, args ...string) *machine {
	return &machine{data: t.TempDir(), temp: testkit.TempDir(t), args: args}
}

// process is one run of platen in a process of its own.
type process struct {
	machine *machine
	cmd     *exec.Cmd
	out     *nodetest.Output
	address string // http://host:port, known once it listens
	exited  chan error
}

// launch starts a node and does not wait for it. It is killed when the test ends.
func (m *machine) launch(t *testing.T) *process {
	t.Helper()
	binary, err := m.binary, error(nil)
	if binary == "" {
		binary, err = os.Executable()
	}
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "--data", m.data, "--listen", "127.0.0.1:0", "--log-level", "debug"}, m.args...)
	p := &process{machine: m, cmd: exec.Command(binary, args...), out: nodetest.NewOutput(), exited: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), actAsPlaten+"=1", "TMPDIR="+m.temp), m.env...)
	output := io.Writer(p.out)
	if m.log != nil {
		output = io.MultiWriter(p.out, m.log)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = output, output, 5*time.Second
	if _, err := p.cmd.StdinPipe(); err != nil { // closed with this process: see dieWithTheTest
		t.Fatal(err)
	}
	begin := m.begin
	if begin == nil {
		begin = (*exec.Cmd).Start
	}
	if err := begin(p.cmd); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.exited <- p.cmd.Wait()
		close(p.exited)
		p.out.End()
	}()
	t.Cleanup(func() {
		p.kill()
		if _, raced := p.out.Await(context.Background(), "DATA RACE"); raced { // the output has ended
			t.Error("the node found a data race")
		}
		if t.Failed() && m.log == nil {
			t.Logf("last lines of pid %d:\n%s", p.cmd.Process.Pid, p.out.Last(25))
		}
	})
	return p
}

// start launches a node and waits until it listens.
func (m *machine) start(t *testing.T) *process {
	t.Helper()
	p := m.launch(t)
	p.awaitListening(t)
	return p
}

func (p *process) awaitListening(t *testing.T) {
	t.Helper()
	p.awaitListeningWithin(testkit.Context(t), t)
}

func (p *process) awaitListeningWithin(ctx context.Context, t *testing.T) {
	t.Helper()
	line := p.awaitWithin(ctx, t, "listens on http://")
	p.address = line[strings.Index(line, "http://"):]
}

// await waits for a line of the node's output.
func (p *process) await(t *testing.T, text string) string {
	t.Helper()
	return p.awaitWithin(testkit.Context(t), t, text)
}

func (p *process) awaitWithin(ctx context.Context, t *testing.T, text string) string {
	t.Helper()
	line, ok := p.out.Await(ctx, text)
	if !ok {
		t.Fatalf("the node never wrote %q; its last lines:\n%s", text, p.out.Last(25))
	}
	return line
}

// kill ends the process with SIGKILL and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.exited
}

// stop ends the process with SIGTERM, which must succeed.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.awaitStopped(t)
}

func (p *process) awaitStopped(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.exited:
		if err != nil {
			t.Fatalf("the node ended with %v; its last lines:\n%s", err, p.out.Last(25))
		}
	case <-time.After(stopPatience):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it writes its stacks
		<-p.exited
		t.Fatalf("the node does not stop; its last lines:\n%s", p.out.Last(5000))
	}
}

// devKey is the demo key of a plan.
func (m *machine) devKey(t *testing.T, plan events.Plan) string {
	t.Helper()
	b, err := os.ReadFile(node.DevKeysPath(m.data))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[events.Plan]string{}
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	return keys[plan]
}

// admin runs `platen admin` against the node and must succeed.
func (m *machine) admin(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if err := run(append(append([]string{"admin"}, args...), "--data", m.data), &out, &errs); err != nil {
		t.Fatalf("admin %q: %v\n%s\n%s", args, err, &errs, &out)
	}
	return out.String()
}

// work is the directory of what is of use to one process only, such as browser profiles.
func (m *machine) work() string { return filepath.Join(m.data, "work") }

// browsers lists the processes whose browser profile is in the machine's directory.
func (m *machine) browsers() (pids []string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), "--user-data-dir="+m.browserDir()) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// browserDir is where the browsers' profiles are: those of root's node belong to another user, who
// cannot reach the data directory.
func (m *machine) browserDir() string {
	if os.Geteuid() == 0 {
		return m.temp
	}
	return m.work()
}

// storedFiles lists the results in a store's directory; snapshots are in a directory among those of
// results, whose names are two hexadecimal digits.
func storedFiles(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "[0-9a-f][0-9a-f]", "*"))
	return slices.DeleteFunc(found, func(path string) bool { return filepath.Base(path) == backup.Claim })
}

// profiles counts the browser profile directories.
func (m *machine) profiles() int {
	found, _ := filepath.Glob(filepath.Join(m.browserDir(), "platen-browser-*"))
	return len(found)
}

// awaitNoBrowsers waits until no browser of the machine is left. The kernel ends them
// with their node, but takes a moment.
func (m *machine) awaitNoBrowsers(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "the browsers of a killed node are gone", func() bool { return len(m.browsers()) == 0 })
}
