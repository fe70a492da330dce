package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
)

// checkRights returns an error that names the operations on topics that the brokers do not allow.
func (l *Log) checkRights(ctx context.Context, names []string, operations ...kmsg.ACLOperation) error {
	missing, err := l.missingRights(ctx, names, operations...)
	if err == nil && len(missing) > 0 {
		err = l.config.Access.Lack(missing...)
	}
	return err
}

// missingRights returns those of the operations that the brokers do not allow on topics. Nothing is tried: brokers list what they allow.
func (l *Log) missingRights(ctx context.Context, names []string, operations ...kmsg.ACLOperation) (missing []access.Right, err error) {
	found, err := l.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, operation := range operations {
		without := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return access.OnTopics(operation, name).IsIn(found[name].AuthorizedOperations)
		})
		if len(without) > 0 {
			missing = append(missing, access.OnTopics(operation, without...))
		}
	}
	return missing, nil
}

// mayJoin reports whether the brokers allow joining a consumer group, which need not exist. A cluster that has had no group yet makes its coordinator
// when it is asked.
func (l *Log) mayJoin(ctx context.Context, group string) (bool, error) {
	deadline := time.Now().Add(coordinatorTimeout)
	for failures := 0; ; failures++ {
		allowed, err := l.allowedOnGroup(ctx, group)
		if err == nil {
			return access.OnGroup(kmsg.ACLOperationRead, group).IsIn(allowed), nil
		}
		if errors.Is(err, kerr.GroupAuthorizationFailed) {
			return false, nil
		}
		if !kerr.IsRetriable(err) || time.Now().After(deadline) || !eventlog.Pause(ctx, backoff(failures)) {
			return false, err
		}
	}
}

// coordinatorTimeout is how long the coordinator of a group is waited for.
const coordinatorTimeout = 10 * time.Second

// allowedOnGroup returns the operations that the brokers allow on a consumer group.
func (l *Log) allowedOnGroup(ctx context.Context, group string) (int32, error) {
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups, request.IncludeAuthorizedOperations = []string{group}, true
	response, err := request.RequestWith(ctx, l.client)
	if err == nil && len(response.Groups) == 1 {
		err = kerr.ErrorForCode(response.Groups[0].ErrorCode)
	}
	switch {
	case err != nil && !errors.Is(err, kerr.GroupIDNotFound):
		return 0, err
	case len(response.Groups) != 1:
		return 0, fmt.Errorf("the broker's response does not include the group %s", group)
	}
	return response.Groups[0].AuthorizedOperations, nil
}
