package backup_test

import (
	"context"
	"testing"

	"platen.dev/cmd/platen/backup"
	"platen.dev/store"
)

// meeting is a store whose readers wait until there are two of them.
type meeting struct {
	store.Files
	waiting chan struct{} // takes one
	met     chan struct{}
}

func (m meeting) Open(ctx context.Context, name string) (*store.File, error) {
	select {
	case <-m.met:
	case m.waiting <- struct{}{}:
		<-m.met
	default:
		close(m.met)
	}
	return m.Files.Open(ctx, name)
}

// Partitions are copied in parallel, and a backup reports the total work.
func TestPartitionsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50)
	w.steps(100)
	place := newFiles()
	r := w.take(place, 0, func(c *backup.Config) {
		c.Results = meeting{w.results, make(chan struct{}, 1), make(chan struct{})}
	})
	for _, p := range r.Partitions {
		if p.Files.Count == 0 {
			t.Fatal("a partition has no file")
		}
	}
	must(t, verify(t, place, r.Manifest))
	if r.Worked <= r.Sent.Bytes || r.Took <= 0 {
		t.Errorf("%d bytes were worked on in %s, %d sent", r.Worked, r.Took, r.Sent.Bytes)
	}
}
