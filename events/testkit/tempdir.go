package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// TempDir is t.TempDir for a browser, which may run as another user: every user can reach it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}
