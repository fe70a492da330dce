package kafka

import (
	"context"
	"time"
)

// SoonConfirmed has a topic count as deleted soon after the first look.
func SoonConfirmed(c Config) Config {
	c.confirmInterval = time.Millisecond
	return c
}

// FindDeleted returns those of some topics that count as deleted.
func FindDeleted(ctx context.Context, l *Log, names ...string) []string {
	return l.findDeleted(ctx, names)
}
