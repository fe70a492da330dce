package node

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/actors/command"
	"platen.dev/actors/retention"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The sweep deletes old files that no job owns, and leaves those of jobs, young ones, and files
// that are not Platen's.
func TestOrphanFiles(t *testing.T) {
	cfg := NewConfig()
	cfg.Data, cfg.Listen, cfg.Partitions, cfg.Browser.Slots = t.TempDir(), "127.0.0.1:0", 2, 1
	n, err := Start(t.Context(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	job := events.NewJobID()
	for _, body := range []events.CommandBody{
		events.CreateAccount{Plan: events.PlanFree},
		events.IssueKey{Key: events.Key{ID: "k"}},
		events.Submission{SubmitJob: events.SubmitJob{Job: job, Key: "k", Operation: events.HTMLToPDF, Test: true}},
	} {
		if reply, err := n.Commands().Do("acc", body); err != nil || reply.Code != events.Accepted {
			t.Fatalf("%T: %v %v", body, reply, err)
		}
	}
	var owned string
	testkit.Eventually(t, "the job is done", func() bool {
		j, _, err := n.Replica().Job("acc", job)
		owned = j.File.Name
		return err == nil && j.Status == events.StatusDone
	})
	other := func() string { return events.FileName(events.NewJobID(), events.NewAttemptID(), 1, ".pdf") }
	young, lost := other(), other()
	old := map[string]bool{ // and whether the file is left
		owned: true,
		events.FileName(job, 7, events.Partition("acc", 2), ".pdf"): false,
		lost:         false,
		"probe-node": false,
		"notes.txt":  true,
	}
	for name := range old {
		if name != owned {
			put(t, n, name)
		}
		makeOld(t, n, name)
	}
	put(t, n, young)
	if swept, err := orphans(n.base, &n.storage).Sweep(t.Context()); err != nil || swept != (retention.Swept{Deleted: 3}) {
		t.Errorf("%+v, want 3 files deleted; %v", swept, err)
	}
	old[young] = true
	for name, left := range old {
		f, err := n.Files().Open(t.Context(), name)
		if (err == nil) != left {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}

// A file whose job's commands are still undecided, like those of a node that was away, is not an orphan yet. Those of other partitions are deleted
// meanwhile.
func TestOrphansOfUndecidedCommands(t *testing.T) {
	n := newClockedNode(t)
	n.startAhead(-time.Hour) // it owns nothing
	job, attempt, partition := events.NewJobID(), events.NewAttemptID(), events.Partition("acc", n.Log().Partitions())
	file := events.FileName(job, attempt, partition, ".pdf")
	for _, body := range []events.CommandBody{
		events.Submission{SubmitJob: events.SubmitJob{Job: job, Key: "k", Operation: events.HTMLToPDF, Test: true}},
		events.StartRender{Job: job, Attempt: attempt, Node: n.ID()},
		events.FinishRender{Job: job, Attempt: attempt, File: events.File{Name: file, Size: 1, Pages: 1}},
	} {
		if err := command.AppendWait(t.Context(), n.Log(), events.NewCommand("acc", n.clock.Now(), body)); err != nil {
			t.Fatal(err)
		}
	}
	refused := events.FileName(job, attempt+1, partition, ".pdf")
	elsewhere := events.FileName(events.NewJobID(), attempt, 1-partition, ".pdf")
	for _, name := range []string{file, refused, elsewhere} {
		put(t, n.Node, name)
		makeOld(t, n.Node, name)
	}
	sweep := orphans(n.base, &n.storage)
	sweep.Now = time.Now
	sweep.Settle = func(ctx context.Context) (func(string) bool, error) {
		return retention.Settle(ctx, n.Log(), n.Replica(), 0)
	}
	if swept, err := sweep.Sweep(t.Context()); err != nil || swept != (retention.Swept{Deleted: 1, Left: 2}) {
		t.Errorf("while commands wait: %+v, %v", swept, err)
	}
	n.AcceptClock()
	sweep = orphans(n.base, &n.storage)
	sweep.Now = time.Now
	if swept, err := sweep.Sweep(t.Context()); err != nil || swept != (retention.Swept{Deleted: 1}) {
		t.Errorf("when they are decided: %+v, %v", swept, err)
	}
	if j, _, err := n.Replica().Job("acc", job); err != nil || j.File.Name != file {
		t.Errorf("the job has %+v, %v", j.File, err)
	}
	f, err := n.Files().Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

func put(t *testing.T, n *Node, name string) {
	t.Helper()
	if _, err := n.Files().Put(t.Context(), name, bytes.NewReader([]byte("x")), 1); err != nil {
		t.Fatal(err)
	}
}

// makeOld sets back the time of a stored file.
func makeOld(t *testing.T, n *Node, name string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(n.cfg.Data, "files", "*", name))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s is at %q, %v", name, paths, err)
	}
	then := time.Now().Add(-retention.OrphanAge - time.Minute)
	if err := os.Chtimes(paths[0], then, then); err != nil {
		t.Fatal(err)
	}
}
