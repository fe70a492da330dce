package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// settings returns the settings with which a topic is created.
func (c Config) settings(topic string) map[string]string {
	settings := map[string]string{
		"cleanup.policy":                 "delete",
		"retention.ms":                   "-1",
		"retention.bytes":                "-1",
		"unclean.leader.election.enable": "false",
		"max.message.bytes":              strconv.Itoa(messageBytes),
	}
	if keep := c.Topics[topic].Retention; keep > 0 {
		settings["retention.ms"] = strconv.FormatInt(keep.Milliseconds(), 10)
	}
	if codec := c.Topics[topic].Compression; codec != "" {
		settings["compression.type"] = codec
	}
	if least := leastInSync(int(c.ReplicationFactor)); least > 1 {
		settings["min.insync.replicas"] = strconv.Itoa(least)
	}
	return settings
}

// leastInSync returns how many replicas must have a record before it is acknowledged: enough that
// any majority of the replicas includes one of them; see confirmLeader.
func leastInSync(replicas int) int {
	if replicas < 3 {
		return 1
	}
	return (replicas + 1) / 2
}

// existing is the present state of a topic.
type existing struct {
	settings map[string]string // those that the broker discloses
	// least and most are the smallest and the largest replication factor of its partitions.
	// They are 0 if the broker that was asked does not know the partitions yet.
	least, most int
}

// danger is a setting by which records may get lost, or which prevents appends.
type danger struct{ setting, value, must, mend string }

// dangers compares a topic with what it needs. wanted is the configured replication factor.
func dangers(need TopicConfig, have existing, wanted int) (found []danger) {
	check := func(setting string, ok func(value string) bool, must, mend string) {
		if value, disclosed := have.settings[setting]; disclosed && !ok(value) {
			found = append(found, danger{setting, value, must, mend})
		}
	}
	atLeast := func(n int64) func(string) bool {
		return func(value string) bool {
			got, err := strconv.ParseInt(value, 10, 64)
			return err == nil && got >= n
		}
	}
	is := func(want string) func(string) bool { return func(value string) bool { return value == want } }

	check("cleanup.policy", is("delete"), "delete", "delete")
	check("retention.bytes", is("-1"), "-1", "-1")
	if keep := need.Retention.Milliseconds(); keep == 0 {
		check("retention.ms", is("-1"), "-1", "-1")
	} else {
		enough := atLeast(keep)
		check("retention.ms", func(value string) bool { return value == "-1" || enough(value) },
			fmt.Sprintf("-1 or at least %d (%s)", keep, need.Retention), strconv.FormatInt(keep, 10))
	}
	check("unclean.leader.election.enable", is("false"), "false", "false")
	check("max.message.bytes", atLeast(messageBytes), fmt.Sprintf("at least %d", messageBytes), strconv.Itoa(messageBytes))
	factor := max(have.most, wanted)
	least := leastInSync(factor)
	check("min.insync.replicas", atLeast(int64(least)), fmt.Sprintf("at least %d with a replication factor of %d", least, factor), strconv.Itoa(least))
	if have.least > 0 {
		check("min.insync.replicas", func(value string) bool { return !atLeast(int64(have.least) + 1)(value) },
			fmt.Sprintf("at most the replication factor, which is %d", have.least), strconv.Itoa(have.least))
	}
	return found
}

// checkSettings returns what is wrong with topics and their settings, with the commands to fix it, and the topics whose settings the brokers do not show.
func (l *Log) checkSettings(ctx context.Context, names []string) (undisclosed []string, err error) {
	metadata, err := l.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, name := range names {
		if t := l.topics[name]; t != nil && t.isReplacedBy(metadata[name]) {
			wrong = append(wrong, recreatedError{name})
			continue
		}
		settings, err := l.describe(ctx, name)
		if err != nil {
			return nil, err
		}
		if settings == nil {
			undisclosed = append(undisclosed, name)
		}
		have := existing{settings: settings}
		have.least, have.most = replicas(metadata[name])
		for _, found := range dangers(l.config.Topics[name], have, int(l.config.ReplicationFactor)) {
			wrong = append(wrong, settingError{name, l.config.Brokers[0], found})
		}
	}
	return undisclosed, errors.Join(wrong...)
}

// describe returns the settings of a topic. If the cluster does not disclose them, it logs that and
// returns none.
func (l *Log) describe(ctx context.Context, name string) (map[string]string, error) {
	described, err := l.admin.DescribeTopicConfigs(ctx, name) // one at a time: one refusal hides all others
	if err == nil && len(described) == 1 {
		err = described[0].Err
	}
	var unauthorized *kadm.AuthError
	var refusal *kerr.Error
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil, err
	}
	if errors.As(err, &unauthorized) || errors.As(err, &refusal) {
		if t := l.topics[name]; t == nil || t.undisclosed.Is(err.Error(), time.Now(), warnAgain) {
			l.logger.Error("kafka: the settings of a topic cannot be checked, and a wrong one may lose records: allow DescribeConfigs on it",
				"topic", name, "error", err)
		}
		return nil, nil
	}
	if err != nil || len(described) != 1 {
		return nil, err
	}
	settings := map[string]string{}
	for _, c := range described[0].Configs {
		settings[c.Key] = c.MaybeValue()
	}
	return settings, nil
}

// settingError is a danger of a topic.
type settingError struct {
	topic, broker string
	danger
}

func (e settingError) Error() string {
	command := fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s=%s",
		e.broker, e.topic, e.setting, e.mend)
	return fmt.Sprintf("topic %s: %s is %s, must be %s: %s", e.topic, e.setting, e.value, e.must, command)
}

func replicas(topic kmsg.MetadataResponseTopic) (least, most int) {
	for i, p := range topic.Partitions {
		n := len(p.Replicas)
		if i == 0 {
			least = n
		}
		least, most = min(least, n), max(most, n)
	}
	return least, most
}
