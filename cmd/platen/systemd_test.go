package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events/testkit"
)

// notified makes the socket of systemd, and names it in the environment.
func notified(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	return c
}

// told reads the next state sent to systemd.
func told(t *testing.T, c *net.UnixConn) string {
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

// loggedTo is a unit of no node in particular.
func loggedTo(out io.Writer) unit { return unit{logger: slog.New(slog.NewTextHandler(out, nil))} }

// The watchdog is fed while the process answers, well or not; READY is sent once, when it is well. Abstract sockets work, too.
func TestWatch(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), "@platen-test-" + strconv.Itoa(os.Getpid())} {
		c, out := notified(t, name), nodetest.NewOutput()
		t.Setenv("WATCHDOG_USEC", "3000")
		t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
		answers, ended := make(chan error), make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(ended)
			loggedTo(out).watch(ctx, func() error {
				select {
				case err := <-answers:
					return err
				case <-ctx.Done():
					return nil
				}
			})
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
			if got := told(t, c); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		}
		stop()
		testkit.Receive(t, ended, "the watch ends")
		if out.Text() != "" {
			t.Errorf("it logs %s", out.Text())
		}
	}
}

// A process that hangs does not feed the watchdog.
func TestHang(t *testing.T) {
	c := notified(t, filepath.Join(t.TempDir(), "notify"))
	ctx, stop := context.WithCancel(t.Context())
	s := loggedTo(io.Discard)
	hangs, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.watch(ctx, func() error { close(hangs); <-ctx.Done(); return errors.New("the end") })
	}()
	testkit.Receive(t, hangs, "the watch asks")
	if sent, _ := s.tell("RELOADING=1"); !sent { // had the watchdog been fed, that would have arrived before
		t.Fatal("it was not sent")
	}
	if got := told(t, c); got != "RELOADING=1" {
		t.Errorf("got %q of a process that hangs", got)
	}
	stop()
	testkit.Receive(t, ended, "the watch ends")
}

// While nobody listens, READY remains to be sent.
func TestWatchContinues(t *testing.T) {
	path, out := filepath.Join(t.TempDir(), "notify"), nodetest.NewOutput()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "3000")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		loggedTo(out).watch(ctx, func() error { return nil })
	}()
	testkit.Eventually(t, "nobody listens", func() bool { return strings.Contains(out.Text(), "systemd cannot be told") })
	c := notified(t, path)
	if got := told(t, c); !strings.Contains(got, "READY=1") {
		t.Errorf("the first that arrives is %q", got)
	}
	stop()
	testkit.Receive(t, ended, "the watch ends")
}

// The watchdog of another process is not ours, and a value that is not a number counts as none.
func TestNoWatchdog(t *testing.T) {
	for _, tc := range []struct {
		usec, pid string
		logged    bool
	}{{"3000", "1", false}, {"0", "", true}, {"-1", "", true}, {"soon", "", true}, {"", "", false}} {
		t.Setenv("WATCHDOG_USEC", tc.usec)
		t.Setenv("WATCHDOG_PID", tc.pid)
		var out strings.Builder
		if pause := loggedTo(&out).pause(); pause != look || (out.Len() > 0) != tc.logged {
			t.Errorf("%+v: the pause is %s, logged %q", tc, pause, &out)
		}
	}
}

// Without systemd nothing is sent, and nothing is watched.
func TestNotSupervised(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	var out strings.Builder
	loggedTo(&out).watch(t.Context(), func() error { return nil })
	if sent, supervised := loggedTo(&out).tell("READY=1"); sent || supervised || out.Len() > 0 {
		t.Errorf("sent: %t, supervised: %t, logged %q", sent, supervised, &out)
	}
}
