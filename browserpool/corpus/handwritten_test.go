package corpus

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// dir contains the handwritten documents: those in html and markdown are sent, those in web visited.
const dir = "../../testdata/corpus"

// handwritten returns these files, each on three papers. Intended differences are in deviations.
func handwritten(t *testing.T, w *web) (all []entry) {
	t.Helper()
	files := http.FileServer(http.Dir(filepath.Join(dir, "web")))
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kind, file := filepath.Base(filepath.Dir(path)), filepath.Base(path)
		s := source{html: string(text)}
		switch kind {
		case "markdown":
			s = source{markdown: string(text)}
		case "web":
			s = source{url: w.at("/"+file, http.HandlerFunc(files.ServeHTTP))}
		}
		if !strings.HasSuffix(file, ".html") && !strings.HasSuffix(file, ".md") {
			continue // a part of others
		}
		for _, on := range []string{"a4", "letter-turned", "a4-header"} {
			all = append(all, entry{name: "handwritten/" + kind + "/" + file + "/" + on, source: s, options: papers[on], fault: on == "a4"})
		}
		if kind == "web" {
			all = append(all, entry{name: "handwritten/web/" + file + "/full-page", source: s, options: contract.Paper{}, shot: &shot{width: 1024, height: 768, fullPage: true}})
		}
	}
	return all
}
