package logtest

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// PowerCuts cuts the power at random moments while records are appended and checks what is left, as
// Crash does. cut returns the storage as the power cut leaves it; later writes to the old one are
// lost.
func PowerCuts(t *testing.T, s Storage, cut func() Storage, cuts int) {
	r := testkit.Rand(t)
	acked := map[position]string{}
	for run := range cuts {
		w := startWriters(t, s, fmt.Sprint(run))
		w.await(t, r.IntN(500)) // 0: as soon as the log is open
		if r.IntN(3) == 0 {
			w.trim(t, s.Topic)
		}
		var survivors map[position]string
		survivors, s = w.cut(cut)
		maps.Copy(acked, survivors)
		checkSurvivors(t, s, acked)
	}
	t.Logf("%d acknowledged records survived %d power cuts", len(acked), cuts)
}

// writers append without end, until the log is closed.
type writers struct {
	log     eventlog.Log
	running sync.WaitGroup

	mu    sync.Mutex
	acked map[position]string
	more  sync.Cond
}

func startWriters(t *testing.T, s Storage, run string) *writers {
	t.Helper()
	l, err := s.Open(Partitions)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	w := &writers{log: l, acked: map[position]string{}}
	w.more.L = &w.mu
	for g := range childGoroutines {
		w.running.Go(func() { w.write(t, s.Topic, int32(g%2), fmt.Sprintf("%s.%d", run, g)) })
	}
	return w
}

func (w *writers) write(t *testing.T, topic string, partition int32, name string) {
	for i := 0; ; i++ {
		content := fmt.Sprintf("%s/%d", name, i)
		value := append([]byte(content+" "), pattern(i*37%3000, byte(i))...)
		offset, err := eventlog.AppendWait(t.Context(), w.log, topic, partition, eventlog.Record{Value: value})
		if err != nil {
			if !errors.Is(err, eventlog.ErrClosed) {
				t.Errorf("append: %v", err)
			}
			return
		}
		w.mu.Lock()
		w.acked[position{partition, offset}] = content
		w.more.Broadcast()
		w.mu.Unlock()
	}
}

// await waits until n records are acknowledged.
func (w *writers) await(t *testing.T, n int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.acked) < n && !t.Failed() {
		w.more.Wait()
	}
}

// trim trims partition 2, to which nobody appends, after a record of its own.
func (w *writers) trim(t *testing.T, topic string) {
	t.Helper()
	offset := appendOne(t, w.log, topic, 2, "trimmed")
	mustTrim(t, w.log, topic, 2, offset+1)
}

// cut cuts the power, and returns what was acknowledged before.
func (w *writers) cut(cut func() Storage) (map[position]string, Storage) {
	w.mu.Lock()
	acked := maps.Clone(w.acked)
	left := cut()
	w.mu.Unlock()
	_ = w.log.Close()
	w.running.Wait()
	return acked, left
}
