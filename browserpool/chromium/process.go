package chromium

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// closeGrace is how long a browser may take to exit by itself before it is killed.
const closeGrace = 3 * time.Second

// Options say how to run a browser.
type Options struct {
	// Path of the binary; empty means to look for it.
	Path string
	// Proxy is the URL of the proxy for all traffic, such as egress.Proxy.URL; empty means that no host can be reached.
	Proxy string
	// UserAgent is sent with every request; empty means that of a windowed browser of the same version.
	UserAgent string
	// NoSandbox switches Chromium's own sandbox off.
	NoSandbox bool
	// User is the user as whom the browser of a root process runs; empty means nobody. Other processes cannot choose.
	User string
	// AsRoot keeps the browser of a root process running as root, without a sandbox.
	AsRoot bool
	// TempDir is the parent of the profile directory; empty means the system's, which also replaces a directory that User cannot reach.
	TempDir string
	// MaxData bounds what each process of the browser may allocate, in bytes; one that
	// asks for more crashes. 0 means no bound.
	MaxData int64
	// Niceness is the scheduling priority of the browser and its helpers, 0 to 19 as in nice(1).
	Niceness int
	// Apart starts the browser in a session of its own, of that priority: where Linux schedules by sessions (autogroup,
	// sched(7)), all of the browser's threads together get no more of the processors than one other session, and they give
	// way to any thread that wakes up. Otherwise its threads compete with the node's, each by its own priority.
	Apart bool
	// Plain leaves out the flags that only make the browser faster, for comparisons.
	Plain bool
	// Logger receives the browser's exit, at debug level; nil discards.
	Logger *slog.Logger
}

// Process is a running browser with its pipe. It leads a session of its own, dies with
// this process, and leaves neither zombies nor its profile directory behind.
type Process struct {
	// Pipe talks to the browser; it has one reader.
	Pipe *Pipe

	pid     int
	profile string
	stderr  *lastOutput
	exited  chan struct{}
	state   string // how it ended; set before exited is closed
	maxData int64
	nice    int
	apart   bool                // in a session of its own
	as      *syscall.Credential // nil means as this process
	opening sync.Mutex          // held while opening a page whose renderer must be identified
	taken   map[int]bool        // renderers of pages that were opened; guarded by opening
	logger  *slog.Logger
}

// Launch starts a browser and returns once the process runs. Only the answer to a first call shows whether it works.
func Launch(o Options) (*Process, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	as, err := o.owner()
	if err != nil {
		return nil, err
	}
	profile, err := makeProfile(o.TempDir, as)
	if err != nil {
		return nil, err
	}
	p := &Process{
		profile: profile, stderr: &lastOutput{}, exited: make(chan struct{}), taken: map[int]bool{},
		maxData: o.MaxData, nice: o.Niceness, apart: o.Apart, as: as, logger: o.Logger,
	}
	if p.logger == nil {
		p.logger = slog.New(slog.DiscardHandler)
	}
	if o.UserAgent == "" {
		o.UserAgent = agentOf(path, versionTime)
	}
	if err := p.run(path, flags(o, profile)); err != nil {
		removeProfile(profile)
		return nil, fmt.Errorf("start browser: %w", err)
	}
	return p, nil
}

// run starts the process from a thread of its own and returns once it runs.
func (p *Process) run(path string, args []string) error {
	pipe, childIn, childOut, err := newPipe()
	if err != nil {
		return err
	}
	p.Pipe = pipe
	started := make(chan error)
	go p.own(p.command(path, args, childIn, childOut), started)
	err = <-started
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		pipe.close()
	}
	return err
}

func (p *Process) command(path string, args []string, childIn, childOut *os.File) *exec.Cmd {
	if p.as != nil && p.maxData > 0 {
		// Root without the capability cannot limit other processes, so the process limits itself.
		path, args = "prlimit", append([]string{fmt.Sprintf("--data=%d", p.maxData), "--", path}, args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = environment(p.profile)
	cmd.Stderr = p.stderr
	cmd.ExtraFiles = []*os.File{childIn, childOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: p.apart, Setpgid: !p.apart, Pdeathsig: syscall.SIGKILL, Credential: p.as}
	// Helpers that outlive the browser hold its stderr open; do not wait for them.
	cmd.WaitDelay = time.Second
	return cmd
}

// own starts the browser, waits for its end and clears up after it. The thread stays
// locked because Pdeathsig fires when the starting thread ends, not the process. It is
// never unlocked and so ends with the goroutine: its niceness, which the browser inherits,
// must not apply to other goroutines. Orphans of the group become our children, because
// pid 1 of a container may not reap them.
func (p *Process) own(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	if p.apart {
		giveWay(0, p.nice, apartTurns)
	} else {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, p.nice)
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.pid = cmd.Process.Pid
	if p.apart {
		go p.setSessionPriority(p.nice)
	}
	p.boundMemory()
	started <- nil
	err := cmd.Wait()
	p.Kill()
	reap(p.pid)
	removeProfile(p.profile)
	p.state = cmd.ProcessState.String()
	p.logger.Debug("browser exited", "pid", p.pid, "state", p.state, "error", err, "stderr", p.stderr.String())
	close(p.exited)
}

// boundMemory sets the limit of data, which the browser's helpers inherit. Address space
// cannot be limited: script engines reserve far more than they use.
func (p *Process) boundMemory() {
	if p.maxData <= 0 || p.as != nil {
		return
	}
	limit := unix.Rlimit{Cur: uint64(p.maxData), Max: uint64(p.maxData)}
	if err := unix.Prlimit(p.pid, unix.RLIMIT_DATA, &limit, nil); err != nil {
		p.logger.Warn("browser memory not bounded", "pid", p.pid, "error", err)
	}
}

// reap waits for every child of ours that is in the process group.
func reap(group int) {
	for {
		_, err := unix.Wait4(-group, nil, 0, nil)
		if err != nil && err != unix.EINTR {
			return
		}
	}
}

// PID is the browser's process id, and the id of its process group; of its session, too, if it is apart.
func (p *Process) PID() int { return p.pid }

// Exited is closed once the browser and all its helpers are gone, reaped, and the profile is removed.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stderr returns the last few KiB that the browser wrote to its standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// lastWords returns what the browser said before it failed or, if it said nothing, how it ended. gone says that it ended by itself, before it was killed.
func (p *Process) lastWords(gone bool) string {
	said := p.Stderr()
	switch {
	case !gone:
		return strings.TrimSuffix("it did not answer, and was killed: "+said, ": ")
	case said != "":
		return said
	}
	return "it exited silently (" + p.state + "): the kernel's log may say why (journalctl -k), as for a lack of memory"
}

// Kill ends the browser and its helpers at once; it does not wait.
func (p *Process) Kill() {
	select {
	case <-p.exited: // another process may have the id by now
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// Close closes our end of the pipes, which makes the browser exit by itself, and kills it
// if it has not exited after 3 s or when ctx ends. It returns once Exited is closed.
func (p *Process) Close(ctx context.Context) {
	p.Pipe.close()
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.Kill()
		<-p.exited
	}
}

// environment returns the variables that the browser needs for fonts and time, and no
// others, which may hold secrets.
func environment(profile string) []string {
	env := []string{"HOME=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "TMPDIR=" + profile}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// lastOutput is a writer that keeps the last lastOutputSize bytes.
type lastOutput struct {
	mu   sync.Mutex
	kept []byte // guarded by mu
}

const lastOutputSize = 4 << 10

func (o *lastOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, b...)
	if extra := len(o.kept) - lastOutputSize; extra > 0 {
		o.kept = append(o.kept[:0], o.kept[extra:]...)
	}
	return len(b), nil
}

func (o *lastOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.kept)
}
