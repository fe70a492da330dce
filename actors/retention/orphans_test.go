package retention

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// shelf is a store of files by the times when they were stored.
type shelf map[string]time.Time

func (s shelf) Each(_ context.Context, visit func(string, time.Time) error) error {
	for name, stored := range s {
		if err := visit(name, stored); err != nil {
			return err
		}
	}
	return nil
}

func (s shelf) Delete(_ context.Context, name string) error {
	delete(s, name)
	return nil
}

// Only files that are old and that no job owns are deleted, and none if the owners are not
// known for certain.
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
		caught, owned error
		left          []string
		err           error
	}{
		"all is well":                      {nil, nil, []string{"owned", "too young"}, nil},
		"the replica does not catch up":    {broken, nil, []string{"old", "owned", "too young"}, broken},
		"the owner of a file is not known": {nil, broken, []string{"old", "owned", "too young"}, broken},
	} {
		files := fresh()
		o := Orphans{
			Files: files, Now: func() time.Time { return now }, Logger: testkit.Silent(),
			CatchUp: func(context.Context) error { return tc.caught },
			Owned:   func(name string) (bool, error) { return name == "owned", tc.owned },
		}
		deleted, err := o.Sweep(t.Context())
		if left := slices.Sorted(maps.Keys(files)); !slices.Equal(left, tc.left) || !errors.Is(err, tc.err) || deleted != 3-len(left) {
			t.Errorf("%s: %q are left, %d deleted, %v", name, left, deleted, err)
		}
	}
}
