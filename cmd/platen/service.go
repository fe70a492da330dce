package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"platen.dev/cmd/platen/node"
)

// unit is a node as systemd sees it, if systemd has started the process.
type unit struct {
	cfg    node.Config
	reread func() (node.Config, error)
	logger *slog.Logger
}

// run keeps systemd informed of a node until ctx ends or the node cannot continue, which is the error, and reloads on every hangup. The caller then
// closes the node.
func (s unit) run(ctx context.Context, n *node.Node, hangup <-chan os.Signal) (err error) {
	watched, unwatch := context.WithCancel(context.Background())
	go s.watch(watched, n.Ready) // not waited for: it may be the part that hangs
	defer func() {
		unwatch()
		// systemd waits this long, even if it is configured to wait for less.
		s.tell(fmt.Sprintf("%s\nEXTEND_TIMEOUT_USEC=%d", daemon.SdNotifyStopping, s.cfg.StopLimit().Microseconds()))
	}()
	for {
		select {
		case <-hangup:
			s.reload(n)
		case <-ctx.Done():
			s.logger.Info("stopping: finishing what is under way", "limit_seconds", s.cfg.DrainSeconds)
			return nil
		case err = <-n.Failed():
			s.logger.Error("stopping: the node cannot continue", "error", err)
			return err
		}
	}
}

// reload rereads the certificates, and reports which other settings have changed: those need a restart.
func (s unit) reload(n *node.Node) {
	told := n.Ready() == nil // a node that is not ready yet must not claim to be at the end of a reload
	if told {
		s.tell(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
	}
	n.Reload()
	if now, err := s.reread(); err != nil {
		s.logger.Error("the configuration cannot be used; the node would not start with it", "error", err)
	} else if names := s.cfg.Changed(now); len(names) > 0 {
		s.logger.Warn("settings have changed that need a restart", "settings", names)
	}
	if told {
		s.tell(daemon.SdNotifyReady)
	}
}

// watch calls ready until ctx ends, at least twice per watchdog interval, and feeds the watchdog whenever it has returned: a process that can report
// its health is alive, even if it is not well. The first nil is reported as READY. Failed messages are sent again at the next look. Without systemd,
// watch returns at once.
func (s unit) watch(ctx context.Context, ready func() error) {
	ticker := time.NewTicker(s.pause())
	defer ticker.Stop()
	for told := false; ; {
		well := ready()
		sent, supervised := s.tell(stateOf(well, told))
		if !supervised {
			return
		}
		told = told || sent && well == nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// look is how often watch checks a process without a watchdog, or with a slow one.
const look = time.Second

// pause is how long watch waits between two looks.
func (s unit) pause() time.Duration {
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		s.logger.Error("the watchdog is not fed", "error", err)
	}
	if watchdog <= 0 {
		return look
	}
	return min(look, watchdog/3)
}

// stateOf returns the state to tell systemd: that the node is well, for the first time or again, or why it is not.
func stateOf(well error, told bool) string {
	switch {
	case well != nil:
		reason, _, _ := strings.Cut(well.Error(), "\n") // the next line would be a state
		return daemon.SdNotifyWatchdog + "\nSTATUS=not ready: " + reason
	case told:
		return daemon.SdNotifyWatchdog + "\nSTATUS=serving"
	}
	return daemon.SdNotifyWatchdog + "\nSTATUS=serving\n" + daemon.SdNotifyReady
}

// tell sends a state to systemd. If that fails, the node continues.
func (s unit) tell(state string) (sent, supervised bool) {
	sent, err := daemon.SdNotify(false, state)
	if err != nil {
		s.logger.Error("systemd cannot be told", "error", err)
	}
	return sent, sent || err != nil
}
