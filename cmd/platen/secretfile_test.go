package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The secret of a cluster is the bytes of its file without surrounding white space: a cluster whose
// secret was read differently before could not open its sealed values.
func TestSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	for content, want := range map[string]string{
		"r7Kq2mXv9TzLp4Wd": "r7Kq2mXv9TzLp4Wd", " r7Kq2mXv9TzLp4Wd\r\n": "r7Kq2mXv9TzLp4Wd",
		"\ufeffr7Kq2mXv9TzLp4Wd": "\ufeffr7Kq2mXv9TzLp4Wd", "r7Kq2mXv9\x00zLp4W\xe4": "r7Kq2mXv9\x00zLp4W\xe4",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readSecret(path); err != nil || got != want {
			t.Errorf("%q: got %q, %v", content, got, err)
		}
	}
}

// A file of the secret that is not there, or has none, is named with its flag.
func TestNoSecretFile(t *testing.T) {
	var out, errs strings.Builder
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"doctor", "--secret-file", empty}, &out, &errs); err == nil || !strings.Contains(err.Error(), "--secret-file: "+empty+" is empty") {
		t.Errorf("got %v", err)
	}
	if err := run([]string{"serve", "--secret-file", "/nope"}, &out, &errs); err == nil || !strings.Contains(err.Error(), "--secret-file: open /nope") {
		t.Errorf("got %v", err)
	}
}
