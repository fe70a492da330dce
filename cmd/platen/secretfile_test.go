package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The secret of a cluster is the text of its file, however an editor has saved that; no error quotes it.
func TestSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	for content, wrong := range map[string]string{
		"r7Kq2mXv9TzLp4Wd":             "",
		"\ufeffr7Kq2mXv9TzLp4Wd\r\n":   "",
		"\xff\xfer\x007\x00K\x00q\x00": "is encoded in UTF-16",
		"r7Kq2mXv9TzLp4W\xe4":          "is not encoded in UTF-8",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var s secretFile
		err := s.Set(path)
		if wrong == "" && (err != nil || s != "r7Kq2mXv9TzLp4Wd") {
			t.Errorf("%q: got %q, %v", content, string(s), err)
		}
		if wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), "r7K")) {
			t.Errorf("%q: got %v", content, err)
		}
	}
}
