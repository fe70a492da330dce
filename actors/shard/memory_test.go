package shard_test

import (
	"runtime"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// stalledLog accepts no envelopes, so that commands pile up in their owner's window.
type stalledLog struct {
	eventlog.Log
	held chan struct{} // one for each envelope
}

func (l stalledLog) Append(topic string, partition int32, r eventlog.Record, done func(int64, error)) {
	if entry, err := events.DecodeEntry(r.Value); topic == events.TopicJournal && err == nil {
		if _, envelope := entry.(events.Envelope); envelope {
			l.held <- struct{}{}
			return
		}
	}
	l.Log.Append(topic, partition, r, done)
}

// An owner that takes over a partition full of commands keeps none of their content in
// memory.
func TestWaitingCommandsKeepNoContent(t *testing.T) {
	const count, size = 256, 240 << 10 // 60 MiB of content
	h := newCluster(t)
	p := events.Partition("acc", 2)
	content := events.Content{HTML: strings.Repeat("x", size)}
	for range count {
		value, err := events.EncodeCommand(events.Command{
			ID: events.NewCommandID(), Account: "acc", At: 5,
			Body: events.Submission{SubmitJob: events.SubmitJob{Job: events.NewJobID()}, Content: content},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eventlog.AppendWait(t.Context(), h.log, events.TopicCommands, p, eventlog.Record{Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	before := liveHeap()
	held := make(chan struct{}, count)
	h.journal = func(l eventlog.Log) eventlog.Log { return stalledLog{l, held} }
	n := h.start("n1")
	defer n.stop()
	for range count {
		<-held
	}
	if grown := liveHeap() - before; grown > count*size/4 {
		t.Errorf("%d waiting commands hold %d MiB", count, grown>>20)
	}
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
