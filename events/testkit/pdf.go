package testkit

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Tool runs a program on a file, such as one of poppler's on a PDF, and returns what it
// prints. The program reads its standard input.
func Tool(t testing.TB, file []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v (is it installed? run deploy/install-deps.sh)", name, err)
	}
	return string(out)
}

// QPDF runs qpdf, which cannot read its standard input, on a PDF, and returns what it prints.
func QPDF(t testing.TB, pdf []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	return Tool(t, nil, "qpdf", append(args, path)...)
}

// PDFText returns the text of a PDF, in its layout.
func PDFText(t testing.TB, pdf []byte) string {
	t.Helper()
	return Tool(t, pdf, "pdftotext", "-layout", "-", "-")
}

// Contains fails the test unless a text contains all words.
func Contains(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %s in %q", word, text)
		}
	}
}

// VeraPDF judges the PDFs of a directory by testdata/verapdf/run.sh, and returns the verdicts of veraPDF, by file name: "pass", or "fail" and the violated
// rules. The caller's package is two directories below the module's.
func VeraPDF(t testing.TB, dir string) map[string]string {
	t.Helper()
	out, err := exec.Command("../../testdata/verapdf/run.sh", dir).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // it ends with 1 if a file fails
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if columns := strings.Split(line, "\t"); len(columns) == 5 {
			all[columns[0]] = columns[1]
		}
	}
	return all
}
