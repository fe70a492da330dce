package testkit

import (
	"bytes"
	"os/exec"
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

// PDFText is the text of a PDF, in its layout.
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
