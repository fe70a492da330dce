package corpus

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The sample takes every nth document, and every nthFault of those about old faults.
const nth, nthFault = 80, 8

// TestCorpus compares Platen with the plain browser. CORPUS=all renders every document; the default is a fixed sample.
func TestCorpus(t *testing.T) {
	bench, web := newBench(t), newWeb(t)
	all := documents(t, web)
	var compared, deviating atomic.Int64
	t.Run("documents", func(t *testing.T) {
		for i, e := range all {
			if os.Getenv("CORPUS") == "all" && !testkit.InShare(t, i) || os.Getenv("CORPUS") != "all" && i%nth != 0 && (!e.fault || i%nthFault != 0 || testing.Short()) {
				continue
			}
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				compared.Add(1)
				if e.differs != nil {
					deviating.Add(1)
				}
				bench.check(t, e)
			})
		}
	})
	fmt.Printf("corpus: %d of %d documents compared with the plain browser, %d of them different on purpose\n", compared.Load(), len(all), deviating.Load())
}

// documents returns the whole corpus.
func documents(t *testing.T, w *web) (all []entry) {
	t.Helper()
	for _, of := range []func(*testing.T, *web) []entry{
		handwritten, postedDocuments, pictureDocuments, markdownDocuments, visitedDocuments, serverDocuments, captureDocuments,
		paperDocuments, readingDocuments,
	} {
		all = append(all, of(t, w)...)
	}
	return all
}

// TestEntries checks that names of documents are unique, that intended differences are in the table, and that each of these has a document.
func TestEntries(t *testing.T) {
	names, shown := map[string]bool{}, map[string]bool{}
	all := documents(t, newWeb(t))
	if len(all) < 300 {
		t.Errorf("only %d documents", len(all))
	}
	for _, e := range all {
		if names[e.name] {
			t.Errorf("two documents are named %s", e.name)
		}
		names[e.name] = true
		if e.differs == nil {
			continue
		}
		if differences[e.differs.name] == "" {
			t.Errorf("%s: no difference is named %s", e.name, e.differs.name)
		}
		if e.differs.like == (source{}) && e.differs.fails == nil {
			t.Errorf("%s does not say what must come out instead", e.name)
		}
		shown[e.differs.name] = true
	}
	for name := range differences {
		if !shown[name] {
			t.Errorf("no document shows the difference %s", name)
		}
	}
	for name := range known {
		if !names[name] {
			t.Errorf("there is no document %s, which is said to be rendered wrongly", name)
		}
	}
}

// check renders a document with both, and compares the results.
func (b *bench) check(t *testing.T, e entry) {
	t.Helper()
	plain, err := b.plainly(t, e)
	if err != nil {
		t.Fatalf("the plain browser: %v", err)
	}
	got, err := b.platen(t, e)
	outcomes := map[string]artefact{"platen": got, "plain": plain}
	complaints := b.judge(t, e, got, err, plain, outcomes)
	switch fault := known[e.name]; {
	case fault != "" && len(complaints) == 0:
		t.Errorf("it is right now: strike it off known (%s)", fault)
	case fault == "" && len(complaints) > 0:
		dir, err := os.MkdirTemp("", "platen-corpus-")
		if err != nil {
			t.Fatal(err)
		}
		for name, a := range outcomes {
			keep(t, dir, name, a)
		}
		t.Errorf("%s; see %s", strings.Join(complaints, "; "), dir)
	}
}

// judge lists what is wrong with the result.
func (b *bench) judge(t *testing.T, e entry, got artefact, failed error, plain artefact, outcomes map[string]artefact) (complaints []string) {
	t.Helper()
	d := e.differs
	if d != nil && d.fails != nil {
		if !errors.Is(failed, d.fails) {
			return []string{fmt.Sprintf("it fails with %v, want %v", failed, d.fails)}
		}
		return nil
	}
	if failed != nil {
		return []string{failed.Error()}
	}
	for _, word := range e.shows {
		if got.pdf != nil && !strings.Contains(got.text(), word) {
			complaints = append(complaints, fmt.Sprintf("no %q in %q", word, got.text()))
		}
	}
	if !got.warns(e.warns) {
		complaints = append(complaints, fmt.Sprintf("warnings %v, want %q", got.warnings, e.warns))
	}
	if d == nil {
		return append(complaints, got.unlike(plain)...)
	}
	if len(got.unlike(plain)) == 0 {
		complaints = append(complaints, "it is not different, although it claims "+d.name)
	}
	like := e
	like.source, like.differs, like.edged = d.like, nil, false
	like.load.WaitFor = ""
	if d.options != nil {
		like.options = *d.options
	}
	want, err := b.plainly(t, like)
	if err != nil {
		return append(complaints, "the plain browser: "+err.Error())
	}
	outcomes["instead"] = want
	return slices.Concat(complaints, prefixed("instead: ", got.unlike(want)))
}

func prefixed(prefix string, texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, prefix+text)
	}
	return all
}
