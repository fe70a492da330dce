package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events/testkit"
)

// A repair repairs what the cluster still has, names the rest with the backups that it makes useless, and ends with an error while there is any.
func TestBackupRepair(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	cfg := nodetest.Config(t)
	nodetest.Start(t, cfg, node.Options{})
	place := t.TempDir()
	backups := func(args string) (string, error) {
		var out strings.Builder
		err := run(append(strings.Fields("admin backup "+args), "--to", place, "--data", cfg.Data), &out, &out)
		return out.String(), err
	}
	if told, err := backups(""); err != nil {
		t.Fatalf("%v\n%s", err, told)
	}
	shorten(t, place, "chunk-*")
	if _, err := backups("verify"); err == nil || !strings.Contains(err.Error(), "the backup is damaged") {
		t.Errorf("a short chunk: %v", err)
	}
	if told, err := backups("verify --repair"); err != nil || strings.Contains(told, "cannot be mended") {
		t.Errorf("a short chunk that the cluster still has: %v\n%s", err, told)
	}
	lost := shorten(t, place, "backup-*")
	told, err := backups("verify --repair")
	if err == nil || !strings.Contains(err.Error(), "1 files cannot be mended, and 1 backups are lost") || !strings.Contains(told, lost+" cannot be mended") || !strings.Contains(told, "  "+lost+" is lost by it") {
		t.Errorf("a manifest that nobody has: %v\n%s", err, told)
	}
	if told, err := backups("--keep 1"); err != nil {
		t.Errorf("%v\n%s", err, told)
	}
	if told, err := backups("verify --repair"); err != nil {
		t.Errorf("after the lost one was dropped: %v\n%s", err, told)
	}
}

// shorten cuts the last byte off a file at a place, and returns its name.
func shorten(t *testing.T, place, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(place, "*", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s (%v)", pattern, err)
	}
	info, err := os.Stat(found[0])
	if err == nil {
		err = os.Truncate(found[0], info.Size()-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(found[0])
}
