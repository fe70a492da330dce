package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
)

// holedLog has an event in each of three partitions. In the second, nothing can be read after it. The third does not say where it ends.
type holedLog struct {
	eventlog.Log
	record eventlog.Record
}

func (holedLog) Partitions() int32 { return 3 }

func (holedLog) Bounds(ctx context.Context, _ string, p int32) (start, end int64, err error) {
	if p == 2 {
		<-ctx.Done()
		return 0, 0, ctx.Err()
	}
	return 0, 2, nil
}

func (l holedLog) Read(_ string, p int32, _ int64) eventlog.Reader {
	return &holedReader{[]eventlog.Record{l.record}, p == 1}
}

type holedReader struct {
	records []eventlog.Record
	hole    bool
}

func (r *holedReader) Next(ctx context.Context) (all []eventlog.Record, err error) {
	switch {
	case len(r.records) > 0:
		all, r.records = r.records, nil
		return all, nil
	case r.hole:
		return nil, errors.New("record 1 of platen.events/1 is missing")
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (*holedReader) Close() {}

// Events up to the present one that do not all come because the node stops are an error.
func TestEventsOnceOfANodeThatStops(t *testing.T) {
	at, record := startedJob(t)
	for once, want := range map[bool]string{true: "the node is shutting down", false: "<nil>"} {
		closing, stops := context.WithCancel(t.Context())
		err := serveEvents(t, waitingLog{holedLog{record: record}}, closing).Events(testkit.Context(t), EventFilter{Since: at, Once: once}, func(public.Received) error { stops(); return nil })
		if got := fmt.Sprint(err); got != want {
			t.Errorf("once %t: %s, want %s", once, got, want)
		}
		stops()
	}
}

// waitingLog has an event in its only partition, and says that another follows, which does not come.
type waitingLog struct{ holedLog }

func (waitingLog) Partitions() int32 { return 1 }

// A stream of events that cannot be read on ends with the reason, though other partitions wait for more.
func TestEventsEndWithTheReason(t *testing.T) {
	at, record := startedJob(t)
	seen := 0
	err := serveEvents(t, holedLog{record: record}, t.Context()).Events(testkit.Context(t), EventFilter{Since: at}, func(public.Received) error { seen++; return nil })
	if err == nil || !strings.HasSuffix(err.Error(), "cannot read on: record 1 of platen.events/1 is missing") || seen == 0 {
		t.Errorf("after %d events: %v", seen, err)
	}
}

// startedJob returns a public event, and when it happened.
func startedJob(t *testing.T) (at time.Time, record eventlog.Record) {
	t.Helper()
	at = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	record, err := public.Event{
		Position: public.Position{Offset: 1}, Sequence: 1, Account: "acc_a", At: events.At(at), Subject: "x", Data: public.JobStarted{Account: "acc_a", Job: "x"},
	}.Record()
	if err != nil {
		t.Fatal(err)
	}
	return at, record
}

// serveEvents returns a client of a node that streams the events of a log until closing ends.
func serveEvents(t *testing.T, log eventlog.Log, closing context.Context) Client {
	t.Helper()
	data := t.TempDir()
	l, err := net.Listen("unix", SocketPath(data))
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Config: Config{Log: log}, closing: closing}
	web := &http.Server{Handler: http.HandlerFunc(s.streamEvents), ReadHeaderTimeout: time.Second}
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() { _ = web.Close(); _ = os.Remove(SocketPath(data)) })
	return NewClient(data)
}
