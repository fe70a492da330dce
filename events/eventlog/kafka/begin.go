package kafka

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
)

// Kafka begins every partition at 0. A partition that begins elsewhere has a base, which is added to its brokers' offsets. The bases of all
// partitions are in a compacted topic of their own, which is created with the first base. Re-created topics have other ids, so their former bases no
// longer count.
const basesTopic = "platen.bases"

// baseRecord is the value of a record of that topic.
type baseRecord struct {
	Topic     string `json:"topic"`
	ID        string `json:"id"`
	Partition int32  `json:"partition"`
	Base      int64  `json:"base"`
}

// Begin implements eventlog.Log.
func (l *Log) Begin(ctx context.Context, topic string, partition int32, at int64) error {
	if l.config.ReadOnly {
		return eventlog.ErrReadOnly
	}
	_, end, err := l.Bounds(ctx, topic, partition)
	if err != nil {
		return err
	}
	t := l.topics[topic]
	switch base := t.base(partition); {
	case end > base || at < base:
		return fmt.Errorf("%s/%d: %w", topic, partition, eventlog.ErrNotEmpty)
	case at == base:
		return nil
	case t.id == [16]byte{}:
		return fmt.Errorf("%s/%d cannot begin at %d: the brokers give topics no ids, which those since 2.8 do", topic, partition, at)
	}
	if err := l.writeBase(ctx, t, partition, at); err != nil {
		return fmt.Errorf("begin %s/%d at %d: %w", topic, partition, at, err)
	}
	t.setBase(partition, at)
	return nil
}

func (l *Log) writeBase(ctx context.Context, t *topic, partition int32, at int64) error {
	settings := l.config.settings(basesTopic)
	settings["cleanup.policy"] = "compact"
	if err := l.create(ctx, basesTopic, 1, settings); err != nil {
		return fmt.Errorf("create topic %s: %w", basesTopic, err)
	}
	value, err := json.Marshal(baseRecord{t.name, encodedID(t), partition, at})
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s/%d", t.name, partition)
	err = l.producer.produceWait(ctx, &kgo.Record{Topic: basesTopic, Partition: 0, Key: []byte(key), Value: value})
	return l.explain(err, kmsg.ACLOperationWrite, basesTopic)
}

// readBases reads where the partitions of the log begin.
func (l *Log) readBases(ctx context.Context) error {
	found, err := l.metadata(ctx, []string{basesTopic})
	if err != nil {
		return err
	}
	if code := found[basesTopic].ErrorCode; code != 0 || len(found[basesTopic].Partitions) == 0 {
		return unlessUnknown(kerr.ErrorForCode(code))
	}
	ends, err := l.admin.ListEndOffsets(ctx, basesTopic)
	if err == nil {
		err = ends.Error()
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end of topic %s: %w", basesTopic, l.explain(err, kmsg.ACLOperationDescribe, basesTopic))
	}
	end, _ := ends.Lookup(basesTopic, 0)
	if end.Offset == 0 {
		return nil
	}
	client, err := l.config.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{basesTopic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		return err
	}
	defer client.Close()
	for next := int64(0); next < end.Offset; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read topic %s: %w", basesTopic, l.explain(err, kmsg.ACLOperationRead, basesTopic))
		}
		for r := range fetches.RecordsAll() {
			if err := l.takeBase(r.Value); err != nil {
				return fmt.Errorf("topic %s at %d: %w", basesTopic, r.Offset, err)
			}
			next = r.Offset + 1
		}
	}
	return nil
}

// unlessUnknown returns an error about the topic of the bases, unless it means that there is no such topic.
func unlessUnknown(err error) error {
	if err == nil || errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	return fmt.Errorf("topic %s: %w", basesTopic, err)
}

// takeBase takes a written base, unless its topic is gone.
func (l *Log) takeBase(value []byte) error {
	var b baseRecord
	if err := json.Unmarshal(value, &b); err != nil {
		return err
	}
	t, known := l.topics[b.Topic]
	if !known || encodedID(t) != b.ID || b.Partition < 0 || b.Partition >= l.config.Partitions || b.Base < 0 {
		return nil
	}
	t.setBase(b.Partition, b.Base)
	return nil
}

// base returns the offset to add to those of a partition's brokers.
func (t *topic) base(partition int32) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bases[partition]
}

func (t *topic) setBase(partition int32, base int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bases[partition] = base
}

func encodedID(t *topic) string { return base64.RawURLEncoding.EncodeToString(t.id[:]) }

// identity returns the id of the topic. Offsets mean something only together with the bases, so these are part of it: with lost bases, the topic
// counts as another one.
func (t *topic) identity() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.bases) == 0 {
		return encodedID(t)
	}
	h := fnv.New64a()
	for _, p := range slices.Sorted(maps.Keys(t.bases)) {
		fmt.Fprintln(h, p, t.bases[p])
	}
	return fmt.Sprintf("%s.%x", encodedID(t), h.Sum64())
}
