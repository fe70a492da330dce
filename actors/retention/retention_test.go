package retention

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files deletes as often as it is asked, but for what it is told to refuse.
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

// A deleted file is told to its job, an orphan is only deleted, and one that
// cannot be deleted does not hold up the others.
func TestDeletion(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	f := files{refuse: "busy", deleted: make(chan string, 9)}
	pid, err := Start(system, Config{Log: l, Files: f, Logger: quiet, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	id := events.NewJobID()
	for _, e := range []job.DeleteFile{{Name: "busy", Tell: true}, {Name: "orphan"}, {Account: "acc", Job: id, Name: "expired", Tell: true}} {
		system.Root.Send(pid, e)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	record, err := eventlog.ReadOne(ctx, l, events.TopicCommands, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := events.DecodeCommand(record.Value)
	if want := (events.ForgetFile{Job: id, Name: "expired"}); err != nil || c.Body != want || c.Account != "acc" {
		t.Errorf("told %+v (%v), want %+v", c, err, want)
	}
	if first, second := <-f.deleted, <-f.deleted; first != "orphan" || second != "expired" {
		t.Errorf("deleted %s, %s", first, second)
	}
	if err := errors.Join(system.Root.StopFuture(pid).Wait(), l.Close()); err != nil {
		t.Error(err)
	}
	system.Shutdown()
}
