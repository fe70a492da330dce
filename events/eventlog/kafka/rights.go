package kafka

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

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

// missingOnGroup returns those of the operations that the brokers do not allow on a consumer group, which need not exist.
func (l *Log) missingOnGroup(ctx context.Context, group string, operations ...kmsg.ACLOperation) (missing []access.Right, err error) {
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups, request.IncludeAuthorizedOperations = []string{group}, true
	response, err := request.RequestWith(ctx, l.client)
	if err != nil {
		return nil, err
	}
	var allowed int32
	for _, g := range response.Groups {
		switch err := kerr.ErrorForCode(g.ErrorCode); err {
		case nil, kerr.GroupIDNotFound:
			allowed = g.AuthorizedOperations
		case kerr.GroupAuthorizationFailed:
		default:
			return nil, err
		}
	}
	for _, operation := range operations {
		if right := access.OnGroup(operation, group); !right.IsIn(allowed) {
			missing = append(missing, right)
		}
	}
	return missing, nil
}
