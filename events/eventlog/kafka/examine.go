package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog/kafka/access"
)

// Examined is the result of examining a cluster.
type Examined struct {
	// Brokers is the number of brokers.
	Brokers int
	// Missing are the topics that Open would create.
	Missing []string
	// Unallowed are rights that Open does without, and a node misses later.
	Unallowed []string
	// Undisclosed are topics whose settings the brokers do not show.
	Undisclosed []string
}

// Examine returns the error that Open would, and changes nothing: topics that do not exist are only listed.
func Examine(ctx context.Context, c Config) (found Examined, err error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return found, err
	}
	if err := c.enter(ctx); err != nil {
		return found, fmt.Errorf("open kafka log: %w", err)
	}
	client, err := c.client()
	if err != nil {
		return found, fmt.Errorf("open kafka log: %w", err)
	}
	defer client.Close()
	l := &Log{config: c, logger: slog.New(slog.DiscardHandler), client: client, admin: kadm.NewClient(client)}
	if err := l.examine(ctx, &found); err != nil {
		return found, fmt.Errorf("open kafka log: %w", c.Access.Explain(err))
	}
	return found, nil
}

func (l *Log) examine(ctx context.Context, found *Examined) error {
	brokers, err := l.admin.BrokerMetadata(ctx)
	if err != nil {
		return err
	}
	found.Brokers = len(brokers.Brokers)
	if err := l.checkSessionTimeout(ctx); err != nil {
		return err
	}
	var there []string
	names := slices.Sorted(maps.Keys(l.config.Topics))
	metadata, err := l.metadata(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if errors.Is(kerr.ErrorForCode(metadata[name].ErrorCode), kerr.UnknownTopicOrPartition) {
			found.Missing = append(found.Missing, name)
		} else {
			there = append(there, name)
		}
	}
	if err := l.awaitLeaders(ctx, there); err != nil {
		return err
	}
	if err := l.checkRights(ctx, there, kmsg.ACLOperationRead, kmsg.ACLOperationWrite); err != nil {
		return err
	}
	if err := l.mayCreate(ctx, found.Missing); err != nil {
		return err
	}
	if found.Unallowed, err = l.unallowed(ctx, there); err != nil {
		return err
	}
	found.Undisclosed, err = l.checkSettings(ctx, there)
	return err
}

// mayCreate returns an error if the brokers would not let topics be created. Other obstacles show elsewhere.
func (l *Log) mayCreate(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	checked, err := l.admin.ValidateCreateTopics(ctx, l.config.Partitions, l.config.ReplicationFactor, nil, names...)
	if err == nil {
		err = checked.Error()
	}
	if err = l.explain(err, kmsg.ACLOperationCreate, names...); l.isRefused(err) {
		return err
	}
	return nil
}

// unallowed returns the missing rights to trim, and to join the groups.
func (l *Log) unallowed(ctx context.Context, names []string) (all []string, err error) {
	missing, err := l.missingRights(ctx, names, kmsg.ACLOperationDelete)
	for _, group := range l.config.Groups {
		may, groupErr := l.mayJoin(ctx, group)
		if groupErr == nil && !may {
			missing = append(missing, access.OnGroup(kmsg.ACLOperationRead, group))
		}
		err = errors.Join(err, groupErr)
	}
	for _, right := range missing {
		all = append(all, right.String())
	}
	return all, err
}
