package supervisor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// listen makes the socket of a supervisor, and names it in the environment.
func listen(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv(socketVariable, name)
	return c
}

func read(t *testing.T, c *net.UnixConn) string {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(testkit.Patience)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

// What is sent is what sd_notify(3) says, on sockets in the file system and on abstract ones. What the process starts
// does not learn of the socket.
func TestStates(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), "@platen-test-" + strconv.Itoa(os.Getpid())} {
		c := listen(t, name)
		s := FromEnvironment()
		if os.Getenv(socketVariable) != "" {
			t.Error("the variable is still set")
		}
		for _, tc := range []struct {
			err  error
			want string
		}{
			{s.Ready(), "^READY=1$"},
			{s.Reloading(), "^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]+$"},
			{s.Stopping(45 * time.Second), "^STOPPING=1\nEXTEND_TIMEOUT_USEC=45000000$"},
		} {
			if got := read(t, c); tc.err != nil || !regexp.MustCompile(tc.want).MatchString(got) {
				t.Errorf("got %q, %v, want %s", got, tc.err, tc.want)
			}
		}
	}
}

// The watchdog is fed while the process answers, well or not; Ready is said once, when it is well.
func TestWatch(t *testing.T) {
	c := listen(t, filepath.Join(t.TempDir(), "notify"))
	t.Setenv(watchdogVariable, "3000")
	t.Setenv(pidVariable, strconv.Itoa(os.Getpid()))
	s := FromEnvironment()
	if s.watchdog != 3*time.Millisecond {
		t.Errorf("the watchdog waits %s", s.watchdog)
	}
	answers := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Watch(ctx, func() error {
			select {
			case err := <-answers:
				return err
			case <-ctx.Done():
				return nil
			}
		}, func(err error) { t.Error(err) })
	}()
	for _, tc := range []struct {
		answer error
		want   string
	}{
		{errors.New("no broker\nREADY=1"), "WATCHDOG=1\nSTATUS=not ready: no broker"},
		{nil, "WATCHDOG=1\nSTATUS=serving\nREADY=1"},
		{nil, "WATCHDOG=1\nSTATUS=serving"},
		{errors.New("a disk"), "WATCHDOG=1\nSTATUS=not ready: a disk"},
		{nil, "WATCHDOG=1\nSTATUS=serving"},
	} {
		answers <- tc.answer
		if got := read(t, c); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	stop()
	testkit.Receive(t, ended, "the watch ends")
}

// A process that hangs does not feed the watchdog.
func TestHang(t *testing.T) {
	c := listen(t, filepath.Join(t.TempDir(), "notify"))
	ctx, stop := context.WithCancel(t.Context())
	s := FromEnvironment()
	hangs, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.Watch(ctx, func() error { close(hangs); <-ctx.Done(); return errors.New("the end") }, func(err error) { t.Error(err) })
	}()
	testkit.Receive(t, hangs, "the watch asks")
	if err := s.Reloading(); err != nil { // had the watchdog been fed, that would have arrived before
		t.Fatal(err)
	}
	if got := read(t, c); !strings.HasPrefix(got, "RELOADING") {
		t.Errorf("got %q of a process that hangs", got)
	}
	stop()
	testkit.Receive(t, ended, "the watch ends")
}

// While nobody listens, Ready stays to be said.
func TestWatchGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	ctx, stop := context.WithCancel(t.Context())
	failures, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		Supervisor{socket: path, watchdog: time.Millisecond}.Watch(ctx, func() error { return nil }, func(err error) {
			select {
			case failures <- err:
			case <-ctx.Done():
			}
		})
	}()
	testkit.Receive(t, failures, "nobody listens")
	c := listen(t, path)
	go func() {
		for range failures { // those until it listens
		}
	}()
	if got := read(t, c); !strings.Contains(got, "READY=1") {
		t.Errorf("the first that arrives is %q", got)
	}
	stop()
	testkit.Receive(t, ended, "the watch ends")
	close(failures)
}

// The watchdog of another process is not ours, and a value that is not a number counts as none.
func TestNoWatchdog(t *testing.T) {
	for _, tc := range []struct{ usec, pid string }{{"3000", "1"}, {"0", ""}, {"-1", ""}, {"soon", ""}, {"", ""}} {
		t.Setenv(watchdogVariable, tc.usec)
		t.Setenv(pidVariable, tc.pid)
		if s := FromEnvironment(); s.watchdog != 0 {
			t.Errorf("%+v: the watchdog waits %s", tc, s.watchdog)
		}
	}
}

// Without a socket nothing is sent; with one that nobody reads there is an error.
func TestNobody(t *testing.T) {
	var nobody Supervisor
	nobody.Watch(t.Context(), nil, nil)
	if err := errors.Join(nobody.Ready(), nobody.Reloading(), nobody.Stopping(time.Second)); err != nil {
		t.Error(err)
	}
	if err := (Supervisor{socket: "/nowhere/notify"}).Ready(); err == nil {
		t.Error("a socket that does not exist was written to")
	}
}
