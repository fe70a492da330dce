package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/limit"
)

const (
	// rebalanceTimeout is how long Revoked may take before the group continues without the member.
	rebalanceTimeout = 10 * time.Second
	// leaveTimeout bounds leaving the group if its coordinator does not respond.
	leaveTimeout = 5 * time.Second
)

// members are the open memberships of a log, which Log.Close closes.
type members struct {
	mu     sync.Mutex // guards the fields below
	open   map[*member]bool
	closed bool
}

// member is one client in a consumer group. The topic is paused, so the client is
// assigned partitions without ever fetching from them.
type member struct {
	log     *Log
	topic   string
	owner   eventlog.Owner
	client  *kgo.Client
	calls   sync.Mutex // serializes the calls to owner
	leaving sync.Once
}

var _ eventlog.Membership = (*member)(nil)

// Own implements eventlog.Log. It returns at once; partitions are assigned when the
// group has rebalanced. An owner must not call Close of its membership.
func (l *Log) Own(group, topic string, owner eventlog.Owner) (eventlog.Membership, error) {
	if l.config.ReadOnly {
		return nil, eventlog.ErrReadOnly
	}
	if _, err := l.topic(topic, 0); err != nil {
		return nil, err
	}
	l.members.mu.Lock()
	defer l.members.mu.Unlock()
	if l.members.closed {
		return nil, eventlog.ErrClosed
	}
	m := &member{log: l, topic: topic, owner: owner}
	if err := m.join(group); err != nil {
		return nil, fmt.Errorf("join group %s: %w", group, err)
	}
	l.members.open[m] = true
	return m, nil
}

// join creates the client and pauses the topic before it can be assigned anything.
func (m *member) join(group string) (err error) {
	c := m.log.config
	m.calls.Lock() // so that the owner is not called before m.client is set
	defer m.calls.Unlock()
	m.client, err = c.client(
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(m.topic),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(c.SessionTimeout),
		kgo.HeartbeatInterval(c.HeartbeatInterval),
		kgo.RebalanceTimeout(rebalanceTimeout),
		kgo.OnPartitionsAssigned(m.call(m.owner.Assigned)),
		kgo.OnPartitionsRevoked(m.call(m.owner.Revoked)),
		kgo.OnPartitionsLost(m.call(m.owner.Lost)),
		kgo.WithHooks(&groupErrors{config: c, group: group}),
	)
	if err == nil {
		m.client.PauseFetchTopics(m.topic)
	}
	return err
}

// call adapts a method of the owner to franz-go's callbacks. The group also assigns partitions that somebody has added to the topic, which the log does
// not have.
func (m *member) call(method func([]int32)) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
		m.calls.Lock()
		defer m.calls.Unlock()
		changed := slices.DeleteFunc(slices.Clone(partitions[m.topic]), func(p int32) bool { return p >= m.log.config.Partitions })
		if len(changed) > 0 {
			method(changed)
		}
	}
}

// Close implements eventlog.Membership.
func (m *member) Close() error {
	m.leaving.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		if err := m.client.LeaveGroupContext(ctx); err != nil {
			m.log.logger.Warn("kafka: the group's coordinator did not confirm the leave; other members take over after the session timeout",
				"topic", m.topic, "error", err)
		}
		m.client.Close()
		m.log.members.remove(m)
	})
	return nil
}

func (ms *members) remove(m *member) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	delete(ms.open, m)
}

// close refuses new memberships and closes all open ones, in parallel.
func (ms *members) close() {
	ms.mu.Lock()
	ms.closed = true
	var leaving sync.WaitGroup
	for m := range ms.open {
		leaving.Go(func() { _ = m.Close() })
	}
	ms.mu.Unlock()
	leaving.Wait()
}

// groupErrors logs the errors that make a member lose its partitions.
type groupErrors struct {
	config Config
	group  string
	news   limit.News // the client joins again every second
}

// OnGroupManageError implements kgo.HookGroupManageError.
func (g *groupErrors) OnGroupManageError(err error) {
	if errors.Is(err, context.Canceled) {
		return // leaving
	}
	if errors.Is(err, kerr.InvalidSessionTimeout) {
		err = sessionTimeoutError(g.config.SessionTimeout)
	}
	err = g.config.Access.ExplainLack(err, access.OnGroup(kmsg.ACLOperationRead, g.group))
	if g.news.Is(err.Error(), time.Now(), warnAgain) {
		g.config.Logger.Error("kafka: membership in the group lost, joining again", "group", g.group, "error", err)
	}
}
