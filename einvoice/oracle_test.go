package einvoice

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/einvoice/cii"
)

// shared finds the official schemas and samples, which lie beside the project and are
// not part of it.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	found := filepath.Join(dir, "..", "shared", "einvoice")
	if _, err := os.Stat(found); err != nil {
		t.Skipf("NOT TESTED against the official schemas: no %s beside the project", found)
	}
	return found
}

// records reads a table of tab-separated values under its heading.
func records(t *testing.T, path string) []map[string]string {
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

// TestOracle compares the verdict with that of libxml2 on the official schemas.
func TestOracle(t *testing.T) {
	dir := shared(t)
	compared := map[string]int{}
	for _, r := range records(t, filepath.Join(dir, "manifest.tsv")) {
		if cii.Root(r["profile"]) != nil && r["xsd_valid_1.09"] != "" {
			compare(t, compared, filepath.Join(dir, r["path"]), r["profile"], r["xsd_valid_1.09"] == "yes")
		}
	}
	samples := filepath.Join(dir, "samples", "synthetic")
	for _, r := range records(t, filepath.Join(samples, "ORACLE.tsv")) {
		compare(t, compared, filepath.Join(samples, r["file"]), r["profile"], r["xmllint_1.09"] == "valid")
	}
	t.Logf("verdicts compared: %v", compared)
	if compared["valid"] < 150 || compared["invalid"] < 250 {
		t.Errorf("only %v compared", compared)
	}
}

func compare(t *testing.T, compared map[string]int, path, profile string, want bool) {
	t.Helper()
	if strings.HasPrefix(filepath.Base(path), "impl-") {
		compared["left out"]++
		return
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Validate(document, profile)
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
