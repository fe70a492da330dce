package shard_test

import (
	"context"
	"sync"
	"testing"

	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// appendUndecided appends a command while no owner reads it, and returns its offset.
func (c *cluster) appendUndecided() int64 {
	c.t.Helper()
	value, err := events.EncodeCommand(events.Command{ID: events.NewCommandID(), Account: "acc", Body: events.SubmitJob{Job: events.NewJobID(), Key: "key"}})
	if err != nil {
		c.t.Fatal(err)
	}
	offset, err := eventlog.AppendWait(c.t.Context(), c.log, events.TopicCommands, events.Partition("acc", 2), eventlog.Record{Value: value})
	if err != nil {
		c.t.Fatal(err)
	}
	return offset
}

// gaps returns the gaps in the account's journal.
func (c *cluster) gaps() (all []events.Gap) {
	c.t.Helper()
	p := events.Partition("acc", 2)
	_, end, err := c.log.Bounds(c.t.Context(), events.TopicJournal, p)
	if err != nil {
		c.t.Fatal(err)
	}
	r := c.log.Read(events.TopicJournal, p, 0)
	defer r.Close()
	for next := int64(0); next < end; {
		records, err := r.Next(testkit.Context(c.t))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, record := range records {
			next = record.Offset + 1
			if e, err := events.DecodeEntry(record.Value); err == nil {
				if g, ok := e.(events.Gap); ok {
					all = append(all, g)
				}
			}
		}
	}
	return all
}

// Commands that were trimmed before they were decided leave a gap in the journal, and the shard
// continues after them.
func TestTrimmedCommands(t *testing.T) {
	c := newCluster(t)
	first := c.start("n1")
	first.open()
	first.stop()
	from := c.appendUndecided()
	to := c.appendUndecided() + 1
	if err := c.log.Trim(t.Context(), events.TopicCommands, events.Partition("acc", 2), to); err != nil {
		t.Fatal(err)
	}
	n := c.start("n2")
	defer n.stop()
	id := n.submit()
	if r := n.render(); r.Job != id || r.Content != to {
		t.Errorf("asked to render %+v", r)
	}
	if gaps := c.gaps(); len(gaps) != 1 || gaps[0].From != from || gaps[0].To != to {
		t.Errorf("the gaps are %+v, want one from %d to %d", gaps, from, to)
	}
	if lost := n.shards.LostCommands(); lost != to-from {
		t.Errorf("%d commands are counted as lost, want %d", lost, to-from)
	}
}

// recreated is a log whose topics have another id than before.
type recreated struct{ eventlog.Log }

func (recreated) TopicID(string) string { return "new" }

// continues waits until the account's shard is halted, and lets it continue.
func (n *node) continues(t *testing.T) {
	t.Helper()
	p := events.Partition("acc", 2)
	halted := func() bool { return n.shards.Status()[p].State == shard.Halted }
	testkit.Eventually(t, "the shard is halted", func() bool { return len(n.shards.Status()) == 2 && halted() })
	n.shards.Continue(p)
	testkit.Eventually(t, "the shard continues", func() bool { return !halted() })
}

// A shard whose topic was re-created halts. It continues when the operator says so.
func TestRecreatedTopic(t *testing.T) {
	c := newCluster(t)
	c.journal = func(l eventlog.Log) eventlog.Log { return identified{l} }
	first := c.start("n1")
	first.open()
	first.stop()
	c.journal = func(l eventlog.Log) eventlog.Log { return recreated{l} }
	n := c.start("n2")
	defer n.stop()
	n.continues(t)
	n.submit()
	if gaps := c.gaps(); len(gaps) != 1 || gaps[0].Commands != "new" {
		t.Errorf("the gaps are %+v", gaps)
	}
}

// A shard whose journal is empty while public events report decisions halts before it decides the commands once more. It continues behind them when the
// operator says so.
func TestEmptiedJournal(t *testing.T) {
	c := newCluster(t)
	last := c.appendUndecided()
	c.number = 7
	n := c.start("n1")
	defer n.stop()
	n.continues(t)
	n.open()
	n.submit()
	if gaps := c.gaps(); len(gaps) != 1 || gaps[0].From != 0 || gaps[0].To != last+1 {
		t.Errorf("the gaps are %+v", gaps)
	}
}

// identified is a log whose topics have an id.
type identified struct{ eventlog.Log }

func (identified) TopicID(string) string { return "old" }

// replaced is a log that has lost commands that were read, and has others in their place: once, so that whoever looks again reads on.
type replaced struct {
	eventlog.Log
	once *sync.Once
}

func (l replaced) Read(topic string, p int32, from int64) eventlog.Reader {
	r := l.Log.Read(topic, p, from)
	if topic == events.TopicCommands && p == events.Partition("acc", 2) && from > 0 {
		return replacedReader{r, l.once}
	}
	return r
}

type replacedReader struct {
	eventlog.Reader
	once *sync.Once
}

func (r replacedReader) Next(ctx context.Context) (records []eventlog.Record, err error) {
	r.once.Do(func() { err = eventlog.ErrReplaced })
	if err != nil {
		return nil, err
	}
	return r.Reader.Next(ctx)
}

// A shard whose commands were replaced by others halts, as one whose commands are gone does, and its node continues.
func TestReplacedCommands(t *testing.T) {
	c := newCluster(t)
	first := c.start("n1")
	first.open()
	first.stop()
	c.journal = func(l eventlog.Log) eventlog.Log { return replaced{l, new(sync.Once)} }
	n := c.start("n2")
	defer n.stop()
	n.continues(t)
	n.submit()
	select {
	case err := <-n.failed:
		t.Errorf("the node fails: %v", err)
	default:
	}
}
