package backup_test

import (
	"fmt"
	"testing"

	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
)

// consumer follows docs/EVENTS.md: it skips events that it has read, and undoes those that never happened.
type consumer struct {
	t    *testing.T
	last map[int32]int64
	// charged are the entries of usage that count, by partition and number.
	charged map[int32]map[int64]string
	ids     map[string]string
	undone  int
}

func newConsumer(t *testing.T) *consumer {
	return &consumer{t: t, last: map[int32]int64{}, charged: map[int32]map[int64]string{0: {}, 1: {}}, ids: map[string]string{}}
}

// read reads all that a topic has.
func (c *consumer) read(l eventlog.Log) {
	c.t.Helper()
	for p := range int32(partitions) {
		logtest.Each(c.t, l, events.TopicEvents, p, func(r eventlog.Record) {
			e, err := public.Parse(r)
			must(c.t, err)
			content := fmt.Sprint(e.Type, e.Subject, string(e.Data))
			if had, again := c.ids[e.Position.String()]; again && had != content {
				c.t.Errorf("the id %s stands for %s and %s", e.Position, had, content)
			}
			if c.ids[e.Position.String()] = content; e.Sequence > c.last[p] {
				c.take(p, e)
			}
		})
	}
}

func (c *consumer) take(p int32, e public.Received) {
	c.t.Helper()
	if after := e.After(); after >= 0 {
		for number := range c.charged[p] {
			if number > after {
				c.undone++
				delete(c.charged[p], number)
			}
		}
	} else if last := c.last[p]; last > 0 && e.Sequence != last+1 {
		c.t.Errorf("partition %d: number %d comes after %d", p, e.Sequence, last)
	}
	c.last[p] = e.Sequence
	if public.IsUsage(e.Type) {
		c.charged[p][e.Sequence] = e.Subject
	}
}

// publishedAll waits until all facts of the journal are published.
func (c *cluster) publishedAll() {
	c.t.Helper()
	for p := range int32(partitions) {
		testkit.Eventually(c.t, "everything is published", func() bool {
			last := int64(0)
			logtest.Each(c.t, c.log, events.TopicEvents, p, func(r eventlog.Record) {
				if e, err := public.Parse(r); err == nil {
					last = max(last, e.Sequence)
				}
			})
			return last == c.replica.Cursor(p).Number
		})
	}
}

// A consumer that has read events lost by a restore reads those of the restored cluster: no id and no number stands for two events, lost events are
// undone, and in the end the restored log's charges count.
func TestConsumerOverRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Rand(t).Uint64())
	w.tail = 1 << 20 // nothing is trimmed
	w.steps(100)
	place := newFiles()
	m := w.take(place, 0).Manifest
	before := newConsumer(t)
	w.steps(100) // they will be lost
	w.publishedAll()
	before.read(w.log)

	restored := newCluster(t)
	must(t, backup.Restore(t.Context(), place, m, restored.target()))
	next := w.after(restored, m)
	next.tail = w.tail
	next.steps(100)
	next.publishedAll()
	before.read(next.log)
	if before.undone == 0 {
		t.Error("nothing was undone")
	}
	fresh := newConsumer(t)
	fresh.read(next.log)
	if got, want := before.sum(), fresh.sum(); len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the consumer has %d charges, one that begins anew has %d, and they differ", len(got), len(want))
	}
}

// sum returns how often each job is charged.
func (c *consumer) sum() map[string]int {
	all := map[string]int{}
	for _, of := range c.charged {
		for _, job := range of {
			all[job]++
		}
	}
	return all
}
