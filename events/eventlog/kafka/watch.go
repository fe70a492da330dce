package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"platen.dev/events/eventlog"
)

// An operator may change, delete or create topics at any time, and a node that does not notice would say that it is ready and serve nobody.

// recreatedError says that a topic is another one than that which the log has opened.
type recreatedError struct{ topic string }

func (e recreatedError) Error() string {
	return fmt.Sprintf("topic %s was created again, without its records, while this node was running: restart the node, which then halts the partitions", e.topic)
}

// deletedError says that a topic which the log has opened is gone.
type deletedError struct{ topic, then string }

func (e deletedError) Error() string {
	return fmt.Sprintf("topic %s was deleted while this node was running: %s", e.topic, e.then)
}

// doubt has the topics looked at soon if an error means that a broker does not know one.
func (l *Log) doubt(err error) {
	if !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.UnknownTopicID) {
		return
	}
	select {
	case l.doubts <- struct{}{}:
	default:
	}
}

// watchTopics looks at the topics periodically, and in doubt, until the log is closed.
func (l *Log) watchTopics() {
	for eventlog.Pause(l.ctx, l.config.leastPause()) && l.awaitLook() {
		l.lookAtTopics()
	}
}

// leastPause is the pause between two looks even in doubt, which comes with every failed append.
func (c Config) leastPause() time.Duration { return min(c.confirmInterval, c.CheckInterval) }

// awaitLook waits until it is time to look, and reports false if the log is closed. A deleted topic is looked for at once: nothing else would notice that
// the brokers know it again.
func (l *Log) awaitLook() bool {
	var deleted deletedError
	if errors.As(l.Health(), &deleted) {
		return true
	}
	timer := time.NewTimer(l.config.CheckInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.doubts:
	case <-l.ctx.Done():
		return false
	}
	return true
}

// lookAtTopics stores what is wrong with the topics. A failed check changes nothing: unreachable brokers are noticed elsewhere.
func (l *Log) lookAtTopics() {
	names := slices.Sorted(maps.Keys(l.config.Topics))
	var wrong []error
	deleted := l.findDeleted(l.ctx, names)
	for _, name := range deleted {
		wrong = append(wrong, deletedError{name, l.config.Topics[name].Deleted})
	}
	_, err := l.checkSettings(l.ctx, slices.DeleteFunc(names, func(name string) bool { return slices.Contains(deleted, name) }))
	var setting settingError
	var other recreatedError
	if errors.As(err, &setting) || errors.As(err, &other) {
		wrong = append(wrong, err)
	}
	if err == nil || len(wrong) > 0 {
		l.setHealth(errors.Join(wrong...))
	}
	l.noteAdded(l.ctx)
}

// noteAdded logs that partitions were added to a topic. That does no harm until a node starts, so this one stays ready.
func (l *Log) noteAdded(ctx context.Context) {
	found, err := l.metadata(ctx, slices.Sorted(maps.Keys(l.config.Topics)))
	if err != nil {
		return
	}
	if err := l.checkCounts(found); err != nil && l.added.Is(err.Error(), time.Now(), warnAgain) {
		l.logger.Error("kafka: partitions were added to a topic: this node leaves them alone, and none can be started", "error", err)
	}
}

// findDeleted returns the topics that no broker knows, at two looks: one that has just started may not have heard of them yet.
func (l *Log) findDeleted(ctx context.Context, names []string) []string {
	unknown := l.unknown(ctx, names)
	if len(unknown) == 0 || !eventlog.Pause(ctx, l.config.leastPause()) {
		return nil
	}
	return l.unknown(ctx, unknown)
}

// unknown returns those topics that no broker knows which answers.
func (l *Log) unknown(ctx context.Context, names []string) []string {
	names = slices.Clone(names)
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	brokers, err := l.admin.BrokerMetadata(ctx)
	if err != nil {
		return nil
	}
	answered := false
	for _, b := range brokers.Brokers {
		response, err := metadataRequest(names).RequestWith(ctx, l.client.Broker(int(b.NodeID)))
		if err != nil {
			continue
		}
		answered = true
		for _, t := range response.Topics {
			if t.Topic != nil && t.ErrorCode != kerr.UnknownTopicOrPartition.Code {
				names = slices.DeleteFunc(names, func(name string) bool { return name == *t.Topic })
			}
		}
	}
	if !answered {
		return nil
	}
	return names
}

// lookTimeout bounds asking all brokers whether they know the topics.
const lookTimeout = 10 * time.Second

// setHealth stores and logs a change of health.
func (l *Log) setHealth(err error) {
	before := l.Health()
	l.danger.Store(&err)
	switch {
	case err == nil && before != nil:
		l.logger.Info("kafka: all topics are as they must be again")
	case err != nil && (before == nil || before.Error() != err.Error()):
		l.logger.Error("kafka: a topic is not as it must be, and records may be lost; this node is not ready", "error", err)
	}
}
