package logdump

import (
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

// The envelope of a command that was set aside says why, as text and as JSON.
func TestSetAside(t *testing.T) {
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for _, e := range []events.Entry{events.Marker{Owner: "n1"}, events.Envelope{Account: "acc_a", Reply: &events.Reply{Code: events.Internal}, SetAside: "WakeJob: a panic"}} {
		value, err := events.EncodeEntry(e)
		if err == nil {
			_, err = eventlog.AppendWait(testkit.Context(t), l, events.TopicJournal, 0, eventlog.Record{Value: value})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		filter Filter
		want   string
	}{{Filter{}, " reply={code=internal} set_aside=WakeJob: a panic\n"}, {Filter{JSON: true}, `"set_aside":"WakeJob: a panic"}`}} {
		var got strings.Builder
		if err := Write(t.Context(), l, tc.filter, &got); err != nil || !strings.Contains(got.String(), tc.want) {
			t.Errorf("got %s (%v), want %q in it", &got, err, tc.want)
		}
	}
}

// One command looks as it does in the dump, without content.
func TestWriteCommand(t *testing.T) {
	l := testLog(t)
	for offset, want := range map[int64]string{0: strings.SplitAfter(submitted, "\n")[0], 2: unreadable, 3: strings.SplitAfter(started, "\n")[0]} {
		record, err := eventlog.ReadOne(t.Context(), l, events.TopicCommands, 0, offset)
		var got strings.Builder
		if err == nil {
			err = WriteCommand(&got, 0, record)
		}
		if err != nil || got.String() != want {
			t.Errorf("command %d is %q (%v), want %q", offset, &got, err, want)
		}
	}
}
