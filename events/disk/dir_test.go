package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A directory survives a power cut, however much of its path existed.
func TestMkdirAll(t *testing.T) {
	fs := vfs.NewCrashableMem()
	for _, dir := range []string{"a", "a/b/c", "a/b/d", "/x/y", "a"} {
		if err := MkdirAll(fs, dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if info, err := fs.CrashClone(vfs.CrashCloneCfg{}).Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s after a power cut: %v", dir, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "dir")} {
		if err := MkdirAll(vfs.Default, dir, 0o700); err == nil {
			t.Errorf("%s was created", dir)
		}
	}
	t.Chdir(t.TempDir())
	if err := MkdirAll(vfs.Default, "data/log", 0o700); err != nil {
		t.Error(err)
	}
}
