package kafka

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// leadership says who leads a partition, as a broker knows it.
type leadership struct {
	leader int32 // broker id; -1 while there is none
	// epoch counts the leaders of the partition; -1 if the broker does not tell.
	epoch    int32
	replicas []int32 // broker ids
}

func (t *topic) leadership(partition int32) leadership {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.led[partition]
}

func (t *topic) setLeadership(partition int32, known leadership) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.led[partition] = known
}

// leaderships returns who leads the partitions of a topic, by their number.
func leaderships(metadata kmsg.MetadataResponseTopic) []leadership {
	led := slices.Repeat([]leadership{{leader: -1, epoch: -1}}, len(metadata.Partitions))
	for _, p := range metadata.Partitions {
		if p.Partition >= 0 && int(p.Partition) < len(led) {
			led[p.Partition] = leadership{p.Leader, p.LeaderEpoch, p.Replicas}
		}
	}
	return led
}

func leaderless(led leadership) bool { return led.leader < 0 }

// refreshLeaders updates the leaders of t, but not of partitions that were added. If that fails, the caller's next attempt
// calls it again.
func (l *Log) refreshLeaders(ctx context.Context, t *topic) {
	found, err := l.metadata(ctx, []string{t.name})
	if err != nil || len(found[t.name].Partitions) < int(l.config.Partitions) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.led = leaderships(found[t.name])[:l.config.Partitions]
}

// confirmLeader returns who leads a partition, according to most of its replicas. A broker cut off
// from the others still believes that it leads, and would answer with an old end. A record is
// acknowledged by replicas that know their leader, so any majority of replicas includes one that
// knows the leader of every record acknowledged before the call.
//
// With fewer than three replicas one answer is enough: requiring more would make the log wait for
// both.
func (l *Log) confirmLeader(ctx context.Context, t *topic, partition int32) (leadership, error) {
	known := t.leadership(partition)
	if len(known.replicas) < 3 {
		return known, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	words := make(chan word, len(known.replicas))
	for _, broker := range known.replicas {
		go func() { words <- l.askLeader(ctx, t, partition, broker) }()
	}
	newest, err := mostWords(words, len(known.replicas))
	if err != nil {
		return leadership{}, err
	}
	t.setLeadership(partition, newest)
	return newest, nil
}

// word is a broker's statement about who leads a partition.
type word struct {
	leadership
	err error
}

// mostWords returns the newest word of most of the brokers, or why there are too few.
func mostWords(words <-chan word, brokers int) (leadership, error) {
	var newest *leadership
	var failures error
	for missing := brokers/2 + 1; missing > 0; brokers-- {
		if brokers == 0 {
			return leadership{}, failures
		}
		said := <-words
		if said.err != nil {
			failures = errors.Join(failures, said.err)
			continue
		}
		missing--
		if newest == nil || said.epoch > newest.epoch {
			newest = &said.leadership
		}
	}
	return *newest, nil
}

// askLeader asks one broker who leads a partition.
func (l *Log) askLeader(ctx context.Context, t *topic, partition, broker int32) word {
	response, err := metadataRequest([]string{t.name}).RequestWith(ctx, l.client.Broker(int(broker)))
	if err != nil {
		return word{err: err}
	}
	if len(response.Topics) == 1 && response.Topics[0].ErrorCode != 0 {
		return word{err: l.explain(kerr.ErrorForCode(response.Topics[0].ErrorCode), kmsg.ACLOperationDescribe, t.name)}
	}
	if len(response.Topics) != 1 || int(partition) >= len(response.Topics[0].Partitions) {
		return word{err: errNoPartition}
	}
	led := leaderships(response.Topics[0])[partition]
	if leaderless(led) {
		return word{err: kerr.LeaderNotAvailable}
	}
	return word{leadership: led}
}
