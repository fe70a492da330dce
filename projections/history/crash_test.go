package history_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections/history"
	"platen.dev/store"
)

// errKilled is the error of everything after the moment at which the process is killed.
var errKilled = errors.New("killed")

// mortal counts the steps done to the store and the log, and stops everything after a number of them.
// The last one is done, but its caller does not learn of it.
type mortal struct{ left int }

func (m *mortal) step(do func() error) error {
	m.left--
	switch {
	case m.left < 0:
		return errKilled
	case m.left == 0:
		return errors.Join(do(), errKilled)
	}
	return do()
}

type mortalFiles struct {
	store.Files
	*mortal
}

func (f mortalFiles) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	err = f.step(func() error { size, err = f.Files.Put(ctx, name, r, limit); return err })
	return size, err
}

func (f mortalFiles) Delete(ctx context.Context, name string) error {
	return f.step(func() error { return f.Files.Delete(ctx, name) })
}

type mortalLog struct {
	eventlog.Log
	*mortal
}

func (l mortalLog) Trim(ctx context.Context, topic string, p int32, before int64) error {
	return l.step(func() error { return l.Log.Trim(ctx, topic, p, before) })
}

// Wherever the process is killed while it takes, verifies, deletes and trims, a new node has what the
// old one has, and the next look completes what was begun.
func TestKilledAtEachStep(t *testing.T) {
	f := newFixture(t)
	look := func(steps int) int {
		m := &mortal{left: steps}
		k := f.keeper(func(c *history.Config) {
			c.Files, c.Log = mortalFiles{f.files, m}, mortalLog{f.log, m}
		})
		k.Look(t.Context())
		return m.left
	}
	for range 3 {
		f.days(3)
		look(1 << 30)
	}
	for killed := 1; ; killed++ {
		f.days(3)
		want := dump(t, f.replica)
		left := look(killed)
		f.expectNewNode(fmt.Sprintf("killed at %d", killed))
		start := f.start(events.TopicJournal, 0)
		f.look(f.keeper())
		if refs := f.refs(0); len(refs) != 2 || refs[0].Next != f.replica.Cursor(0).Next || f.start(events.TopicJournal, 0) < start {
			t.Errorf("killed at step %d: after the next look there are %v", killed, refs)
		}
		if !maps.Equal(dump(t, f.replica), want) {
			t.Errorf("killed at step %d: the replica has changed", killed)
		}
		if left >= 0 {
			t.Logf("%d steps", killed-left)
			return
		}
	}
}
