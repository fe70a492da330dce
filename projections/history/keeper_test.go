package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

// Over simulated months the journal, the snapshots and the rows stay as many as after the second one, and at each moment a new node has the same as
// the old one.
func TestHistoryStaysFlat(t *testing.T) {
	f := newFixture(t)
	k := f.keeper()
	var rows, records, stored []int64
	for month := range 4 {
		for range 10 {
			f.days(3)
			f.look(k)
		}
		f.expectNewNode(fmt.Sprintf("month %d", month))
		rows, records, stored = append(rows, f.rows()), append(records, f.kept()), append(stored, f.stored())
	}
	for name, of := range map[string][]int64{"rows": rows, "records": records, "bytes of snapshots": stored} {
		if of[1] == 0 || float64(of[3]) > 1.1*float64(of[1]) {
			t.Errorf("%s: %d", name, of)
		}
	}
	t.Logf("rows %d, records %d, bytes %d", rows, records, stored)
	if c, _ := k.Figures(); c.Taken < 40 || c.Failed != 0 || c.Records == 0 {
		t.Errorf("%+v", c)
	}
}

// rows is how many rows the replica has, but for the replies, which are kept for a number of commands.
func (f *fixture) rows() (n int64) {
	for key := range dump(f.t, f.replica) {
		if key[0] != 'r' && key[0] != 's' {
			n++
		}
	}
	return n
}

// kept is how many records the journal has.
func (f *fixture) kept() (n int64) {
	for p := range int32(partitions) {
		start, end, err := f.log.Bounds(f.t.Context(), events.TopicJournal, p)
		must(f.t, err)
		n += end - start
	}
	return n
}

func (f *fixture) stored() (bytes int64) {
	for p := range int32(partitions) {
		for _, ref := range f.refs(p) {
			m, err := snapshot.Open(f.t.Context(), f.files, ref)
			must(f.t, err)
			bytes += m.Stored()
		}
	}
	return bytes
}

// The journal is trimmed to the last record of the oldest kept snapshot: not before there are two, and nothing that a publisher or a live node still
// needs.
func TestTrim(t *testing.T) {
	f := newFixture(t)
	var needed int64
	current := time.Time{}
	k := f.keeper(func(c *history.Config) {
		c.Published = func(context.Context, int32) (int64, int64, error) { return needed, 0, nil }
		c.Current = func() time.Time { return current }
	})
	step := func(what string, want int64) {
		t.Helper()
		f.days(3)
		k.Look(t.Context())
		if got := f.start(events.TopicJournal, 0); got != want {
			t.Errorf("%s: the journal begins at %d, want %d", what, got, want)
		}
	}
	step("one snapshot", 0)
	needed, current = 1<<40, f.now.Add(100*24*time.Hour)
	step("two snapshots", f.refs(0)[0].Next-1)
	first := f.start(events.TopicJournal, 0)
	current = begin
	step("a node is behind", first)
	needed, current = first+3, f.now.Add(100*24*time.Hour)
	step("not all is published", first+3)
	needed = 1 << 40
	second := f.refs(0)[0].Next - 1
	step("all is published", second)
	if n := len(f.refs(0)); n != 2 {
		t.Errorf("%d snapshots are kept", n)
	}
	f.expectNewNode("new")
}

// While the previous version may come back, the newest snapshot that it can read is kept beside the others, and the journal from there on. Without
// one, it needs all of the journal.
func TestTheSchemaBeforeIsSpared(t *testing.T) {
	f := newFixture(t)
	k := f.keeper()
	k.SetSince(events.NewestLevel + 1)
	var old snapshot.Ref
	for month := range 6 {
		f.days(3)
		f.look(k)
		if month == 2 {
			old = f.refs(0)[1] // the newer one must count, or this one would be rebuilt from the journal
			f.setSchema(old, projections.Schema-1)
		}
		start := f.start(events.TopicJournal, 0)
		switch refs := f.refs(0); {
		case month < 2 && start != 0:
			t.Errorf("without a snapshot of the schema before, the journal begins at %d", start)
		case month > 2 && (len(refs) != 3 || refs[2] != old || start != old.Next-1):
			t.Errorf("month %d: the snapshots are %v, the journal begins at %d; want the newest two and %v", month, refs, start, old)
		}
	}
	k.SetSince(events.NewestLevel)
	f.days(3)
	f.look(k)
	if refs := f.refs(0); len(refs) != 2 || f.start(events.TopicJournal, 0) != refs[1].Next-1 {
		t.Errorf("at the level of the schema, the snapshots are %v, and the journal begins at %d", refs, f.start(events.TopicJournal, 0))
	}
	f.expectNewNode("new")
}

// The version before leaves the snapshots of a newer one alone, and keeps as many of its own as if there were no others.
func TestNewerSnapshotsAreLeftAlone(t *testing.T) {
	f := newFixture(t)
	k := f.keeper(func(c *history.Config) { c.Keep = 3 })
	for range 3 {
		f.days(3)
		f.look(k)
	}
	first, newer := f.refs(0)[2], f.refs(0)[:2]
	for _, ref := range newer {
		f.setSchema(ref, projections.Schema+1)
	}
	k = f.keeper()
	f.days(3)
	f.look(k)
	if refs := f.refs(0); len(refs) != 4 || refs[3] != first {
		t.Errorf("after the first snapshot there are %v, want one more than %v and %v", refs, newer, first)
	}
	f.days(3)
	f.look(k)
	if refs := f.refs(0); len(refs) != 4 || !slices.Equal(refs[2:], newer) || f.start(events.TopicJournal, 0) != refs[1].Next-1 {
		t.Errorf("after the second there are %v, want two more than %v; the journal begins at %d", refs, newer, f.start(events.TopicJournal, 0))
	}
	f.expectNewNode("new")
}

// setSchema changes the schema that a snapshot says it has.
func (f *fixture) setSchema(ref snapshot.Ref, schema int) {
	f.t.Helper()
	m, err := snapshot.Open(f.t.Context(), f.files, ref)
	must(f.t, err)
	m.Schema = schema
	must(f.t, snapshot.Publish(f.t.Context(), f.files, ref, m))
}

// A snapshot that differs from a rebuild is not published, and nothing is trimmed before it.
func TestMismatch(t *testing.T) {
	f := newFixture(t)
	f.days(3)
	must(t, f.replica.Close())
	wrong, err := projections.Open(t.Context(), projections.Config{
		Dir: filepath.Join(f.dir, "wrong"), Log: f.log, Logger: testkit.Silent(), Projections: append(folds(), counting{}),
	})
	must(t, err)
	wrong.Start()
	must(t, catchUp(t, wrong))
	f.replica = wrong
	var said bytes.Buffer
	k := f.keeper(func(c *history.Config) { c.Logger = slog.New(slog.NewTextHandler(&said, nil)) })
	k.Look(t.Context())
	c, _ := k.Figures()
	if len(f.refs(0)) != 0 || c.Mismatches != partitions || c.Taken != 0 || f.start(events.TopicJournal, 0) != 0 {
		t.Errorf("%d snapshots, %+v, the journal begins at %d", len(f.refs(0)), c, f.start(events.TopicJournal, 0))
	}
	if !strings.Contains(said.String(), "A SNAPSHOT IS WRONG") || !strings.Contains(said.String(), "only the snapshot has the row 78") {
		t.Errorf("the log says %s", said.String())
	}
	k.Look(t.Context())
	if again, _ := k.Figures(); again.Failed != c.Failed {
		t.Error("it was tried again at once")
	}
}

// counting writes a row that no other replica has.
type counting struct{}

func (counting) Apply(tx *table.Tx, p int32, _ events.Envelope) {
	table := table.Table[int]{Name: 'x'}
	table.Put(tx, table.Key(p), 1)
}

// A damaged snapshot is skipped: the previous one is loaded, and the next one is compared with it. If none is left, a new node says so, and no
// snapshot is taken unless it is trusted.
func TestDamagedSnapshots(t *testing.T) {
	f := newFixture(t)
	k := f.keeper()
	for range 3 {
		f.days(3)
		f.look(k)
	}
	if f.start(events.TopicJournal, 0) == 0 {
		t.Fatal("nothing was trimmed")
	}
	damaged := f.refs(0)[0]
	f.damage(damaged)
	f.expectNewNode("one damaged")
	f.days(3)
	ref, m, err := k.Take(t.Context(), 0, history.Confirmed)
	if must(t, err); m.Base != f.refs(0)[2].Next {
		t.Errorf("%s was compared with a rebuild from %d", ref, m.Base)
	}
	for _, ref := range f.refs(0) {
		if ref != damaged {
			f.damage(ref)
		}
	}
	if r, err := f.tryOpen("all damaged", f.source()); !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), "begins at offset") {
		t.Errorf("a new node opened %v: %v", r, err)
	}
	f.days(3)
	if _, _, err := k.Take(t.Context(), 0, history.Confirmed); !errors.Is(err, history.ErrNoBase) {
		t.Error(err)
	}
	ref, m, err = k.Take(t.Context(), 0, history.Trusted)
	if must(t, err); m.Base != snapshot.Unconfirmed {
		t.Errorf("%s is said to be confirmed from %d", ref, m.Base)
	}
	f.expectNewNode("trusted")
}

// A snapshot that turned out to be damaged when the next one was to be confirmed from it is not relied on: the one before it is kept, and the journal
// since, until there are enough others.
func TestDamagedSnapshotsAreNotCounted(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		f.days(3)
		f.look(f.keeper())
	}
	refs := f.refs(0)
	damaged, before := refs[0], refs[1]
	f.damage(damaged)
	f.days(3)
	f.look(f.keeper())
	f.now = f.now.Add(2 * time.Hour)
	f.look(f.keeper()) // also one that begins later knows
	newest := f.refs(0)[0]
	if refs := f.refs(0); !slices.Equal(refs, []snapshot.Ref{newest, damaged, before}) || f.start(events.TopicJournal, 0) >= before.Next {
		t.Errorf("kept are %v, damaged is %s; the journal begins at %d", refs, damaged, f.start(events.TopicJournal, 0))
	}
	f.days(3)
	f.look(f.keeper())
	if refs := f.refs(0); len(refs) != 2 || refs[1] != newest || f.start(events.TopicJournal, 0) != newest.Next-1 {
		t.Errorf("kept are %v, the journal begins at %d", refs, f.start(events.TopicJournal, 0))
	}
	f.expectNewNode("new")
}

// silent is a store whose files cannot be read at present.
type silent struct{ store.Files }

var errSilent = errors.New("the store does not answer")

func (silent) Open(context.Context, string) (*store.File, error) { return nil, errSilent }

// A partition has no snapshot to begin with only if all were read: a store that does not answer may have one.
func TestUselessSnapshots(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		f.days(3)
		f.look(f.keeper())
	}
	restore := func(s *history.Source) error {
		return s.Restore(t.Context(), 0, -1, func(rows projections.Rows) error { return rows(func(_, _ []byte) error { return nil }) })
	}
	quiet := f.source()
	quiet.Files = silent{f.files}
	if err := restore(quiet); !errors.Is(err, errSilent) || errors.Is(err, projections.ErrNoSnapshot) {
		t.Errorf("a store that does not answer: %v", err)
	}
	refs := f.refs(0)
	f.damage(refs[0])
	if err := restore(f.source()); err != nil {
		t.Errorf("one of two snapshots is damaged: %v", err)
	}
	f.damage(refs[1])
	if err := restore(f.source()); !errors.Is(err, projections.ErrNoSnapshot) || !errors.Is(err, snapshot.ErrDamaged) {
		t.Errorf("all snapshots are damaged: %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(f.dir, "snapshots")))
	if err := restore(f.source()); !errors.Is(err, store.ErrGone) || errors.Is(err, projections.ErrNoSnapshot) {
		t.Errorf("a directory that is not mounted: %v", err)
	}
}

// damage changes a byte in the middle of the first chunk of a snapshot.
func (f *fixture) damage(ref snapshot.Ref) {
	f.t.Helper()
	found, err := filepath.Glob(filepath.Join(f.dir, "snapshots", "??", ref.String()+".00000"))
	if err != nil || len(found) != 1 {
		f.t.Fatal(found, err)
	}
	content, err := os.ReadFile(found[0])
	must(f.t, err)
	content[len(content)/2] ^= 1
	must(f.t, os.WriteFile(found[0], content, 0o600))
}

// A snapshot of another journal is refused, even if its offsets fit: the last record tells.
func TestForeignSnapshots(t *testing.T) {
	f, other := newFixture(t), newFixture(t)
	f.days(3)
	other.days(2)
	must(t, other.writer.End())
	other.days(1)
	k := other.keeper()
	f.look(k)
	f.files = other.files
	f.expectNewNode("new") // from the journal's beginning
	err := f.source().Restore(t.Context(), 0, 0, func(projections.Rows) error { t.Error("loaded"); return nil })
	if !errors.Is(err, history.ErrForeign) && !errors.Is(err, eventlog.ErrBeyondEnd) {
		t.Error(err)
	}
}

// Snapshots of a lost part of the journal do not displace useful ones: one beyond the journal's end is skipped, and one whose last record differs is
// deleted.
func TestSnapshotsOfALostEnd(t *testing.T) {
	f := newFixture(t)
	k := f.keeper()
	for range 3 {
		f.days(2)
		f.look(k)
	}
	kept := f.refs(0)
	m, err := snapshot.Open(t.Context(), f.files, kept[0])
	must(t, err)
	replaced := snapshot.NewRef(0, kept[0].Next)
	m.Last[0] ^= 1
	must(t, snapshot.Publish(t.Context(), f.files, replaced, m))
	behind := snapshot.NewRef(0, kept[0].Next+1_000)
	m.Cursor.Next = behind.Next
	must(t, snapshot.Publish(t.Context(), f.files, behind, m))
	f.days(2)
	f.look(f.keeper())
	refs := f.refs(0)
	if slices.Contains(refs, replaced) || !slices.Contains(refs, behind) || !slices.Contains(refs, kept[0]) || len(refs) != 3 {
		t.Errorf("kept are %v, before there were %v, replaced %s, behind the end %s", refs, kept, replaced, behind)
	}
	f.expectNewNode("new")
}

// A zombie's snapshot that is published late neither wins nor is relied on: the newest counts.
func TestZombie(t *testing.T) {
	f := newFixture(t)
	f.days(3)
	late := &holdingFiles{Files: f.files, held: map[string][]byte{}}
	zombie := f.keeper(func(c *history.Config) { c.Files = late })
	if _, _, err := zombie.Take(t.Context(), 0, history.Confirmed); err != nil {
		t.Fatal(err)
	}
	owner := f.keeper()
	for range 3 {
		f.days(3)
		f.look(owner)
	}
	newest, start := f.refs(0)[0], f.start(events.TopicJournal, 0)
	late.release(t)
	if refs := f.refs(0); refs[0] != newest || len(refs) != 3 {
		t.Errorf("snapshots %v, the newest was %s", refs, newest)
	}
	zombie.Look(t.Context()) // it still believes that it is the owner
	if at := f.start(events.TopicJournal, 0); at < start {
		t.Errorf("the journal begins at %d, it was %d", at, start)
	}
	f.expectNewNode("new")
	if refs := f.refs(0); len(refs) != 2 {
		t.Errorf("%d snapshots are kept", len(refs))
	}
}

// holdingFiles holds manifests back.
type holdingFiles struct {
	store.Files
	held map[string][]byte
}

func (h *holdingFiles) Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error) {
	if h.held == nil || !strings.HasSuffix(name, ".manifest") {
		return h.Files.Put(ctx, name, r, limit)
	}
	content, err := io.ReadAll(r)
	h.held[name] = content
	return int64(len(content)), err
}

func (h *holdingFiles) release(t *testing.T) {
	for name, content := range h.held {
		_, err := h.Files.Put(t.Context(), name, bytes.NewReader(content), int64(len(content)))
		must(t, err)
	}
	h.held = nil
}

// Public events are trimmed when they are old, and consumed, and published; those whose time cannot be
// read go with the ones after them.
func TestEventsAreTrimmed(t *testing.T) {
	f := newFixture(t)
	f.publishEvents(20) // one for each day
	f.now = begin.Add(40*24*time.Hour + time.Hour)
	for _, tc := range []struct {
		consumed, published, want int64
	}{{4, 100, 4}, {100, 7, 7}, {100, 100, 11}} {
		k := f.keeper(func(c *history.Config) {
			c.Consumed = func(context.Context, int32) (int64, error) { return tc.consumed, nil }
			c.Published = func(context.Context, int32) (int64, int64, error) { return 0, tc.published, nil }
		})
		k.Look(t.Context())
		if got := f.start(events.TopicEvents, 0); got != tc.want {
			t.Errorf("%+v: the events begin at %d", tc, got)
		}
	}
	k := f.keeper(func(c *history.Config) { c.Consumed = nil })
	f.now = f.now.Add(1000 * time.Hour)
	k.Look(t.Context())
	if got := f.start(events.TopicEvents, 0); got != 11 {
		t.Errorf("events that somebody may still need were trimmed before %d", got)
	}
}

// look has a keeper look, which must not fail.
func (f *fixture) look(k *history.Keeper) {
	f.t.Helper()
	k.Look(f.t.Context())
	if c, _ := k.Figures(); c.Failed > 0 {
		f.t.Fatalf("%+v", c)
	}
}

// publishEvents writes a public event for each of some days.
func (f *fixture) publishEvents(days int) {
	f.t.Helper()
	for day := range days {
		at := events.At(begin.Add(time.Duration(day) * 24 * time.Hour))
		fact := public.Of("", 0, int64(day), events.Envelope{Account: "acc_1", At: at, Events: []events.Event{events.PlanChanged{Plan: events.PlanPro}}})[0]
		fact.Sequence = int64(day) + 1
		r, err := fact.Record()
		must(f.t, err)
		if day == 3 {
			r.Headers = nil
		}
		_, err = eventlog.AppendWait(f.t.Context(), f.log, events.TopicEvents, 0, r)
		must(f.t, err)
	}
}

// failing opens nothing while it fails, as a store that is busy.
type failing struct {
	store.Files
	fails bool
}

func (s *failing) Open(ctx context.Context, name string) (*store.File, error) {
	if s.fails {
		return nil, errors.New("503 slow down")
	}
	return s.Files.Open(ctx, name)
}

// A store that does not answer once does not hide for ever how old the newest snapshot is.
func TestSnapshotIsReadAgain(t *testing.T) {
	f := newFixture(t)
	f.days(3)
	f.look(f.keeper())
	files := &failing{f.files, true}
	f.files, f.now = files, f.now.Add(10*time.Hour)
	k := f.keeper(func(c *history.Config) { c.Records, c.Every = 1<<40, 100*24*time.Hour })
	f.look(k)
	f.days(1)
	for _, fails := range []bool{true, false} {
		files.fails = fails
		f.look(k)
		_, age := k.Figures()
		if want := map[bool]time.Duration{true: 24 * time.Hour, false: 34 * time.Hour}[fails]; age != want {
			t.Errorf("it is said to be %s old, want %s; the store fails: %t", age, want, fails)
		}
	}
}
