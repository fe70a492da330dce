package node

import (
	"errors"
	"os"
	"strings"
	"testing"

	"platen.dev/store"
)

// A store of results belongs to one log. One that has none of the results that jobs still have is another than before, unless an operator says that it
// is not.
func TestClaim(t *testing.T) {
	files, err := store.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	of := func(log string) claimant {
		return claimant{files: files, log: log, place: "PLACE", path: files.Path(claim)}
	}
	kept := func(names ...string) func() ([]string, error) {
		return func() ([]string, error) { return names, nil }
	}
	put := func(name, content string) {
		t.Helper()
		if _, err := files.Put(t.Context(), name, strings.NewReader(content), 100); err != nil {
			t.Fatal(err)
		}
	}
	put("there.pdf", "x")
	for name, c := range map[string]struct {
		claimed string // "-" for nobody
		by      string
		kept    []string
		want    error
		owner   string
	}{
		"nothing is kept":       {"-", "a", nil, nil, "a"},
		"some is there":         {"-", "a", []string{"gone.pdf", "there.pdf"}, nil, "a"},
		"nothing is there":      {"-", "a", []string{"gone.pdf", "gone2.pdf"}, errNoResults, "-"},
		"an operator allows it": {"", "a", []string{"gone.pdf"}, nil, "a"},
		"ours":                  {"a", "a", []string{"gone.pdf"}, nil, "a"},
		"of another log":        {"b\n", "a", nil, errForeignResults, "b"},
		"an id is unknown":      {"b", "", []string{"gone.pdf"}, nil, "b"},
	} {
		if err := files.Delete(t.Context(), claim); err != nil {
			t.Fatal(err)
		}
		if c.claimed != "-" {
			put(claim, c.claimed)
		}
		err := of(c.by).take(t.Context(), kept(c.kept...))
		if !errors.Is(err, c.want) || err != nil && (!strings.Contains(err.Error(), "PLACE") || !strings.Contains(err.Error(), claim)) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		owner, err := of("").read(t.Context())
		if errors.Is(err, os.ErrNotExist) {
			owner = "-"
		}
		if owner != c.owner {
			t.Errorf("%s: then it is claimed by %q, want %q", name, owner, c.owner)
		}
	}
}
