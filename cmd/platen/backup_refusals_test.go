package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events/testkit"
)

// Impossible backups, listings and verifications are refused with the reason.
func TestBackupRefusals(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	cfg := nodetest.Config(t)
	nodetest.Start(t, cfg, node.Options{})
	elsewhere := t.TempDir()
	for args, want := range map[string]string{
		"backup":                                     "--to must say where",
		"backup --to " + cfg.Data:                    "is inside " + cfg.Data,
		"backup --to " + cfg.Data + "/backups":       "is inside " + cfg.Data,
		"backup --to " + elsewhere + " --keep -1":    "--keep must not be negative",
		"backup --to ftp://example.com/a":            "must be a directory or s3://bucket/prefix",
		"backup --to s3:/acme-backups/platen":        "--to: must be a directory or s3://bucket/prefix",
		"backup list --to s3:acme-backups":           "--to: must be a directory or s3://bucket/prefix",
		"backup verify --to ~/backups":               "--to: nobody replaces the ~ here",
		"backup --to s3://A":                         "the bucket must have a name",
		"backup list --to " + elsewhere + "/nowhere": "is not a directory of backups",
		"backup verify --to " + elsewhere:            "is not a directory of backups",
	} {
		err := run(append(strings.Fields("admin "+args), "--data", cfg.Data), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	beside := cfg.Data + "-backups" // its name begins like that of the data directory
	t.Cleanup(func() { _ = os.RemoveAll(beside) })
	if err := run([]string{"admin", "backup", "--to", beside, "--data", cfg.Data}, &strings.Builder{}, &strings.Builder{}); err != nil {
		t.Errorf("a directory beside: %v", err)
	}
	err := run([]string{"admin", "backup", "verify", "backup-1", "--to", beside, "--data", cfg.Data}, &strings.Builder{}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "there is no such backup: backup-1") {
		t.Errorf("a name that no backup has: %v", err)
	}
	if err := run([]string{"admin", "backup", "more", "--to", elsewhere, "--data", cfg.Data}, &strings.Builder{}, &strings.Builder{}); !errors.Is(err, wrongUsage) {
		t.Errorf("an argument too many: %v", err)
	}
}

// Impossible restores are refused with the reason, and nothing is written.
func TestRestoreRefusals(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	place := filepath.Join(t.TempDir(), "backups")
	original := nodetest.Config(t)
	nodetest.Start(t, original, node.Options{})
	if err := run([]string{"admin", "backup", "--to", place, "--data", original.Data}, &strings.Builder{}, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	partitions := filepath.Join(t.TempDir(), "platen.toml")
	if err := os.WriteFile(partitions, []byte("partitions = 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args, want string
		prepare    func(data string)
	}{
		"no place":            {"", "--from must say where", nil},
		"nothing there":       {"--from " + place + "/nowhere", "is not a directory of backups", nil},
		"no such place":       {"--from s3:/acme-backups", "the place of backups: must be a directory or s3://bucket/prefix", nil},
		"no such backup":      {"--from " + place + " --backup backup-1", "there is no such backup", nil},
		"an argument":         {"--from " + place + " more", `unknown command "more"`, nil},
		"no secrets":          {"--from " + place, "seal.key", nil},
		"other partitions":    {"--from " + place + " --without-secrets", "configure partitions = 4", nil},
		"a node was there":    {"--from " + place + " --without-secrets --config " + partitions, "a node has used the data directory", func(data string) { mkdir(t, data, "replica-7") }},
		"a restore broke off": {"--from " + place + " --without-secrets --config " + partitions, "did not end", func(data string) { mkdir(t, data, "restore-unfinished") }},
		"results are there": {"--from " + place + " --without-secrets --config " + partitions, "the store of results has a.pdf", func(data string) {
			mkdir(t, data, "files/00")
			if err := os.WriteFile(filepath.Join(data, "files/00/a.pdf"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		m := newMachine(t)
		if tc.prepare != nil {
			tc.prepare(m.data)
		}
		if told, err := m.platen(strings.Fields("restore " + tc.args)...); err == nil || !strings.Contains(told, tc.want) {
			t.Errorf("%s: %v, want %q:\n%s", name, err, tc.want, told)
		}
	}
	m := newMachine(t)
	reads := []byte("reads\n") // the mark of a restore that was killed before it wrote anything
	mkdir(t, m.data, "scratch-backup")
	if err := os.WriteFile(filepath.Join(m.data, "restore-unfinished"), reads, 0o600); err != nil {
		t.Fatal(err)
	}
	if told, err := m.platen("restore", "--from", place, "--without-secrets", "--config", partitions); err != nil {
		t.Errorf("without secrets, and again after a kill: %v\n%s", err, told)
	}
	if _, err := os.Stat(filepath.Join(m.data, "restore-unfinished")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the mark of a restore under way: %v", err)
	}
	unfinished := nodetest.Config(t)
	mkdir(t, unfinished.Data, "restore-unfinished")
	if n, err := node.Start(t.Context(), unfinished, node.Options{}); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("a node starts where a restore broke off: %v", err)
		if err == nil {
			_ = n.Close()
		}
	}
	unread := nodetest.Config(t)
	mark := filepath.Join(unread.Data, "restore-unfinished")
	if err := os.WriteFile(mark, reads, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := node.Start(t.Context(), unread, node.Options{}); err == nil || !strings.Contains(err.Error(), "had written nothing: restore again") {
		t.Errorf("a node starts where a restore was killed: %v", err)
		if err == nil {
			_ = n.Close()
		}
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	mkdir(t, unread.Data, "scratch-backup/replica")
	nodetest.Start(t, unread, node.Options{})
	if _, err := os.Stat(filepath.Join(unread.Data, "scratch-backup")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a killed restore has left is still there: %v", err)
	}
}

func mkdir(t *testing.T, parts ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(parts...), 0o700); err != nil {
		t.Fatal(err)
	}
}
