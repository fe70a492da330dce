package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog/kafka/access"
)

// Members returns the Config.ClientID of every member that the brokers believe alive in a consumer
// group. A member that dies stays in the list until its session times out.
func (l *Log) Members(ctx context.Context, group string) (names []string, err error) {
	described, err := l.admin.DescribeGroups(ctx, group)
	if err == nil {
		err = described.Error()
	}
	if err != nil {
		err = l.config.Access.ExplainLack(err, access.OnGroup(kmsg.ACLOperationDescribe, group))
		return nil, fmt.Errorf("members of group %s: %w", group, l.orClosed(err))
	}
	for _, m := range described[group].Members {
		names = append(names, m.ClientID)
	}
	return names, nil
}
