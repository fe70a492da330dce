// Package supervisor tells the process that supervises this one, systemd, how it is, by the protocol of
// sd_notify(3): datagrams of lines NAME=VALUE to a socket that the environment names. Without that
// socket nobody asks, and nothing is sent.
package supervisor

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Supervisor is who supervises this process. The zero value is nobody.
type Supervisor struct {
	socket   string
	watchdog time.Duration // after how much silence the process is ended; 0 for never
}

// variables are those that systemd sets.
const socketVariable, watchdogVariable, pidVariable = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"

// FromEnvironment returns who supervises this process, by the environment, and takes the variables out of
// it: the browsers that the process starts are not to speak for it.
func FromEnvironment() Supervisor {
	s := Supervisor{socket: os.Getenv(socketVariable)}
	pid := os.Getenv(pidVariable)
	micros, err := strconv.ParseInt(os.Getenv(watchdogVariable), 10, 64)
	if err == nil && micros > 0 && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		s.watchdog = time.Duration(micros) * time.Microsecond
	}
	for _, name := range []string{socketVariable, watchdogVariable, pidVariable} {
		_ = os.Unsetenv(name) // it fails for names that cannot be only
	}
	return s
}

// Ready says that the process has started, or has reloaded.
func (s Supervisor) Ready() error { return s.send("READY=1") }

// Reloading says that the process reloads. Ready follows.
func (s Supervisor) Reloading() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	return s.send(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000))
}

// Stopping says that the process ends within a time. The supervisor waits so long, even if it was
// configured to wait for less.
func (s Supervisor) Stopping(within time.Duration) error {
	return s.send(fmt.Sprintf("STOPPING=1\nEXTEND_TIMEOUT_USEC=%d", within.Microseconds()))
}

// look is how often Watch looks at a process that has no watchdog, or a slow one.
const look = time.Second

// Watch calls ready until the context ends, at least twice in the time of the watchdog, and feeds the watchdog
// whenever it has returned: a process that can say how it is, is alive, even if it is not well. The
// first nil is what Ready is sent for. What cannot be sent goes to failed, and is tried again at the next look.
func (s Supervisor) Watch(ctx context.Context, ready func() error, failed func(error)) {
	if s.socket == "" {
		return
	}
	pause := look
	if s.watchdog > 0 {
		pause = min(look, s.watchdog/3)
	}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for told := false; ; {
		state, well := "WATCHDOG=1\nSTATUS=serving", ready()
		switch {
		case well != nil:
			state = "WATCHDOG=1\nSTATUS=not ready: " + firstLine(well.Error())
		case !told:
			state += "\nREADY=1"
		}
		if err := s.send(state); err != nil {
			failed(err)
		} else {
			told = told || well == nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// firstLine cuts a text where a line, and with it a state, would end.
func firstLine(text string) string {
	for i, r := range text {
		if r < ' ' {
			return text[:i]
		}
	}
	return text
}

func (s Supervisor) send(state string) error {
	if s.socket == "" {
		return nil
	}
	c, err := net.Dial("unixgram", s.socket) // a name that begins with @ is an abstract one
	if err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	return nil
}
