package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/limit"
)

// checkInterval is how often a node checks whether it may own partitions; logEvery is after how
// many checks it logs again that it may not.
const (
	checkInterval = time.Second
	logEvery      = 60
)

// membership keeps this node in the group that assigns partitions while it may own some.
type membership struct {
	cfg   Config
	owner eventlog.Owner
	in    eventlog.Membership // nil while the node is not in the group
	// out is that the node could not enter the group.
	out limit.News
	// reason is why the node may own nothing, checks for how many checks in a row.
	reason error
	checks int
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// join enters the group, at once if the node may own partitions.
func join(cfg Config, owner eventlog.Owner) (*membership, error) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &membership{cfg: cfg, owner: owner, cancel: cancel}
	if err := m.check(); err != nil {
		cancel()
		return nil, err
	}
	if cfg.MayOwn != nil {
		m.ended.Go(func() { m.run(ctx) })
	}
	return m, nil
}

func (m *membership) run(ctx context.Context) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := m.check(); err != nil && !m.triesAgain(err) {
			m.cfg.Failed(err)
			return
		}
	}
}

// triesAgain reports whether an error is one of entering the group that the next check may not meet, and says so: the options of a client were good before,
// but a file of a certificate may be about to be replaced.
func (m *membership) triesAgain(err error) bool {
	if !errors.Is(err, errOut) || errors.Is(err, eventlog.ErrClosed) {
		return false
	}
	if m.out.Is(err.Error(), time.Now(), logEvery*checkInterval) {
		m.cfg.Logger.Error("this node owns no partitions, retrying", "error", err)
	}
	return true
}

// errOut means that the node could not enter the group.
var errOut = errors.New("the group cannot be entered")

// check enters or leaves the group when the node's permission to own changes.
func (m *membership) check() (err error) {
	var reason error
	if m.cfg.MayOwn != nil {
		reason = m.cfg.MayOwn(m.in != nil)
	}
	m.log(reason)
	switch {
	case reason == nil && m.in == nil:
		if m.in, err = m.cfg.Log.Own(Group, events.TopicCommands, m.owner); err != nil {
			m.in, err = nil, fmt.Errorf("%w: %w", errOut, err)
		}
	case reason != nil && m.in != nil:
		err, m.in = m.in.Close(), nil
	}
	return err
}

// log reports why the node may own nothing: at once when the reason changes, then once a minute. At
// the start this is not yet an error: the clocks have not been compared.
func (m *membership) log(reason error) {
	cause := reason
	for errors.Unwrap(cause) != nil {
		cause = errors.Unwrap(cause)
	}
	starting := m.in == nil && m.reason == nil
	if !errors.Is(cause, m.reason) {
		m.reason, m.checks = cause, 0
	}
	if cause != nil && m.checks%logEvery == 0 {
		level := slog.LevelError
		if starting {
			level = slog.LevelInfo
		}
		m.cfg.Logger.Log(context.Background(), level, "this node owns no partitions", "reason", reason)
	}
	m.checks++
}

// close leaves the group for good.
func (m *membership) close() error {
	m.cancel()
	m.ended.Wait()
	if m.in == nil {
		return nil
	}
	return m.in.Close()
}
