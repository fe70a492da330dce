package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Examined is the result of examining a cluster.
type Examined struct {
	// Brokers is the number of brokers.
	Brokers int
	// Missing are the topics that Open would create.
	Missing []string
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
	l := &Log{config: c, logger: c.Logger, producer: client, admin: kadm.NewClient(client)}
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
	return l.checkSettings(ctx, there)
}
