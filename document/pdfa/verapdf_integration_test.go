//go:build integration

package pdfa

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// TestVeraPDFAgrees breaks a valid file in every way of TestCheckFinds, and changes it in every way of TestCheckAllows. veraPDF must find the same
// rule violated, maybe among others that follow from it, and nothing where Check finds nothing.
func TestVeraPDFAgrees(t *testing.T) {
	good, dir := goodPDF(t), t.TempDir()
	var names, want []string
	add := func(name, rule string, change func(*conversion, types.Dict)) {
		file := filepath.Join(dir, fmt.Sprintf("%03d.3b.pdf", len(names)))
		if err := os.WriteFile(file, broken(t, good, change), 0o600); err != nil {
			t.Fatal(err)
		}
		names, want = append(names, name), append(want, rule)
	}
	for n, b := range breaks {
		if !Doubtful(b.rule) {
			add(fmt.Sprintf("%s#%d", b.rule, n), b.rule, b.change)
		}
	}
	for name, change := range allowed {
		add(name, "", change)
	}
	out, err := exec.Command("../../testdata/verapdf/run.sh", dir).Output() // ends with 1, as not all files pass
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(names) {
		t.Fatalf("veraPDF judged %d of %d files: %v", len(lines), len(names), err)
	}
	for n, line := range lines {
		verdict := strings.Split(line, "\t")[1]
		list, failed := strings.CutPrefix(strings.TrimSpace(verdict), "fail ")
		if failed != (want[n] != "") || failed && !slices.Contains(strings.Split(list, ","), want[n]) {
			t.Errorf("%s: %q is violated, by veraPDF: %s", names[n], want[n], verdict)
		}
	}
}
