package retention

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files deletes every file but one.
type files struct {
	refuse  string
	deleted chan string
}

func (f files) Delete(_ context.Context, name string) error {
	if name == f.refuse {
		return errors.New("busy")
	}
	f.deleted <- name
	return nil
}

// A deletion that is withdrawn before its turn, alone or with its partition, is not performed. One
// that is asked for twice is performed once. A bounded number are under way at once.
func TestForget(t *testing.T) {
	system := testkit.System(t)
	f := gated{make(chan string), make(chan string, 99), make(chan string, 99)}
	d, err := Start(system, Config{Files: f, Logger: testkit.Silent(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	id := events.NewJobID()
	var want []string
	for i := range maxRunning {
		want = append(want, fmt.Sprintf("first %02d", i))
		d.Perform(1, job.DeleteFile{Job: id, Name: want[i]})
	}
	for _, name := range []string{"withdrawn", "kept", "kept"} {
		d.Perform(1, job.DeleteFile{Job: id, Name: name})
	}
	d.Perform(2, job.DeleteFile{Job: id, Name: "with its partition"})
	d.Forget(job.DeleteFile{Job: id, Name: "withdrawn"}.Key())
	d.ForgetAll(2)
	d.Perform(1, job.DeleteFile{Job: id, Name: "last"})
	for range maxRunning {
		<-f.begun
	}
	if len(f.begun) > 0 {
		t.Errorf("more than %d deletions have begun", maxRunning)
	}
	want = append(want, "kept", "last")
	var got []string
	for range want {
		f.open <- ""
		got = append(got, <-f.deleted)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("deleted %q, want %q", got, want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// gated deletes a file whenever the test sends to open.
type gated struct{ open, deleted, begun chan string }

func (g gated) Delete(_ context.Context, name string) error {
	g.begun <- name
	<-g.open
	g.deleted <- name
	return nil
}

// The deletion of an expired file is reported to its job, that of an orphan is not, and a file
// that cannot be deleted does not hold up the others.
func TestDeletion(t *testing.T) {
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	system := testkit.System(t)
	f := files{refuse: "busy", deleted: make(chan string, 9)}
	d, err := Start(system, Config{Log: l, Files: f, Logger: testkit.Silent(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	id := events.NewJobID()
	for _, e := range []job.DeleteFile{{Name: "busy", Report: true}, {Name: "orphan"}, {Account: "acc", Job: id, Name: "expired", Report: true}} {
		d.Perform(0, e)
	}
	record, err := eventlog.ReadOne(testkit.Context(t), l, events.TopicCommands, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := events.DecodeCommand(record.Value)
	if want := (events.ForgetFile{Job: id, Name: "expired"}); err != nil || c.Body != want || c.Account != "acc" {
		t.Errorf("reported %+v (%v), want %+v", c, err, want)
	}
	deleted := []string{<-f.deleted, <-f.deleted}
	if slices.Sort(deleted); !slices.Equal(deleted, []string{"expired", "orphan"}) {
		t.Errorf("deleted %s", deleted)
	}
	if err := errors.Join(d.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}
