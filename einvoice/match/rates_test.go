package match

import (
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/document/pagetext"
	"platen.dev/events/testkit"
)

// specimens returns the pages printed by `go test ./actors/render -run PagesMatch -update`.
func specimens(t testing.TB) (all []specimen) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no specimens", err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Profile, XML string
			Pages        []pagetext.Page
		}
		if err := json.NewDecoder(z).Decode(&read); err != nil {
			t.Fatal(file, err)
		}
		f.Close()
		all = append(all, specimen{strings.TrimSuffix(filepath.Base(file), ".json.gz"), read.Profile, []byte(read.XML), read.Pages})
	}
	return all
}

// Pages that match the XML have no findings.
func TestSpecimensMatch(t *testing.T) {
	terms := 0
	for _, s := range specimens(t) {
		r := Compare(s.invoice(t), s.pages)
		terms += r.Terms
		for _, f := range r.Findings {
			t.Errorf("%s: %s %s", s.name, f.Term, f)
		}
	}
	t.Logf("%d terms on all pages, no false alarm", terms)
}

// mutantKinds are the kinds of differences in mutants.
var mutantKinds = []string{"page digit", "XML digit", "hidden", "swapped"}

// countMutants makes up to n mutants of each kind from each specimen, and counts how many are detected.
func countMutants(t *testing.T, n int) (made, caught int) {
	t.Helper()
	rng := testkit.Rand(t)
	seed := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
	byKind := map[string][2]int{}
	for _, s := range specimens(t) {
		for _, kind := range mutantKinds {
			for range n {
				invoice, pages, what := s.mutate(t, kind, seed)
				if what == "" {
					continue
				}
				count := byKind[kind]
				count[0]++
				if len(Compare(invoice, pages).Findings) > 0 {
					count[1]++
				} else {
					t.Logf("missed: %s, %s: %s", s.name, kind, what)
				}
				byKind[kind] = count
			}
		}
	}
	for _, kind := range mutantKinds {
		t.Logf("%s: %d of %d caught", kind, byKind[kind][1], byKind[kind][0])
		made, caught = made+byKind[kind][0], caught+byKind[kind][1]
	}
	t.Logf("%d of %d mutants caught: %.2f %%", caught, made, 100*float64(caught)/float64(made))
	return made, caught
}

// A changed page or XML is detected.
func TestMutants(t *testing.T) {
	if made, caught := countMutants(t, 4); made < 300 || caught*100 < made*98 {
		t.Errorf("%d of %d", caught, made)
	}
}

func TestManyMutants(t *testing.T) {
	testkit.Long(t)
	if made, caught := countMutants(t, 60); made < 2000 || caught*1000 < made*995 {
		t.Errorf("%d of %d", caught, made)
	}
}

// BenchmarkCompare compares an ordinary invoice with its pages.
func BenchmarkCompare(b *testing.B) {
	for _, s := range specimens(b) {
		if s.name != "own-de-en16931" {
			continue
		}
		invoice := s.invoice(b)
		for b.Loop() {
			Compare(invoice, s.pages)
		}
	}
}
