package main

import (
	"context"
	"log/slog"
	"os"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/supervisor"
)

// unit is a node as its supervisor sees it.
type unit struct {
	supervisor supervisor.Supervisor
	cfg        node.Config
	reread     func() (node.Config, error)
	logger     *slog.Logger
}

// run keeps the supervisor informed of a node until ctx ends or the node cannot go on, which is the error, and
// reloads whenever hangup says so. Then the node is to be closed.
func (s unit) run(ctx context.Context, n *node.Node, hangup <-chan os.Signal) (err error) {
	watched, unwatch := context.WithCancel(context.Background())
	go s.supervisor.Watch(watched, n.Ready, s.log) // not waited for: it may be what hangs
	defer func() {
		unwatch()
		s.log(s.supervisor.Stopping(s.cfg.StopLimit()))
	}()
	for {
		select {
		case <-hangup:
			s.reload(n)
		case <-ctx.Done():
			s.logger.Info("stopping: finishing what is under way", "limit_seconds", s.cfg.DrainSeconds)
			return nil
		case err = <-n.Failed():
			s.logger.Error("stopping: the node cannot go on", "error", err)
			return err
		}
	}
}

// reload reads the certificates again, and says which other settings have changed: those need a restart.
func (s unit) reload(n *node.Node) {
	told := n.Ready() == nil // one that is not ready yet must not say so at the end of a reload
	if told {
		s.log(s.supervisor.Reloading())
	}
	n.Reload()
	if now, err := s.reread(); err != nil {
		s.logger.Error("the configuration cannot be used; the node would not start with it", "error", err)
	} else if names := s.cfg.Changed(now); len(names) > 0 {
		s.logger.Warn("settings have changed that need a restart", "settings", names)
	}
	if told {
		s.log(s.supervisor.Ready())
	}
}

// log notes that the supervisor cannot be reached. The node goes on.
func (s unit) log(err error) {
	if err != nil {
		s.logger.Error("the supervisor cannot be told", "error", err)
	}
}
