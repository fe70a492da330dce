//go:build integration

package hybrid

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// sample is a valid invoice of a profile.
type sample struct{ path, profile string }

// TestVeraPDF converts every valid sample, with one printed PDF after the other, and has
// the reference validators check the results.
func TestVeraPDF(t *testing.T) {
	bases := basePDFs(t)
	dir := t.TempDir()
	var samples []sample
	if folder := os.Getenv("PLATEN_VERAPDF_DIR"); folder != "" {
		t.Logf("the files in %s are validated, too", folder)
	}
	samples = manifest(t)
	profiles := map[string]int{}
	converted := 0
	for i, s := range samples {
		if !testkit.InShare(t, i) {
			continue
		}
		converted++
		xml := read(t, s.path)
		out, err := Convert(bases[i%len(bases)], Invoice{XML: xml, Profile: s.profile, Title: "Rechnung " + filepath.Base(s.path), Author: "Müller & Söhne", Language: "de", Now: now})
		if err != nil {
			t.Errorf("%s: %v", s.path, err)
			continue
		}
		if err := Check(out); err != nil {
			t.Errorf("%s: %v", s.path, err)
		}
		if back, err := Extract(out); err != nil || !bytes.Equal(back, xml) {
			t.Errorf("%s: extracted XML differs, %v", s.path, err)
		}
		profiles[s.profile]++
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d-%s.pdf", i, s.profile)), out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("converted %d of %d samples: %v", converted, len(samples), profiles)
	ofUBL := convertUBL(t, bases, dir)
	validate(t, dir, converted+ofUBL)
}

// convertUBL converts the samples of UBL, which Mustang does not know, with each printed PDF.
func convertUBL(t *testing.T, bases [][]byte, dir string) (n int) {
	t.Helper()
	for _, name := range []string{"ubl-invoice", "ubl-credit-note"} {
		for _, base := range bases {
			out, err := Convert(base, Invoice{XML: read(t, "../sample/"+name+".xml"), Profile: "en16931", UBL: true, Title: name, Language: "en", Now: now})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.3b.pdf", name, n)), out, 0o600); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}

// validate runs the validators on a directory, and on PLATEN_VERAPDF_DIR.
func validate(t *testing.T, dir string, want int) {
	t.Helper()
	args := []string{dir}
	if folder := os.Getenv("PLATEN_VERAPDF_DIR"); folder != "" {
		args = append(args, folder)
	}
	out, err := exec.Command("../../testdata/verapdf/run.sh", args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	validated, xmlInvalid := 0, 0
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 5 {
			continue
		}
		validated++
		if columns[3] != "valid" {
			xmlInvalid++
		}
		if columns[1] != "pass" || columns[2] != "valid" {
			t.Errorf("%s: veraPDF %s, Mustang %s %s", columns[0], columns[1], columns[2], columns[4])
		}
	}
	t.Logf("validated %d PDFs; Mustang reports violations in the XML itself (schematron) in %d", validated, xmlInvalid)
	if validated < want || err != nil {
		t.Errorf("%d of %d PDFs were validated: %v", validated, want, err)
	}
}

// manifest lists the valid samples beside the project or, if there are none, its own.
func manifest(t *testing.T) (all []sample) {
	t.Helper()
	const root = "../../../shared/einvoice"
	data, err := os.ReadFile(filepath.Join(root, "manifest.tsv"))
	if err != nil {
		t.Logf("SKIPPED the samples in %s, which does not exist: using those of the project", root)
		for profile := range profiles {
			all = append(all, sample{"../../einvoice/sample/" + profile + ".xml", profile})
		}
		return all
	}
	for line := range strings.Lines(string(data)) {
		columns := strings.Split(line, "\t")
		if _, known := profiles[columns[3]]; known && len(columns) > 6 && columns[6] == "yes" {
			all = append(all, sample{filepath.Join(root, columns[0]), columns[3]})
		}
	}
	all = append(all, sample{"../../einvoice/sample/xrechnung.xml", "xrechnung"})
	if len(all) < 100 {
		t.Errorf("only %d samples", len(all))
	}
	return all
}
