package einvoice

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/cii"
)

// sharedDir is the directory of the official schemas and samples, which are not part of
// the project but may be present beside it. It is absolute, as xmllint runs elsewhere.
func sharedDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../../shared/einvoice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT TESTED against the official schemas: %s does not exist", dir)
	}
	return dir
}

// readTSV reads a table of tab-separated values by the columns that its first line names.
func readTSV(t *testing.T, path string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	heading := strings.Split(lines[0], "\t")
	var all []map[string]string
	for _, line := range lines[1:] {
		record := map[string]string{}
		for i, value := range strings.Split(line, "\t") {
			record[heading[i]] = value
		}
		all = append(all, record)
	}
	return all
}

// TestOracle compares the verdicts with those of libxml2 on the official schemas.
func TestOracle(t *testing.T) {
	dir := sharedDir(t)
	compared := map[string]int{}
	for _, r := range readTSV(t, filepath.Join(dir, "manifest.tsv")) {
		if cii.Root(r["profile"]) != nil && r["xsd_valid_1.09"] != "" {
			compareVerdict(t, compared, filepath.Join(dir, r["path"]), r["profile"], r["xsd_valid_1.09"] == "yes")
		}
	}
	samples := filepath.Join(dir, "samples", "synthetic")
	for _, r := range readTSV(t, filepath.Join(samples, "ORACLE.tsv")) {
		compareVerdict(t, compared, filepath.Join(samples, r["file"]), r["profile"], r["xmllint_1.09"] == "valid")
	}
	t.Logf("verdicts compared: %v", compared)
	if compared["valid"] < 150 || compared["invalid"] < 250 {
		t.Errorf("only %v were compared", compared)
	}
}

func compareVerdict(t *testing.T, compared map[string]int, path, profile string, want bool) {
	t.Helper()
	if strings.HasPrefix(filepath.Base(path), "impl-") {
		compared["skipped"]++
		return
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ParseSchemaOnly(document, profile)
	var invalid *InvalidError
	if err != nil && !errors.As(err, &invalid) {
		t.Errorf("%s: %v", path, err)
	}
	if (err == nil) != want {
		t.Errorf("%s: valid is %v, want %v: %v", path, err == nil, want, err)
	}
	if compared["valid"]++; !want {
		compared["valid"]--
		compared["invalid"]++
		t.Logf("%s: %v", filepath.Base(path), err)
	}
}
