package pagetest

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// Tool runs one of poppler's tools on a PDF and returns what it prints.
func Tool(t *testing.T, pdf []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v (is it installed? run deploy/install-deps.sh)", name, err)
	}
	return string(out)
}

// Text is the text of a PDF, in its layout.
func Text(t *testing.T, pdf []byte) string {
	t.Helper()
	return Tool(t, pdf, "pdftotext", "-layout", "-", "-")
}

// Contains fails unless a text contains all words.
func Contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %s in %q", word, text)
		}
	}
}
