package retention

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// shelf is a store of files by the times when they were stored.
type shelf map[string]time.Time

func (s shelf) Each(_ context.Context, visit func(string, int64, time.Time) error) error {
	for name, stored := range s {
		if err := visit(name, 0, stored); err != nil {
			return err
		}
	}
	return nil
}

func (s shelf) Delete(_ context.Context, name string) error {
	delete(s, name)
	return nil
}

// Only files that are old and that no job owns are deleted, and none while ownership is uncertain.
func TestOrphans(t *testing.T) {
	now := time.Now()
	fresh := func() shelf {
		return shelf{
			"old":       now.Add(-OrphanAge - 1),
			"owned":     now.Add(-OrphanAge - 1),
			"too young": now.Add(-OrphanAge),
		}
	}
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		settled, owned error
		known          bool
		left           []string
		swept          Swept
		err            error
	}{
		"all is well":                      {nil, nil, true, []string{"owned", "too young"}, Swept{Deleted: 1}, nil},
		"commands wait":                    {nil, nil, false, []string{"old", "owned", "too young"}, Swept{Left: 1}, nil},
		"the ends are not known":           {broken, nil, true, []string{"old", "owned", "too young"}, Swept{}, broken},
		"the owner of a file is not known": {nil, broken, true, []string{"old", "owned", "too young"}, Swept{}, broken},
	} {
		files := fresh()
		o := Orphans{
			Files: files, Now: func() time.Time { return now }, Logger: testkit.Silent(),
			Settle: func(context.Context) (func(string) bool, error) {
				return func(string) bool { return tc.known }, tc.settled
			},
			Owned: func(name string) (bool, error) { return name == "owned", tc.owned },
		}
		swept, err := o.Sweep(t.Context())
		if left := slices.Sorted(maps.Keys(files)); !slices.Equal(left, tc.left) || !errors.Is(err, tc.err) || swept != tc.swept {
			t.Errorf("%s: %q are left, %+v, %v", name, left, swept, err)
		}
	}
}

// shelfInOrder lists files by name, and cannot delete some.
type shelfInOrder struct {
	shelf
	held map[string]bool
}

func (s shelfInOrder) Each(_ context.Context, visit func(string, int64, time.Time) error) error {
	for _, name := range slices.Sorted(maps.Keys(s.shelf)) {
		if err := visit(name, 0, s.shelf[name]); err != nil {
			return err
		}
	}
	return nil
}

var errHeld = errors.New("held")

func (s shelfInOrder) Delete(ctx context.Context, name string) error {
	if s.held[name] {
		return errHeld
	}
	return s.shelf.Delete(ctx, name)
}

// A file that cannot be judged or deleted is named, and keeps no others; if nothing can be done about many, the sweep ends.
func TestOrphansBehindOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		held, unjudged string // the digits with which such files end
		deleted        int
	}{
		"one cannot be deleted": {"0", "", 9},
		"one cannot be judged":  {"", "3", 9},
		"one each":              {"0", "3", 8},
		"hardly any can":        {"12345678", "", 2},
	} {
		now := time.Now()
		files := shelfInOrder{shelf{}, map[string]bool{}}
		ends := func(file, digits string) bool { return strings.ContainsAny(file[len(file)-1:], digits) }
		for i := range 10 {
			file := fmt.Sprintf("file-%d", i)
			files.shelf[file], files.held[file] = now.Add(-OrphanAge-1), ends(file, tc.held)
		}
		o := Orphans{
			Files: files, Now: func() time.Time { return now }, Logger: testkit.Silent(),
			Settle: func(context.Context) (func(string) bool, error) { return func(string) bool { return true }, nil },
			Owned: func(file string) (bool, error) {
				if ends(file, tc.unjudged) {
					return false, errHeld
				}
				return false, nil
			},
		}
		swept, err := o.Sweep(t.Context())
		if len(files.shelf) != 10-tc.deleted || swept.Deleted != tc.deleted || !errors.Is(err, errHeld) {
			t.Errorf("%s: %d files are left, %+v, %v", name, len(files.shelf), swept, err)
		}
	}
}

// A sweep of a store that deletes nothing ends after some attempts.
func TestOrphansGiveUp(t *testing.T) {
	now, files := time.Now(), shelfInOrder{shelf{}, map[string]bool{}}
	for i := range 2 * maxFailed {
		file := fmt.Sprint(i)
		files.shelf[file], files.held[file] = now.Add(-OrphanAge-1), true
	}
	o := Orphans{
		Files: files, Now: func() time.Time { return now }, Logger: testkit.Silent(),
		Settle: func(context.Context) (func(string) bool, error) { return func(string) bool { return true }, nil },
		Owned:  func(string) (bool, error) { return false, nil },
	}
	if swept, err := o.Sweep(t.Context()); swept != (Swept{}) || !errors.Is(err, errGivenUp) || strings.Count(err.Error(), errHeld.Error()) != maxFailed {
		t.Errorf("%+v, %v", swept, err)
	}
}

// counted counts the files that are listed.
type counted struct {
	shelf
	listed *int
}

func (c counted) Each(ctx context.Context, visit func(string, int64, time.Time) error) error {
	return c.shelf.Each(ctx, func(name string, size int64, stored time.Time) error {
		*c.listed++
		return visit(name, size, stored)
	})
}

// A sweep remembers a bounded number of files, and settles each batch after listing it. Files that get an owner meanwhile are left.
func TestOrphansAreSweptInBatches(t *testing.T) {
	now, files, listed, settled := time.Now(), shelf{}, 0, 0
	for i := range 2*suspects + 2 {
		files[fmt.Sprint(i)] = now.Add(-OrphanAge - 1)
	}
	o := Orphans{
		Files: counted{files, &listed}, Now: func() time.Time { return now }, Logger: testkit.Silent(),
		Settle: func(context.Context) (func(string) bool, error) {
			if settled++; listed > settled*suspects+1 {
				t.Errorf("%d files were listed before the %d. settlement", listed, settled)
			}
			return func(string) bool { return true }, nil
		},
		Owned: func(name string) (bool, error) { return name == "17" && settled > 0, nil },
	}
	swept, err := o.Sweep(t.Context())
	if _, left := files["17"]; err != nil || settled != 3 || swept.Deleted != 2*suspects+1 || len(files) != 1 || !left {
		t.Errorf("%d settlements, %+v, %d files left, %v", settled, swept, len(files), err)
	}
}
