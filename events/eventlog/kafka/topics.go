package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/limit"
)

// topic holds the data about a topic that fetch requests need.
type topic struct {
	name string
	id   [16]byte
	room *eventlog.Room
	// undisclosed is that the brokers do not show the settings.
	undisclosed limit.News

	mu    sync.Mutex // guards all below
	led   []leadership
	bases map[int32]int64 // of partitions that do not begin at 0
}

// isReplacedBy reports whether a topic of the same name is another one. Brokers before 2.8 have no ids, and one that does not know a topic yet returns none.
func (t *topic) isReplacedBy(found kmsg.MetadataResponseTopic) bool {
	none := [16]byte{}
	return t.id != none && found.TopicID != none && found.TopicID != t.id
}

// topic returns a topic. It checks that the log is open and has the partition.
func (l *Log) topic(name string, partition int32) (*topic, error) {
	if l.ctx.Err() != nil {
		return nil, eventlog.ErrClosed
	}
	t, ok := l.topics[name]
	if !ok {
		return nil, fmt.Errorf("the log has no topic %s", name)
	}
	if partition < 0 || partition >= l.config.Partitions {
		return nil, fmt.Errorf("topic %s has no partition %d", name, partition)
	}
	return t, nil
}

// prepare creates the topics that do not exist, finds the leaders of all and checks
// their settings.
func (l *Log) prepare(ctx context.Context) error {
	if l.config.ReadOnly {
		return l.prepareReading(ctx)
	}
	if err := l.checkSessionTimeout(ctx); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(l.config.Topics))
	found, err := l.metadata(ctx, names)
	if err != nil {
		return err
	}
	if err := l.checkCounts(found); err != nil { // before a topic is created with a number that is configured by mistake
		return err
	}
	for _, name := range names {
		if !errors.Is(kerr.ErrorForCode(found[name].ErrorCode), kerr.UnknownTopicOrPartition) {
			continue
		}
		if err := l.create(ctx, name, l.config.Partitions, l.config.settings(name)); err != nil {
			return fmt.Errorf("create topic %s: %w", name, err)
		}
	}
	if err := l.awaitLeaders(ctx, names); err != nil {
		return err
	}
	if err := l.checkRights(ctx, names, kmsg.ACLOperationRead, kmsg.ACLOperationWrite); err != nil {
		return err
	}
	return errors.Join(l.readBases(ctx), l.awaitSettings(ctx, names))
}

// awaitSettings checks the settings of topics that a broker may not know yet, because they were created a moment ago.
func (l *Log) awaitSettings(ctx context.Context, names []string) error {
	for failures := 0; ; failures++ {
		_, err := l.checkSettings(ctx, names)
		if !errors.Is(err, kerr.UnknownTopicOrPartition) || !eventlog.Pause(ctx, backoff(failures)) {
			return err
		}
	}
}

// prepareReading checks that the topics exist, and finds their partitions and leaders.
func (l *Log) prepareReading(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(l.config.Topics))
	found, err := l.metadata(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if errors.Is(kerr.ErrorForCode(found[name].ErrorCode), kerr.UnknownTopicOrPartition) {
			return fmt.Errorf("the cluster has no topic %s: check the brokers' addresses", name)
		}
	}
	if l.config.Partitions == 0 {
		l.config.Partitions = int32(len(found[names[0]].Partitions))
	}
	if err := l.awaitLeaders(ctx, names); err != nil {
		return err
	}
	if err := l.checkRights(ctx, names, kmsg.ACLOperationRead); err != nil {
		return err
	}
	return l.readBases(ctx)
}

// create creates a topic, unless another node has.
func (l *Log) create(ctx context.Context, name string, partitions int32, with map[string]string) error {
	settings := map[string]*string{}
	for key, value := range with {
		settings[key] = &value
	}
	_, err := l.admin.CreateTopic(ctx, partitions, l.config.ReplicationFactor, settings, name)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return nil // another node created it at the same time
	}
	return l.explain(err, kmsg.ACLOperationCreate, name)
}

// metadata requests the metadata of topics, bypassing the client's cache. The error names the topics that the brokers hide.
func (l *Log) metadata(ctx context.Context, names []string) (map[string]kmsg.MetadataResponseTopic, error) {
	request := metadataRequest(names)
	request.IncludeTopicAuthorizedOperations = true
	response, err := request.RequestWith(ctx, l.client)
	if err != nil {
		return nil, err
	}
	found, hidden := map[string]kmsg.MetadataResponseTopic{}, []string{}
	for _, t := range response.Topics {
		switch {
		case t.Topic == nil:
		case t.ErrorCode == kerr.TopicAuthorizationFailed.Code:
			hidden = append(hidden, *t.Topic)
		default:
			found[*t.Topic] = t
		}
	}
	if len(hidden) > 0 {
		slices.Sort(hidden)
		return nil, l.explain(kerr.TopicAuthorizationFailed, kmsg.ACLOperationDescribe, hidden...)
	}
	return found, nil
}

func metadataRequest(names []string) *kmsg.MetadataRequest {
	request := kmsg.NewPtrMetadataRequest()
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, t)
	}
	return request
}

// awaitLeaders waits until all partitions of the topics have leaders.
func (l *Log) awaitLeaders(ctx context.Context, names []string) error {
	l.topics = map[string]*topic{}
	for failures := 0; len(l.topics) < len(names); failures++ {
		found, err := l.metadata(ctx, names)
		if err != nil {
			return err
		}
		if err := l.checkCounts(found); err != nil {
			return err
		}
		for name, metadata := range found {
			l.addTopic(name, metadata)
		}
		if len(l.topics) < len(names) && !eventlog.Pause(ctx, backoff(failures)) {
			return fmt.Errorf("some partitions of the topics %v have no leader, check that all brokers are up: %w", names, ctx.Err())
		}
	}
	return nil
}

// addTopic adds a topic if all its partitions have leaders.
func (l *Log) addTopic(name string, metadata kmsg.MetadataResponseTopic) {
	led := leaderships(metadata)
	if metadata.ErrorCode != 0 || len(led) == 0 || slices.ContainsFunc(led, leaderless) {
		return
	}
	l.topics[name] = &topic{name: name, id: metadata.TopicID, room: l.config.room(name), led: led, bases: map[int32]int64{}}
}

// checkCounts returns an error if topics have other partition counts than the configured one. If they differ among each other, it names one whose
// count is not that of most.
func (l *Log) checkCounts(found map[string]kmsg.MetadataResponseTopic) error {
	topics := map[int32][]string{} // by their count
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if have := int32(len(found[name].Partitions)); have > 0 {
			topics[have] = append(topics[have], name)
		}
	}
	others, odd := mostTopics(topics, l.config.Partitions)
	switch {
	case odd >= 0:
		name := topics[odd][0]
		return &eventlog.OddTopicError{Topic: name, Have: odd, Others: others, Deleted: l.config.Topics[name].Deleted}
	case others != l.config.Partitions:
		return &eventlog.PartitionCountError{Have: others, Want: l.config.Partitions}
	}
	return nil
}

// mostTopics returns the count of most topics, the configured one if as many have that, or if there are none; and the least of the others, -1 without any.
func mostTopics(topics map[int32][]string, configured int32) (most, odd int32) {
	most, odd = configured, -1
	counts := slices.Sorted(maps.Keys(topics))
	for _, count := range counts {
		if len(topics[count]) > len(topics[most]) {
			most = count
		}
	}
	if i := slices.IndexFunc(counts, func(count int32) bool { return count != most }); i >= 0 {
		odd = counts[i]
	}
	return most, odd
}

// checkSessionTimeout refuses a session timeout that the broker would refuse at
// every join. If the broker does not disclose its settings, the join fails instead.
func (l *Log) checkSessionTimeout(ctx context.Context) error {
	meta, err := l.admin.BrokerMetadata(ctx)
	if err != nil {
		return err
	}
	if len(meta.Brokers) == 0 {
		return errors.New("the cluster has no brokers")
	}
	described, err := l.admin.DescribeBrokerConfigs(ctx, meta.Brokers[0].NodeID)
	if err != nil || len(described) == 0 {
		return nil
	}
	for _, c := range described[0].Configs {
		least, err := strconv.Atoi(c.MaybeValue())
		if c.Key == "group.min.session.timeout.ms" && err == nil && time.Duration(least)*time.Millisecond > l.config.SessionTimeout {
			return sessionTimeoutError(l.config.SessionTimeout)
		}
	}
	return nil
}

func sessionTimeoutError(timeout time.Duration) error {
	return fmt.Errorf("session timeout %s is refused by the broker: set group.min.session.timeout.ms=%d or lower in its server.properties, or a longer session timeout",
		timeout, timeout.Milliseconds())
}
