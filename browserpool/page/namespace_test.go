package page

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// This file builds a machine with a network of its own, and a world around it.
//
//	machine: lo, veth0 11.0.0.2 and 2a00:11::2; what is tested runs here
//	world:   veth1; has every address there is
//
// The machine is this test binary, started again in new namespaces. The world is the
// namespace of one of its threads, whose sockets the whole process can use.

const inMachine = "PLATEN_TEST_MACHINE"

// ranInOwnNamespaces runs the test in a machine of its own and returns true. It returns false if the test already runs in one.
func ranInOwnNamespaces(t *testing.T) bool {
	if os.Getenv(inMachine) != "" {
		return false
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=4m")
	cmd.Env = append(os.Environ(), inMachine+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the child dies with the thread that started it
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("NOT TESTED: what leaves the browser is not watched, because making network namespaces needs root")
	}
	t.Logf("in its own namespaces:\n%s", out)
	if err != nil {
		t.Error(err)
	}
	return true
}

// ip runs the tool in the namespace of the calling thread.
func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %v: %v: %s", args, err, out)
	}
}

// world is a thread in a network namespace of its own.
type world struct {
	work chan func()
	tid  int
}

// newWorld connects this machine with a world.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{work: make(chan func())}
	born := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		w.tid = unix.Gettid()
		born <- unix.Unshare(unix.CLONE_NEWNET)
		for work := range w.work {
			work()
		}
	}()
	if err := <-born; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(w.work) })

	// The proxies listen on these ports; all other listeners here are below them.
	write(t, "/proc/sys/net/ipv4/ip_local_port_range", "40000 60000")
	ip(t, "link", "set", "lo", "up")
	ip(t, "link", "add", "veth0", "type", "veth", "peer", "name", "veth1", "netns", strconv.Itoa(w.tid))
	connect(t, "veth0", "11.0.0.2/24", "2a00:11::2/64")
	w.run(func() {
		ip(t, "link", "set", "lo", "up")
		connect(t, "veth1", "11.0.0.1/24", "2a00:11::1/64")
		ip(t, "route", "add", "local", "0.0.0.0/0", "dev", "lo", "table", "main")
		ip(t, "-6", "route", "add", "local", "::/0", "dev", "lo", "table", "main")
	})
	ip(t, "route", "add", "default", "via", "11.0.0.1")
	ip(t, "-6", "route", "add", "default", "via", "2a00:11::1")
	return w
}

func connect(t *testing.T, link, v4, v6 string) {
	t.Helper()
	ip(t, "addr", "add", v4, "dev", link)
	ip(t, "addr", "add", v6, "dev", link, "nodad")
	ip(t, "link", "set", link, "up")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run does work in the world.
func (w *world) run(work func()) {
	done := make(chan struct{})
	w.work <- func() { defer close(done); work() }
	<-done
}

// listen listens in the world on a port of every address.
func (w *world) listen(t *testing.T, port int) (listener net.Listener) {
	t.Helper()
	var err error
	w.run(func() { listener, err = net.Listen("tcp", fmt.Sprintf(":%d", port)) })
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// breakNameServer gives this machine a name server that does not answer: only the proxies,
// which have a resolver of their own, find names.
func breakNameServer(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resolv.conf")
	write(t, path, "nameserver 12.0.0.54\n")
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(path, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount("/etc/resolv.conf", unix.MNT_DETACH) })
}
