package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Backups taken while the world moves on are consistent: every effect in them has its cause there, and a cluster that begins from one charges every
// job of it once.
func TestCutUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Rand(t).Uint64())
	w.tail = 300 // more than happens while a cut is made
	w.steps(600)
	place := newFiles()
	world := make(chan struct{}) // receives after each step, if somebody waits
	slowly := func(c *backup.Config) {
		c.Pace = func(context.Context) snapshot.Pace {
			return func(int) error { <-world; <-world; return nil }
		}
	}
	taken := make(chan error, 1)
	var reports []backup.Report
	go func() {
		for range 6 {
			r, err := backup.Take(context.Background(), w.config(slowly), place, 0)
			if err != nil {
				taken <- err
				return
			}
			reports = append(reports, r)
		}
		taken <- nil
	}()
	steps := 0
	for going := true; going; steps++ {
		w.step()
		select {
		case err := <-taken:
			must(t, err)
			going = false
		case world <- struct{}{}:
		default:
		}
	}
	missing, parts := 0, map[string]bool{}
	for _, r := range reports {
		for _, one := range r.Partitions {
			parts["base"] = parts["base"] || one.Base != nil
			parts["content"] = parts["content"] || len(one.Commands) > 0
			parts["entries"] = parts["entries"] || len(one.Ledger) > 0 && one.Ledger[0].Figures.Entries > 0
			parts["files"] = parts["files"] || one.Files.Count > 0
		}
		must(t, verify(t, place, r.Manifest))
		restored := newCluster(t)
		must(t, restored.target().CheckEmpty(t.Context(), partitions))
		must(t, backup.Restore(t.Context(), place, r.Manifest, restored.target()))
		missing += restored.check(r.Manifest)
	}
	if len(parts) != 4 || slices.Contains(slices.Collect(maps.Values(parts)), false) {
		t.Errorf("of what a backup can have, these had some: %v", parts)
	}
	t.Logf("%d steps while %d backups were taken; %d files were deleted meanwhile", steps, len(reports), missing)
}

// check checks that a restored cluster matches a manifest, and continues from there.
func (c *cluster) check(m backup.Manifest) (missing int) {
	c.t.Helper()
	for p, one := range m.Partitions {
		c.checkLog(int32(p), one)
	}
	c.run()
	for p, one := range m.Partitions {
		missing += len(one.Files.Missing)
		c.checkCursor(int32(p), one.Cursor)
		must(c.t, account.EachJob(c.replica, int32(p), func(id events.JobID, s job.State) { c.checkJob(int32(p), id, s, one) }))
	}
	c.settled()
	c.equal()
	return missing
}

// checkCursor checks that a partition continues from the cut in another timeline. Only its marker follows, and a gap that names the topic of the
// commands.
func (c *cluster) checkCursor(p int32, want projections.Cursor) {
	c.t.Helper()
	got := c.replica.Cursor(p)
	if got.Timeline == want.Timeline || got.Number <= want.Number || got.Owner != "restore" || got.Epoch != want.Next || got.Next != want.Next+2 {
		c.t.Errorf("partition %d: the cursor is %+v, the cut was %+v", p, got, want)
	}
	want.Timeline, want.Number, want.Owner, want.Epoch, want.Next = got.Timeline, got.Number, got.Owner, got.Epoch, got.Next
	want.Commands = events.TopicID(c.log.TopicID(events.TopicCommands))
	if got != want {
		c.t.Errorf("partition %d: the cursor is %+v, want %+v", p, got, want)
	}
}

// checkLog checks that nothing in the log follows from something missing.
func (c *cluster) checkLog(p int32, one backup.Partition) {
	c.t.Helper()
	if _, end, err := c.log.Bounds(c.t.Context(), events.TopicCommands, p); err != nil || end != one.Cursor.Cause+1 {
		c.t.Errorf("partition %d: the commands end at %d, the last one that was decided is %d (%v)", p, end, one.Cursor.Cause, err)
	}
	start, end, err := c.log.Bounds(c.t.Context(), events.TopicEvents, p)
	must(c.t, err)
	if start != 0 || end != one.Events.End-one.Events.Start {
		c.t.Errorf("partition %d: the events go from %d to %d, those of the backup from %d to %d", p, start, end, one.Events.Start, one.Events.End)
	}
	if start < end {
		r, err := eventlog.ReadOne(c.t.Context(), c.log, events.TopicEvents, p, end-1)
		must(c.t, err)
		if e, err := public.Parse(r); err != nil || e.Position.Offset >= one.Cursor.Next {
			c.t.Errorf("partition %d: the last event is of offset %d of the journal, which ends at %d (%v)", p, e.Position.Offset, one.Cursor.Next, err)
		}
	}
	if next, err := c.ledger.Next(c.t.Context(), events.TopicEvents, p); err != nil || next != 0 {
		c.t.Errorf("partition %d: the ledger goes on at %d (%v)", p, next, err)
	}
}

func (c *cluster) checkJob(p int32, id events.JobID, s job.State, one backup.Partition) {
	c.t.Helper()
	switch {
	case s.Active():
		r, err := eventlog.ReadOne(testkit.Context(c.t), c.log, events.TopicCommands, p, s.Content)
		if err != nil || string(r.Value) != id.String() || string(r.Key) != "key" {
			c.t.Errorf("the content of job %s is %q (%v)", id, r.Value, err)
		}
	case s.Phase == job.Done:
		got, there := read(c.t, c.results, s.File)
		if lost := strings.Contains(strings.Join(one.Files.Missing, " "), s.File); there == lost || there && got != id.String() {
			c.t.Errorf("the file of job %s is %q; there %t, missed %t", id, got, there, lost)
		}
	}
}

// Existing chunks are not written again.
func TestIncremental(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.steps(400)
	w.quiet()
	place := newFiles()
	first := w.take(place, 0)
	if first.Sent.Chunks == 0 || first.Sent.Bytes == 0 {
		t.Fatalf("the first backup wrote %+v", first.Sent)
	}
	before := stored(t, place)
	second := w.take(place, 0)
	if second.Sent != (backup.Sent{}) || len(stored(t, place)) != len(before)+1 {
		t.Errorf("a backup of an unchanged cluster wrote %+v, and %d files", second.Sent, len(stored(t, place))-len(before))
	}
	w.submit()
	w.finish(w.jobs[len(w.jobs)-1])
	w.catchUp()
	w.quiet()
	third := w.take(place, 0)
	// The journal, the events, the file and the index of files of one partition.
	if third.Sent.Chunks == 0 || third.Sent.Chunks > 4 {
		t.Errorf("after one more job, a backup wrote %+v", third.Sent)
	}
	for _, r := range []backup.Report{first, second, third} {
		must(t, verify(t, place, r.Manifest))
	}
}

// stored are the files of a store with their sizes.
func stored(t *testing.T, files store.Files) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	must(t, files.Each(t.Context(), func(name string, _ int64, _ time.Time) error {
		f, err := files.Open(t.Context(), name)
		if err != nil {
			return err
		}
		all[name] = f.Size
		return f.Close()
	}))
	return all
}

// A missing chunk, or a place with another cluster's backups, makes no backup worse.
func TestPlaceThatLacksSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.steps(200)
	place := newFiles()
	w.take(place, 0)
	for name := range stored(t, place) {
		if strings.HasPrefix(name, "chunk-") {
			must(t, place.Delete(t.Context(), name))
		}
	}
	must(t, verify(t, place, w.take(place, 0).Manifest))
	other := newWorld(t, 3)
	other.steps(250)
	r := other.take(place, 0)
	must(t, verify(t, place, r.Manifest))
	restored := newCluster(t)
	must(t, backup.Restore(t.Context(), place, r.Manifest, restored.target()))
	restored.check(r.Manifest)
}

// The newest backups are kept, and chunks that only others needed are deleted once they are two days old.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	place := newFiles()
	var refs []backup.Ref
	for range 4 {
		w.steps(60)
		refs = append(refs, w.take(place, 0).Ref)
	}
	all := stored(t, place)
	later := func(by time.Duration) func(*backup.Config) {
		return func(c *backup.Config) { c.Now = func() time.Time { return time.Now().Add(by) } }
	}
	r := w.take(place, 2, later(47*time.Hour))
	if got := fmt.Sprint(r.Dropped); got != fmt.Sprint([]backup.Ref{refs[2], refs[1], refs[0]}) {
		t.Errorf("dropped %s of %v", got, refs)
	}
	for name := range all {
		if _, there := stored(t, place)[name]; strings.HasPrefix(name, "chunk-") && !there {
			t.Errorf("%s is younger than two days, and gone", name)
		}
	}
	r = w.take(place, 2, later(49*time.Hour))
	left := stored(t, place)
	if len(left) >= len(all) {
		t.Errorf("of %d files %d are left", len(all), len(left))
	}
	kept, err := backup.List(t.Context(), place)
	must(t, err)
	if len(kept) != 2 || kept[0] != r.Ref {
		t.Errorf("kept %v, the newest is %s", kept, r.Ref)
	}
	for _, ref := range kept {
		m, err := backup.Open(t.Context(), place, ref)
		must(t, err)
		must(t, verify(t, place, m))
	}
}

// A backup taken after a clock was ahead is the newest of its place nevertheless, and not the one that is dropped. Only those taken while it was ahead
// are reported, until they are dropped.
func TestNamedInTheFuture(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 77)
	place := newFiles()
	ahead := w.take(place, 0, func(c *backup.Config) { c.Now = func() time.Time { return time.Now().Add(300 * 24 * time.Hour) } })
	for n := 1; n <= 2; n++ {
		if r := w.take(place, 0); len(r.Ahead) != 1 || r.Ahead[0] != ahead.Ref {
			t.Errorf("%v were taken in the future, not only %s", r.Ahead, ahead.Ref)
		}
	}
	w.steps(30)
	for n := 1; n <= 3; n++ {
		r := w.take(place, 1)
		refs, err := backup.List(t.Context(), place)
		must(t, err)
		if len(refs) != 1 || refs[0] != r.Ref || len(r.Dropped) != map[bool]int{true: 3, false: 1}[n == 1] {
			t.Errorf("backup %d: there are %v, %s was taken and %v dropped", n, refs, r.Ref, r.Dropped)
		}
		if n == 1 && !slices.Equal(r.Ahead, []backup.Ref{ahead.Ref}) || n > 1 && len(r.Ahead) > 0 {
			t.Errorf("backup %d: %v were taken in the future", n, r.Ahead)
		}
		if ref, m, err := backup.Find(t.Context(), place, ""); err != nil || ref != r.Ref || !m.Taken.Equal(r.Taken) || m.Taken.After(time.Now().Add(time.Hour)) {
			t.Errorf("backup %d: found %s of %s, %v", n, ref, m.Taken, err)
		}
	}
}

// overtaken is a store in which a later backup is finished as soon as one is.
type overtaken struct {
	store.Files
	later func()
}

func (o overtaken) Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error) {
	size, err := o.Files.Put(ctx, name, r, limit)
	if strings.HasPrefix(name, "backup-") {
		o.later()
	}
	return size, err
}

// A backup is a success though another node finishes a later one first. Both are kept, and no more than asked for besides.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	for keep, want := range map[int]int{1: 2, 2: 2, 3: 3} {
		w := newWorld(t, 78)
		place := newFiles()
		w.steps(30)
		w.take(place, 0)
		w.take(place, 0)
		var later backup.Report
		r, err := backup.Take(t.Context(), w.config(), overtaken{place, func() { later = w.take(place, 0) }}, keep)
		must(t, err)
		refs, err := backup.List(t.Context(), place)
		must(t, err)
		if len(refs) != want || refs[0] != later.Ref || refs[1] != r.Ref || len(r.Dropped) != 4-want {
			t.Errorf("keeping %d: %v are left, and %v dropped; taken were %s and %s", keep, refs, r.Dropped, r.Ref, later.Ref)
		}
		for _, ref := range refs {
			m, err := backup.Open(t.Context(), place, ref)
			must(t, err)
			must(t, verify(t, place, m))
		}
	}
}

var errKilled = errors.New("killed")

// mortal is a store that does nothing more after a number of changes. The last one is done, but its caller does not learn of it.
type mortal struct {
	store.Files
	left *atomic.Int64
}

func (m mortal) step(do func() error) error {
	switch left := m.left.Add(-1); {
	case left < 0:
		return errKilled
	case left == 0:
		return errors.Join(do(), errKilled)
	}
	return do()
}

func (m mortal) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	err = m.step(func() error { size, err = m.Files.Put(ctx, name, r, limit); return err })
	return size, err
}

func (m mortal) Delete(ctx context.Context, name string) error {
	return m.step(func() error { return m.Files.Delete(ctx, name) })
}

// Wherever a backup is killed, every backup with a manifest is whole, and an earlier one or the new one is there.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	place := newFiles()
	w.steps(40)
	w.take(place, 0)
	old := func(c *backup.Config) { c.Now = func() time.Time { return time.Now().Add(49 * time.Hour) } }
	for steps := 1; ; steps++ {
		w.steps(10)
		var left atomic.Int64
		left.Store(int64(steps))
		_, err := backup.Take(t.Context(), w.config(old), mortal{place, &left}, 1)
		if killed := errors.Is(err, errKilled); killed != (left.Load() <= 0) || err != nil && !killed {
			t.Fatalf("at step %d: %v", steps, err)
		}
		refs, listErr := backup.List(t.Context(), place)
		if listErr != nil || len(refs) == 0 {
			t.Fatalf("killed at step %d: %v (%v)", steps, refs, listErr)
		}
		for _, ref := range refs {
			m, err := backup.Open(t.Context(), place, ref)
			must(t, err)
			if err := verify(t, place, m); err != nil {
				t.Errorf("killed at step %d: %s: %v", steps, ref, err)
			}
		}
		if err == nil {
			t.Logf("%d steps", steps)
			return
		}
	}
}

// A target that has any data is refused.
func TestNotEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	w.steps(100)
	m := w.take(newFiles(), 0).Manifest
	for name, spoil := range map[string]func(*cluster){
		"":              func(c *cluster) { put(t, c.results, backup.Claim) }, // of results that have expired
		"journal":       func(c *cluster) { must(t, c.log.Begin(t.Context(), events.TopicJournal, 1, 1)) },
		"commands":      func(c *cluster) { must(t, c.log.Begin(t.Context(), events.TopicCommands, 0, 1)) },
		"platen.events": func(c *cluster) { must(t, c.log.Begin(t.Context(), events.TopicEvents, 0, 1)) },
		"poison":        func(c *cluster) { must(t, c.log.Begin(t.Context(), events.TopicPoison, 0, 1)) },
		"results":       func(c *cluster) { put(t, c.results, "a.pdf") },
		"snapshots":     func(c *cluster) { put(t, c.snapshots, "p0000") },
		"ledger": func(c *cluster) {
			must(t, c.ledger.Append(t.Context(), ledgerBatch()))
		},
	} {
		c := newCluster(t)
		spoil(c)
		err := c.target().CheckEmpty(t.Context(), int32(len(m.Partitions)))
		if name == "" && err != nil || name != "" && (!errors.Is(err, backup.ErrNotEmpty) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := newCluster(t).target().CheckEmpty(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "partitions = 3") {
		t.Errorf("another number of partitions: %v", err)
	}
}

func put(t *testing.T, files store.Files, name string) {
	t.Helper()
	_, err := files.Put(t.Context(), name, strings.NewReader("x"), 1)
	must(t, err)
}

// The rows of two replicas are the same bytes, except the cursors, which are in another timeline.
func TestRowsAreTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	w.steps(300)
	place := newFiles()
	m := w.take(place, 0).Manifest
	restored := newCluster(t)
	must(t, backup.Restore(t.Context(), place, m, restored.target()))
	restored.run()
	got, want := dump(t, restored), dump(t, w.cluster)
	differ := maps.Clone(want)
	maps.DeleteFunc(differ, func(key, value string) bool { return got[key] == value })
	if len(got) != len(want) || len(want) == 0 || len(differ) != partitions { // the cursors
		t.Errorf("%d rows, the original has %d, and %d differ", len(got), len(want), len(differ))
	}
}

func dump(t *testing.T, c *cluster) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, c.replica.Scan(nil, func(key, value []byte) bool {
		if key[0] != 0 { // what describes the store is no row
			all[string(key)] = string(value)
		}
		return true
	}))
	return all
}
