package kafka

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every setting is refused on one side of its limit and accepted on the other.
func TestDangers(t *testing.T) {
	forever, days := TopicConfig{}, TopicConfig{Retention: 48 * time.Hour}
	for _, c := range []struct {
		need         TopicConfig
		setting, bad string
		good         []string
		least, most  int
		wanted       int
		mend         string
	}{
		{need: forever, setting: "retention.ms", bad: "604800000", good: []string{"-1"}, mend: "-1"},
		{need: days, setting: "retention.ms", bad: "172799999", good: []string{"172800000", "-1"}, mend: "172800000"},
		{need: days, setting: "retention.ms", bad: "-2", good: []string{"9223372036854775807"}, mend: "172800000"},
		{need: forever, setting: "retention.bytes", bad: "1000000000", good: []string{"-1"}, mend: "-1"},
		{need: days, setting: "retention.bytes", bad: "1000000000", good: []string{"-1"}, mend: "-1"},
		{need: forever, setting: "cleanup.policy", bad: "compact", good: []string{"delete"}, mend: "delete"},
		{need: days, setting: "cleanup.policy", bad: "compact,delete", good: []string{"delete"}, mend: "delete"},
		{need: days, setting: "cleanup.policy", bad: "", good: []string{"delete"}, mend: "delete"},
		{need: forever, setting: "unclean.leader.election.enable", bad: "true", good: []string{"false"}, mend: "false"},
		{need: forever, setting: "max.message.bytes", bad: "1114111", good: []string{"1114112"}, mend: "1114112"},
		{need: forever, setting: "min.insync.replicas", bad: "1", good: []string{"2", "3"}, least: 3, most: 3, wanted: 1, mend: "2"},
		{need: forever, setting: "min.insync.replicas", bad: "4", good: []string{"2", "3"}, least: 3, most: 3, wanted: 3, mend: "3"},
		{need: forever, setting: "min.insync.replicas", bad: "1", good: []string{"2"}, least: 4, most: 4, wanted: 1, mend: "2"},
		{need: forever, setting: "min.insync.replicas", bad: "2", good: []string{"3"}, least: 5, most: 5, wanted: 1, mend: "3"},
		{need: forever, setting: "min.insync.replicas", bad: "3", good: []string{"1", "2"}, least: 2, most: 2, wanted: 1, mend: "2"},
		{need: forever, setting: "min.insync.replicas", bad: "2", good: []string{"1"}, least: 1, most: 1, wanted: 1, mend: "1"},
		{need: forever, setting: "min.insync.replicas", bad: "1", good: []string{"2"}, least: 2, most: 2, wanted: 3, mend: "2"},
	} {
		have := existing{least: max(1, c.least), most: max(1, c.most)}
		have.settings = map[string]string{c.setting: c.bad}
		found := dangers(c.need, have, c.wanted)
		if len(found) != 1 || found[0].setting != c.setting || found[0].value != c.bad || found[0].mend != c.mend {
			t.Errorf("%s=%s of %+v: found %+v", c.setting, c.bad, c.need, found)
		}
		for _, good := range c.good {
			have.settings[c.setting] = good
			if found := dangers(c.need, have, c.wanted); len(found) > 0 {
				t.Errorf("%s=%s of %+v: found %+v", c.setting, good, c.need, found)
			}
		}
	}
}

// Topics created by this package have the right settings.
func TestSettingsAreRight(t *testing.T) {
	for _, factor := range []int16{1, 2, 3, 4, 5} {
		c := Config{ReplicationFactor: factor, Topics: map[string]TopicConfig{"a": {}, "b": {Retention: time.Hour}}}
		for name, need := range c.Topics {
			have := existing{settings: c.settings(name), least: int(factor), most: int(factor)}
			if found := dangers(need, have, int(factor)); len(found) > 0 {
				t.Errorf("topic %s with replication factor %d: %+v", name, factor, found)
			}
		}
	}
}

// The error names the topic, the setting and its value, and a command that can be copied.
func TestSettingError(t *testing.T) {
	err := settingError{"platen.journal", "kafka1:9092", danger{"retention.ms", "3600000", "-1", "-1"}}
	const want = "topic platen.journal: retention.ms is 3600000, must be -1: " +
		"kafka-configs.sh --bootstrap-server kafka1:9092 --alter --entity-type topics --entity-name platen.journal --add-config retention.ms=-1"
	if err.Error() != want {
		t.Errorf("got %s", err)
	}
}

// readProperties returns the properties of a file, and the whole text as "".
func readProperties(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	properties := map[string]string{"": string(b)}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			properties[name] = value
		}
	}
	return properties
}

// The sample broker configuration has every setting that topics inherit as Platen needs it.
func TestSampleIsTrue(t *testing.T) {
	sample := readProperties(t, "../../../deploy/kafka/server.properties")
	inherited := map[string]string{
		"message.max.bytes": "max.message.bytes", "min.insync.replicas": "min.insync.replicas",
		"unclean.leader.election.enable": "unclean.leader.election.enable",
	}
	have := existing{settings: map[string]string{}, least: 3, most: 3}
	for property, setting := range inherited {
		value, there := sample[property]
		if !there {
			t.Errorf("the sample lacks %s", property)
		}
		have.settings[setting] = value
	}
	if found := dangers(TopicConfig{}, have, 3); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if got, want := sample["default.replication.factor"], fmt.Sprint(3); got != want {
		t.Errorf("default.replication.factor is %s, want %s", got, want)
	}
	for _, setting := range slices.Sorted(maps.Keys(Config{ReplicationFactor: 3}.settings("any"))) {
		if !strings.Contains(sample[""], setting) {
			t.Errorf("the sample does not mention %s, which Platen sets and checks", setting)
		}
	}
}

// A broker that does not know the partitions of a new topic yet says nothing about its replicas.
func TestTopicWithoutPartitions(t *testing.T) {
	c := Config{ReplicationFactor: 3, Topics: map[string]TopicConfig{"t": {}}}
	if found := dangers(c.Topics["t"], existing{settings: c.settings("t")}, 3); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}
