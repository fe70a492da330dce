//go:build integration

package pdfa

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/events/testkit"
)

// TestVeraPDFAgrees breaks a valid file in every way of TestCheckFinds, and changes it in every way of TestCheckAllows. veraPDF must find the same
// rule violated, maybe among others that follow from it, and nothing where Check finds nothing.
func TestVeraPDFAgrees(t *testing.T) {
	good, dir := goodPDF(t), t.TempDir()
	names, want := map[string]string{}, map[string]string{} // by file
	add := func(name, rule string, change func(*conversion, types.Dict)) {
		file := fmt.Sprintf("%03d.3b.pdf", len(names))
		if err := os.WriteFile(filepath.Join(dir, file), broken(t, good, change), 0o600); err != nil {
			t.Fatal(err)
		}
		names[file], want[file] = name, rule
	}
	for n, b := range breaks {
		if !Doubtful(b.rule) {
			add(fmt.Sprintf("%s#%d", b.rule, n), b.rule, b.change)
		}
	}
	for name, change := range allowed {
		add(name, "", change)
	}
	verdicts := testkit.VeraPDF(t, dir)
	if len(verdicts) != len(names) {
		t.Fatalf("veraPDF judged %d of %d files", len(verdicts), len(names))
	}
	for file, verdict := range verdicts {
		list, failed := strings.CutPrefix(strings.TrimSpace(verdict), "fail ")
		if failed != (want[file] != "") || failed && !slices.Contains(strings.Split(list, ","), want[file]) {
			t.Errorf("%s: %q is violated, by veraPDF: %s", names[file], want[file], verdict)
		}
	}
}
